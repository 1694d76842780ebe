import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  decideRefusal,
  listDeadLetteredAllocations,
  listUnresolvedAllocations,
  retryAllocation,
  showAllocation,
  showConnection,
} from '@pinkas/contracts';
import { addDays, dayInIsrael } from '@pinkas/domain';
import { kitTokens, type Logger } from '@pinkas/service-kit';
import { eventually, exampleDocument } from '@pinkas/testkit';
import { AllocationWorker } from '../src/attempt/allocation-worker.js';
import type { AllocationConfig } from '../src/config.js';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const approvalsAndStatus = async ({ authority }: AllocationUnderTest) =>
  (await authority.calls()).calls
    .filter(({ path }) => path.endsWith('/Approval'))
    .map(({ status }) => status);
const ended = (allocation: AllocationUnderTest, documentId: string, attempts: number) =>
  eventually(`attempt ${attempts} has ended`, async () => {
    const row = await allocation.row(documentId);
    return row.attempts >= attempts && row.claimed_until === null;
  });
const metric = async ({ service }: AllocationUnderTest, name: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${service.healthPort}/metrics`);
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await response.text())?.[1]);
};

describe('an authority that fails', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation();
  });
  afterAll(() => allocation?.stop());
  afterEach(async () => {
    jest.restoreAllMocks();
    await allocation.authority.options({ reset: true });
    await allocation.authority.resetModes();
  });

  it('a request that takes six seconds is made once, and its number attached', async () => {
    await allocation.authority.setMode({ mode: 'ok', delay_ms: 6 * second });
    const invoice = await allocation.issue();
    const { attempts } = await eventually('the request is in flight', async () => {
      const row = await allocation.row(invoice.id).catch(() => undefined);
      return row?.claimed_until ? row : undefined;
    });
    // A person who asks for it now does not wait for the end of the other attempt, and makes none.
    expect(attempts).toBe(1);
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    expect(await allocation.authority.approvalsOf(invoice.id)).toHaveLength(1);
    expect(await allocation.authority.lookUpsOf(invoice.number)).toEqual([]);
  }, 60_000);

  it('status 429 stops the requests of all documents until Retry-After, and no longer', async () => {
    await allocation.authority.setMode({ mode: 'rate', retry_after: 90 });
    const first = await allocation.issue();
    await allocation.settled(first.id);
    const sent = (await approvalsAndStatus(allocation)).length;
    const others = await Promise.all([1, 2, 3].map(() => allocation.issue()));
    for (const { id } of others) {
      expect(await allocation.settled(id)).toMatchObject({
        reason: expect.stringContaining('no more requests'),
      });
    }
    expect(await approvalsAndStatus(allocation)).toHaveLength(sent);
    expect(await allocation.row(first.id)).toMatchObject({
      state: 'pending',
      outcome_unknown: false,
      next_attempt_at: new Date(allocation.clock.now.getTime() + 90 * second),
    });
    await allocation.authority.resetModes();
    allocation.advanceClock(89 * second);
    expect(await approvalsAndStatus(allocation)).toHaveLength(sent);
    allocation.advanceClock(second);
    for (const { id } of [first, ...others]) {
      expect(await allocation.settled(id, 2)).toMatchObject({ status: 'issued' });
    }
    expect(await approvalsAndStatus(allocation)).toHaveLength(sent + 4);
  });

  it.each([
    ['not_found', 'The operator has to correct the address'],
    ['forbidden', 'The operator has to subscribe it'],
  ] as const)(
    'mode %s alerts the operator, is repeated gently, and dead-letters nothing',
    async (mode, words) => {
      const errors = jest.spyOn(allocation.service.app.get<Logger>(kitTokens.logger), 'error');
      await allocation.authority.setMode({ mode });
      const invoice = await allocation.issue();
      expect(await allocation.settled(invoice.id)).toMatchObject({ reason: expect.stringContaining(words) });
      expect(await metric(allocation, 'pinkas_allocations_awaiting_operator')).toBe(1);
      for (let attempts = 2; attempts <= 13; attempts += 1) {
        allocation.advanceClock(5 * minute);
        await ended(allocation, invoice.id, attempts);
      }
      expect(await allocation.authority.approvalsOf(invoice.id)).toHaveLength(13);
      allocation.advanceClock(2 * day);
      await ended(allocation, invoice.id, 14);
      expect(await allocation.row(invoice.id)).toMatchObject({ state: 'pending', awaiting_operator: true });
      // Once for a document, not for each attempt.
      expect(errors.mock.calls.map(([, message]) => message)).toEqual([
        'tax authority rejects the application',
      ]);
      await allocation.authority.resetModes();
      allocation.advanceClock(5 * minute);
      expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
      expect(await metric(allocation, 'pinkas_allocations_awaiting_operator')).toBe(0);
    },
    60_000,
  );

  it('code 434 is final: no attempt follows, and none is made for a person', async () => {
    const invoice = await allocation.issue({ date: addDays(dayInIsrael(allocation.clock.now), -400) });
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('older than a year'),
    });
    const key = { business_id: allocation.business.id, document_id: invoice.id };
    const shown = await allocation.network.call(showAllocation, key);
    expect(shown.allocation).toMatchObject({ state: 'dead_lettered', is_final: true });
    const retried = await allocation.network.call(retryAllocation, { document_id: invoice.id });
    expect(retried).toMatchObject({ outcome: 'not_retryable', reason: expect.stringContaining('(434)') });
    expect(await allocation.authority.approvalsOf(invoice.id)).toHaveLength(1);
  });

  it('code 431 names which of the two VAT numbers is wrong, and stops', async () => {
    const { customer } = exampleDocument();
    const wrong = await allocation.issue({ customer: { ...customer, tax_id: '000000019' } });
    expect(await allocation.settled(wrong.id)).toMatchObject({
      reason: expect.stringContaining("the customer's VAT number (431, customer_vat_number)"),
    });
    expect(await allocation.row(wrong.id)).toMatchObject({ state: 'dead_lettered', outcome_unknown: false });
    const ours = await allocation.issue({}, { tax_id: '000000019' });
    expect(await allocation.settled(ours.id)).toMatchObject({
      reason: expect.stringContaining('the VAT number of the business (431, vat_number)'),
    });
  });

  it('code 435 waits for the day 30 days before the document, and is granted then', async () => {
    await allocation.authority.setClock(allocation.clock.now);
    const ahead = addDays(dayInIsrael(allocation.clock.now), 40);
    const invoice = await allocation.issue({ date: ahead });
    await allocation.settled(invoice.id);
    const row = await allocation.row(invoice.id);
    expect(row.state).toBe('pending');
    expect(row.next_attempt_at && dayInIsrael(row.next_attempt_at)).toBe(addDays(ahead, -30));
    const waitMs = (row.next_attempt_at?.getTime() ?? 0) - allocation.clock.now.getTime();
    allocation.advanceClock(waitMs + hour);
    await allocation.authority.setClock(allocation.clock.now);
    allocation.advanceClock(0);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
  });

  it('a code that no paper describes stops with its text', async () => {
    await allocation.authority.setMode({ mode: 'rejected' });
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({
      reason: expect.stringContaining('499 An error that no public paper describes'),
    });
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'dead_lettered', is_final: false });
  });

  it.each(['none', 460, 400])(
    'a credit note that the authority gives no number (%s) needs none, and leaves nothing to do',
    async (noNumber) => {
      await allocation.authority.options({ noNumber });
      const note = await allocation.issue({ type: 'credit_note' });
      const reason = expect.stringContaining('The tax authority gives credit notes no number');
      expect(await allocation.settled(note.id)).toEqual({ status: 'not_required', number: null, reason });
      const key = { business_id: allocation.business.id, document_id: note.id };
      const unresolved = { business_id: key.business_id, limit: 100 };
      const { allocations } = await allocation.network.call(listUnresolvedAllocations, unresolved);
      expect(allocations.map(({ document_id: id }) => id)).not.toContain(note.id);
      expect(await allocation.network.call(retryAllocation, key)).toMatchObject({
        outcome: 'not_retryable',
        reason,
      });
      const decided = await allocation.network.call(decideRefusal, { ...key, decision: 'object' });
      expect(decided.refusal).toBe('not_refused');
      expect(await allocation.authority.approvalsOf(note.id)).toHaveLength(1);
      // Of an invoice, the same option changes nothing.
      const invoice = await allocation.issue();
      expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    },
  );

  it('a credit note is not asked for where credit notes are skipped', async () => {
    const config = allocation.service.app.get<{ taxAuthorityCreditNotes: 'ask' | 'skip' }>(kitTokens.config);
    config.taxAuthorityCreditNotes = 'skip';
    try {
      const note = await allocation.issue({ type: 'credit_note' });
      expect(await allocation.settled(note.id)).toMatchObject({ status: 'not_required', number: null });
      expect(await allocation.authority.approvalsOf(note.id)).toEqual([]);
    } finally {
      config.taxAuthorityCreditNotes = 'ask';
    }
  });

  it('a process that is stopped finishes its request, and the number is attached', async () => {
    const other = await allocation.startAnother();
    // For good: the last test of these.
    await allocation.service.app.get(AllocationWorker).stop();
    await allocation.authority.setMode({ mode: 'ok', delay_ms: 3 * second });
    const invoice = await allocation.issue();
    await eventually('the request is in flight', async () =>
      (await approvalsAndStatus(allocation)).includes(null),
    );
    await other.stop();
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'issued', attempts: 1 });
  }, 60_000);
});

describe('the look-up, where it is on', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ lookUp: 'on' });
  });
  afterAll(() => allocation?.stop());
  afterEach(async () => {
    await allocation.authority.options({ reset: true });
    await allocation.authority.resetModes();
  });

  const lost = async () => {
    await allocation.authority.setMode({ mode: 'lost', operation: 'approval', times: 1 });
    const invoice = await allocation.issue();
    await allocation.settled(invoice.id);
    // Its number may not be visible at once.
    expect(await allocation.row(invoice.id)).toMatchObject({
      next_attempt_at: new Date(allocation.clock.now.getTime() + minute),
    });
    return invoice;
  };

  it('a number that the look-up finds is attached without another request', async () => {
    await allocation.authority.options({ lookupBy: 'anyone' });
    const invoice = await lost();
    allocation.advanceClock(minute);
    const [grant] = await allocation.authority.grantsOf(invoice.id);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({
      status: 'issued',
      number: grant?.confirmation_number.slice(-9),
    });
    expect(await allocation.authority.approvalsOf(invoice.id)).toHaveLength(1);
    expect(await allocation.authority.lookUpsOf(invoice.number)).toMatchObject([{ found: true }]);
    const [lookUp] = (await allocation.authority.calls()).calls
      .filter(({ path }) => path.endsWith('invoice-information/v2/confirmationNumber'))
      .slice(-1);
    expect(Object.keys(lookUp?.body ?? {}).sort()).toEqual([
      'customer_vat_number',
      'invoice_date',
      'invoice_reference_number',
      'payment_amount',
      'vat_amount',
      'vat_number',
    ]);
  });

  const anyone = { lookupBy: 'anyone' };
  it.each([
    ['is not permitted to the seller', {}, 'ok'],
    ['is answered with 472', { ...anyone, visibleAfterSeconds: 600 }, 'ok'],
    ['fails with 500', anyone, 'error'],
    ['is at no such address', anyone, 'not_found'],
    ['is not subscribed', anyone, 'forbidden'],
    ['has its token rejected', anyone, 'unauthorized'],
    ['is cut off', anyone, 'lost'],
  ] as const)(
    'a look-up that %s changes nothing, and the same bytes are sent again',
    async (_what, options, mode) => {
      const invoice = await lost();
      await allocation.authority.options(options);
      await allocation.authority.setMode({ mode, operation: 'information' });
      allocation.advanceClock(minute);
      expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
      expect(await allocation.authority.grantsOf(invoice.id)).toHaveLength(1);
      const { connection } = await allocation.network.call(showConnection, {
        business_id: allocation.business.id,
      });
      expect(connection?.state).toBe('connected');
      expect(await allocation.row(invoice.id)).toMatchObject({ awaiting_connection: false });
      const { documents } = await allocation.network.call(listDeadLetteredAllocations, { limit: 500 });
      expect(documents).toEqual([]);
    },
  );

  it('a repetition that is granted another number has one in the book', async () => {
    await allocation.authority.options({ repeat: 'new' });
    const invoice = await lost();
    allocation.advanceClock(minute);
    const settled = await allocation.settled(invoice.id, 2);
    expect(
      (await allocation.authority.grantsOf(invoice.id)).map((grant) => grant.confirmation_number.slice(-9)),
    ).toContain(settled.number);
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'issued', number: settled.number });
  });
});

describe('an application that the authority does not accept', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ clientSecret: 'wrong' });
  });
  afterAll(() => allocation?.stop());

  it('a wrong client secret alerts the operator within one attempt, and documents wait until it is corrected', async () => {
    const errors = jest.spyOn(allocation.service.app.get<Logger>(kitTokens.logger), 'error');
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({
      reason: expect.stringContaining('does not accept this application'),
    });
    expect(errors.mock.calls.map(([, message]) => message)).toEqual([
      'tax authority rejects the application',
    ]);
    expect(await metric(allocation, 'pinkas_allocations_awaiting_operator')).toBe(1);
    allocation.advanceClock(2 * day);
    await ended(allocation, invoice.id, 2);
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'pending', awaiting_operator: true });
    const { documents } = await allocation.network.call(listDeadLetteredAllocations, { limit: 500 });
    expect(documents).toEqual([]);
    const config = allocation.service.app.get<AllocationConfig>(kitTokens.config);
    (config as { taxAuthorityClientSecret: string }).taxAuthorityClientSecret = 'secret';
    allocation.advanceClock(5 * minute);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
  });
});

/** Forwards what it is sent to an origin, and remembers the paths. */
async function startFront(): Promise<{ server: Server; paths: string[]; forwardTo(origin: string): string }> {
  const paths: string[] = [];
  let target = '';
  const server = createServer(async (request, response) => {
    paths.push(request.url ?? '');
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(`${target}${request.url}`, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body: await text(request),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const forwardTo = (origin: string) => {
    target = origin;
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  return { server, paths, forwardTo };
}

describe('addresses on hosts of their own', () => {
  it('tokens are fetched at TAX_AUTHORITY_TOKEN_URL, and nothing else is', async () => {
    const { server, paths, forwardTo } = await startFront();
    const allocation = await startAllocation({
      tokenUrl: (url) => {
        const { origin, pathname } = new URL(url);
        return `${forwardTo(origin)}${pathname}`;
      },
    });
    try {
      const invoice = await allocation.issue();
      expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
      expect(paths).toEqual(['/shaam/tsandbox/longtimetoken/oauth2/token']);
    } finally {
      await allocation.stop();
      server.close();
    }
  });
});
