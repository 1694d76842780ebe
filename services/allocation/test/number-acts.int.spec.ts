import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  allocationSettled,
  type Business,
  decideRefusal,
  type EventOf,
  enterAllocationNumber,
  type IssuedDocument,
  listUnresolvedAllocations,
  requestAllocationNumber,
  retryAllocation,
  showAllocation,
} from '@pinkas/contracts';
import { type RefusalDecision, testBookOf } from '@pinkas/domain';
import { Jobs, kitTokens, type Logger } from '@pinkas/service-kit';
import { eventually, exampleDocument, readTrail } from '@pinkas/testkit';
import { sql } from 'kysely';
import { type AllocationUnderTest, artifact_sha256, startAllocation } from './allocation.js';

const second = 1_000;

let allocation: AllocationUnderTest;
beforeAll(async () => {
  allocation = await startAllocation({ timeoutMs: 5_000 });
});
afterAll(() => allocation?.stop());
afterEach(async () => {
  jest.restoreAllMocks();
  await allocation.authority.resetModes();
});

const today = () => allocation.clock.now.toISOString().slice(0, 10);

/** A document of a business, that issuing has and allocation need not know. */
function issued(change: Partial<IssuedDocument> = {}, business: Partial<Business> = {}) {
  const document = exampleDocument({ business_id: randomUUID(), date: today(), ...change });
  return {
    document,
    business: { ...allocation.business, id: document.business_id, ...business },
    artifact_sha256,
  };
}

const personId = randomUUID();
const enter = (facts: ReturnType<typeof issued>, entered: string) =>
  allocation.network.call(enterAllocationNumber, { ...facts, entered, person_id: personId });
const request = (facts: ReturnType<typeof issued>) =>
  allocation.network.call(requestAllocationNumber, { ...facts, person_id: personId });
const show = ({ document }: ReturnType<typeof issued>) =>
  allocation.network.call(showAllocation, { business_id: document.business_id, document_id: document.id });
const nineDigits = () => String(Math.floor(100_000_000 + Math.random() * 899_999_999));

describe('EnterNumber', () => {
  it('a number that a person typed in is stored with who and when, and published', async () => {
    const facts = issued();
    const number = nineDigits();
    expect(await enter(facts, number)).toEqual({
      business_id: facts.document.business_id,
      document_id: facts.document.id,
      number,
      refusal: null,
    });
    expect(await allocation.settled(facts.document.id)).toEqual({ status: 'issued', number, reason: null });
    expect((await show(facts)).allocation).toMatchObject({
      state: 'issued',
      number,
      attempts: 0,
      entered: { at: allocation.clock.now.toISOString(), actor: `person:${personId}` },
    });
    expect(await readTrail(allocation.database, facts.document.business_id)).toEqual([
      {
        action: 'allocation.enter',
        actor: `person:${personId}`,
        subject: facts.document.id,
        before: { state: null },
        after: { number },
      },
    ]);
    // The same again, as after a lost reply, changes nothing.
    expect(await enter(facts, number)).toMatchObject({ number, refusal: null });
    expect(await readTrail(allocation.database, facts.document.business_id)).toHaveLength(1);
  });

  it('a second number of a document is refused, and the first stays', async () => {
    const facts = issued();
    const number = nineDigits();
    await enter(facts, number);
    expect(await enter(facts, nineDigits())).toMatchObject({ refusal: 'has_number', number });
    expect((await show(facts)).allocation).toMatchObject({ number });
  });

  it('a number of another document of the business is refused, and of another business is taken', async () => {
    const number = nineDigits();
    const first = issued();
    await enter(first, number);
    const second = issued({ business_id: first.document.business_id });
    expect(await enter(second, number)).toMatchObject({
      refusal: 'of_other',
      other: { document_id: first.document.id, document_number: first.document.number },
    });
    expect((await show(second)).allocation).toBeNull();
    expect(await enter(issued(), number)).toMatchObject({ refusal: null });
  });

  it('a number that the authority gave another document is refused', async () => {
    const granted = issued();
    await allocation.issue(granted.document, granted.business);
    const { number } = await allocation.settled(granted.document.id);
    const other = issued({ business_id: granted.document.business_id });
    expect(await enter(other, String(number))).toMatchObject({
      refusal: 'of_other',
      other: { document_id: granted.document.id },
    });
    expect((await show(other)).allocation).toBeNull();
  });

  it('a number that is granted to another document than it was typed in for is attached when a person enters it there', async () => {
    const errors = jest.spyOn(allocation.service.app.get<Logger>(kitTokens.logger), 'error');
    const granted = issued();
    const { document, business } = granted;
    await allocation.authority.setMode({ mode: 'lost', invoice_id: document.id, times: 1 });
    await allocation.issue(document, business);
    const grant = await eventually('it is granted', async () => {
      const [first] = await allocation.authority.grantsOf(document.id);
      return first?.confirmation_number;
    });
    const number = grant.slice(-9);
    const mistaken = issued({ business_id: document.business_id, number: document.number + 1 });
    expect(await enter(mistaken, number)).toMatchObject({ refusal: null });
    await allocation.settled(document.id);
    allocation.advanceClock(60 * second);
    expect(await allocation.settled(document.id, 2)).toMatchObject({
      status: 'failed',
      number: null,
      reason: expect.stringMatching(
        new RegExp(`the number ${number}, which was typed in for document ${mistaken.document.number}\\.`),
      ),
    });
    expect(errors).toHaveBeenCalledWith(
      expect.objectContaining({ document_id: document.id, other_document_id: mistaken.document.id }),
      'allocation number duplicate rejected',
    );
    const { allocations } = await allocation.network.call(listUnresolvedAllocations, {
      business_id: document.business_id,
      limit: 10,
    });
    expect(allocations.map((row) => row.document_id)).toEqual([document.id]);
    // It was this document's: no other number is taken for it.
    expect(await enter(issued({ business_id: document.business_id }), number)).toMatchObject({
      refusal: 'of_other',
    });
    expect(await enter(granted, number)).toMatchObject({ refusal: null, number });
    expect(await allocation.row(document.id)).toMatchObject({
      state: 'issued',
      number,
      confirmation_number: grant,
    });
    expect((await show(mistaken)).allocation).toMatchObject({ state: 'issued', number });
  });

  it('one of two documents gets a number that is typed in for both at the same moment', async () => {
    const number = nineDigits();
    const first = issued();
    const second = issued({ business_id: first.document.business_id });
    const replies = await Promise.all([enter(first, number), enter(second, number)]);
    expect(replies.map(({ refusal }) => refusal).sort()).toEqual(['of_other', null].sort());
    const states = await Promise.all([show(first), show(second)]);
    expect(states.filter((state) => state.allocation?.number === number)).toHaveLength(1);
  });

  it.each([
    ['form', '12345678', {}],
    ['form', '1234567890', {}],
    ['form', '12345678a', {}],
    ['form', '000000000', {}],
    ['form', 'אבגדהוזחט', {}],
    ['form', '', {}],
    ['type', '123456789', { type: 'credit_note' }],
    ['type', '123456789', { type: 'quote' }],
    ['age', '123456789', { date: '2024-06-01' }],
    ['no_vat', '123456789', { totals: { ...exampleDocument().totals, vat: 0 } }],
  ] as const)(
    'EnterNumber refuses as %s the number %s for %j, and stores nothing',
    async (refusal, number, change) => {
      const facts = issued(change);
      expect(await enter(facts, number)).toMatchObject({ refusal, number: null });
      expect((await show(facts)).allocation).toBeNull();
    },
  );

  it('attempts end with a number that is typed in, and a late answer with another number changes nothing and is logged', async () => {
    const errors = jest.spyOn(allocation.service.app.get<Logger>(kitTokens.logger), 'error');
    await allocation.authority.setMode({ mode: 'ok', delay_ms: 1_500 });
    const facts = issued();
    const { document, business } = facts;
    await allocation.issue(document, business);
    await eventually('an attempt is in flight', async () => (await show(facts)).attempts.length === 1);
    const number = nineDigits();
    expect(await enter(facts, number)).toMatchObject({ number, refusal: null });
    await eventually('the attempt has ended', async () => (await show(facts)).attempts[0]?.ended_at);
    const { allocation: stored, attempts } = await show(facts);
    expect(stored).toMatchObject({ state: 'issued', number, next_attempt_at: null });
    expect(attempts).toHaveLength(1);
    expect(allocation.settledOf(document.id)).toEqual([{ status: 'issued', number, reason: null }]);
    expect(errors).toHaveBeenCalledWith(
      expect.objectContaining({ document_id: document.id }),
      'second allocation number ignored',
    );
  });

  it('a number of a test book is typed in like any other', async () => {
    const facts = issued({ business_id: testBookOf(randomUUID()) });
    expect(await enter(facts, nineDigits())).toMatchObject({ refusal: null });
  });
});

describe('RequestNumber', () => {
  const small = {
    subtotal: 1_000,
    discount: 0,
    vat: 180,
    vat_rate: 18,
    total: 1_180,
    currency: 'ILS',
  } as const;

  it('a number below the threshold is requested and recorded in the trail', async () => {
    const facts = issued({ totals: small });
    const reply = await request(facts);
    expect(reply).toMatchObject({ refusal: null, reason: null, number: expect.stringMatching(/^\d{9}$/) });
    expect(await allocation.settled(facts.document.id)).toMatchObject({ number: reply.number });
    const [approval] = await allocation.authority.approvalsOf(facts.document.id);
    expect(approval).toMatchObject({ payment_amount: 1_000, customer_vat_number: expect.any(Number) });
    expect(await readTrail(allocation.database, facts.document.business_id)).toEqual([
      {
        action: 'allocation.request',
        actor: `person:${personId}`,
        subject: facts.document.id,
        before: { state: null },
        after: null,
      },
    ]);
    expect(await request(facts)).toMatchObject({ refusal: 'has_number', number: reply.number });
  });

  it.each([
    ['a private person', { legal_type: 'private' }],
    ['an exempt dealer', { legal_type: 'osek_patur' }],
    ['a customer without an id', { tax_id: null, legal_type: null }],
  ] as const)('the number of a buyer who deducts no VAT is sent for %s', async (_buyer, change) => {
    const { customer } = exampleDocument();
    const facts = issued({ customer: { ...customer, ...change } });
    expect(await request(facts)).toMatchObject({ refusal: null, number: expect.any(String) });
    const [approval] = await allocation.authority.approvalsOf(facts.document.id);
    expect(approval).toMatchObject({ customer_vat_number: 999_999_998 });
  });

  it.each([
    ['type', { type: 'credit_note' }, {}],
    ['type', { type: 'quote' }, {}],
    ['no_vat', { totals: { ...exampleDocument().totals, vat: 0 } }, {}],
    ['age', { date: '2024-06-01' }, {}],
    ['not_connected', {}, { tax_authority_connected: false }],
    ['no_tax_id', {}, { tax_id: null }],
  ] as const)('RequestNumber refuses as %s, and asks for nothing', async (refusal, change, business) => {
    const facts = issued(change, business);
    expect(await request(facts)).toMatchObject({ refusal, number: null });
    expect((await show(facts)).allocation).toBeNull();
    expect(await allocation.authority.approvalsOf(facts.document.id)).toEqual([]);
  });

  it('a number that was refused is not requested again', async () => {
    const { facts } = await refused();
    expect(await request(facts)).toMatchObject({ refusal: 'refused' });
    expect(await allocation.authority.approvalsOf(facts.document.id)).toHaveLength(1);
  });
});

/** A document whose number the authority has refused. */
async function refused() {
  const facts = issued();
  const { document, business } = facts;
  await allocation.authority.setMode({ mode: 'refuse', invoice_id: document.id });
  await allocation.issue(document, business);
  expect(await allocation.settled(document.id)).toMatchObject({ status: 'failed' });
  await allocation.authority.resetModes();
  return { facts };
}

describe('DecideRefusal', () => {
  let events: EventOf<typeof allocationSettled>[];
  beforeAll(() => {
    events = allocation.network.collect(allocationSettled);
  });

  const decide = ({ document }: ReturnType<typeof issued>, decision: RefusalDecision) =>
    allocation.network.call(decideRefusal, { document_id: document.id, decision, person_id: personId });
  const decisionCalls = async ({ document }: ReturnType<typeof issued>) =>
    (await allocation.authority.calls()).calls.filter(
      ({ path, body }) => path.includes('InvoiceDecisionApi') && body?.invoice_id === document.id,
    );
  const refusalsOf = ({ document }: ReturnType<typeof issued>) =>
    events.filter((event) => event.document.id === document.id).map((event) => event.refusal?.decision);
  const unresolved = async ({ document }: ReturnType<typeof issued>) => {
    const { allocations } = await allocation.network.call(listUnresolvedAllocations, {
      business_id: document.business_id,
      limit: 10,
    });
    return allocations.map((row) => row.decision?.decision ?? null);
  };

  const storeId = ({ document }: ReturnType<typeof issued>, id: string) =>
    allocation.database.db
      .updateTable('allocation')
      .set({ facts: sql`jsonb_set(facts, '{document,id}', to_jsonb(${id}::text))` })
      .where('document_id', '=', document.id)
      .execute();

  it.each([
    ['continue', 'Continue', []],
    ['cancel', 'Cancel', ['cancel']],
    ['object', 'FurtherObjection', ['object']],
  ] as const)(
    'the decision to %s is recorded, sent once as %s, published, and needs a person as %j',
    async (decision, operation, attention) => {
      const { facts } = await refused();
      expect(await unresolved(facts)).toEqual([null]);
      const { refusal, last } = await decide(facts, decision);
      expect(refusal).toBeNull();
      expect(last).toMatchObject({
        n: 1,
        decision,
        state: 'taken',
        actor: `person:${personId}`,
        reason: null,
        next_attempt_at: null,
      });
      const [call, ...others] = await decisionCalls(facts);
      expect(others).toEqual([]);
      expect(call).toMatchObject({
        path: expect.stringMatching(new RegExp(`/InvoiceDecisionApi/v1/${operation}$`)),
        status: 200,
      });
      await eventually('the decision is published', () => refusalsOf(facts).length === 2);
      expect(refusalsOf(facts)).toEqual([null, decision]);
      expect(await unresolved(facts)).toEqual(attention);
      expect((await show(facts)).decisions).toHaveLength(1);
      const trail = await readTrail(allocation.database, facts.document.business_id);
      expect(trail.map(({ action, actor, after }) => [action, actor, after])).toEqual([
        ['allocation.decide', `person:${personId}`, { decision, n: 1 }],
        ['allocation.decided', `person:${personId}`, { decision, n: 1, state: 'taken', reason: null }],
      ]);
      // Once more, as after a lost reply.
      expect(await decide(facts, decision)).toMatchObject({ refusal: null, last: { n: 1, state: 'taken' } });
      expect(await decisionCalls(facts)).toHaveLength(1);
    },
  );

  it('a decision whose answer was lost is sent again, and counts as taken when the authority has it', async () => {
    const { facts } = await refused();
    await allocation.authority.setMode({ mode: 'lost', invoice_id: facts.document.id, times: 1 });
    expect(await decide(facts, 'continue')).toMatchObject({ refusal: null, last: { state: 'pending' } });
    expect(await decide(facts, 'cancel')).toMatchObject({ refusal: 'decided' });
    allocation.advanceClock(5 * second);
    allocation.service.app.get(Jobs).trigger('decision');
    await eventually('the decision is taken', () => refusalsOf(facts).includes('continue'));
    expect((await decisionCalls(facts)).map(({ status }) => status)).toEqual([null, 400]);
    expect((await show(facts)).allocation?.decision).toMatchObject({ n: 1, state: 'taken', reason: null });
  });

  it('a decision that the authority had before is taken once a person has looked which one it is', async () => {
    const { facts: decided } = await refused();
    await decide(decided, 'continue');
    const { facts } = await refused();
    // The authority knows the two by one id.
    await storeId(facts, decided.document.id);
    expect(await decide(facts, 'cancel')).toMatchObject({
      last: { n: 1, state: 'failed', reason: expect.stringContaining('already (462): look there') },
    });
    expect(refusalsOf(facts)).toEqual([null]);
    expect(await decide(facts, 'cancel')).toMatchObject({ last: { n: 2, state: 'taken' } });
  });

  it('a decision whose first attempt was certainly not made is no earlier one', async () => {
    const { facts: decided } = await refused();
    await decide(decided, 'continue');
    const { facts } = await refused();
    await storeId(facts, decided.document.id);
    await allocation.authority.setMode({ mode: 'rate', retry_after: 1, times: 1 });
    expect(await decide(facts, 'cancel')).toMatchObject({ last: { n: 1, state: 'pending' } });
    allocation.advanceClock(10 * second);
    allocation.service.app.get(Jobs).trigger('decision');
    await eventually(
      'it is not taken',
      async () => (await show(facts)).allocation?.decision?.state === 'failed',
    );
  });

  it('a decision that a process recorded before it died is sent by another', async () => {
    const { facts } = await refused();
    jest.spyOn(allocation.service.app.get(Jobs), 'runNow').mockResolvedValueOnce();
    expect(await decide(facts, 'object')).toMatchObject({ last: { state: 'pending' } });
    allocation.service.app.get(Jobs).trigger('decision');
    await eventually('the decision is taken', () => refusalsOf(facts).includes('object'));
    expect(await decisionCalls(facts)).toHaveLength(1);
  });

  it('a decision that the authority has no refusal for is not taken, and its reason says what to do', async () => {
    const { facts } = await refused();
    // The authority knows the invoice by another id.
    await storeId(facts, randomUUID());
    const { last } = await decide(facts, 'continue');
    expect(last).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/has not refused this invoice \(463 .*request its number again/),
    });
    await storeId(facts, facts.document.id);
    expect(await decide(facts, 'continue')).toMatchObject({ last: { n: 2, state: 'taken' } });
  });

  it('an objection may follow an invoice that went on without a number, and nothing follows a cancelled one', async () => {
    const { facts } = await refused();
    await decide(facts, 'continue');
    expect(await decide(facts, 'cancel')).toMatchObject({
      refusal: 'decided',
      last: { decision: 'continue', state: 'taken' },
    });
    expect(await decide(facts, 'object')).toMatchObject({ refusal: null, last: { n: 2, state: 'taken' } });
    const { facts: cancelled } = await refused();
    await decide(cancelled, 'cancel');
    expect(await decide(cancelled, 'object')).toMatchObject({ refusal: 'decided' });
  });

  it('a decision about a document whose number was not refused, or of no document, sends nothing', async () => {
    const facts = issued();
    await expect(decide(facts, 'continue')).rejects.toMatchObject({ code: 'not_found' });
    await enter(facts, nineDigits());
    expect(await decide(facts, 'continue')).toMatchObject({ refusal: 'not_refused', last: null });
    const { facts: other } = await refused();
    expect(await decide(other, 'reverse_charge')).toMatchObject({ refusal: 'not_offered', last: null });
    expect(await decisionCalls(facts)).toEqual([]);
    expect(await decisionCalls(other)).toEqual([]);
  });

  it('a repeated refusal keeps the reason and the day of the first, and what was decided', async () => {
    const { facts } = await refused();
    const refusedAt = (await show(facts)).allocation?.refused_at;
    await decide(facts, 'object');
    allocation.advanceClock(60 * second);
    await allocation.network.call(retryAllocation, { document_id: facts.document.id });
    const { allocation: stored, attempts } = await show(facts);
    expect(stored).toMatchObject({
      state: 'refused',
      refused_at: refusedAt,
      refusal_codes: ['460'],
      reason: expect.stringMatching(/^refused: 460 /),
      decision: { decision: 'object', state: 'taken' },
    });
    expect(attempts.map(({ refusal_codes }) => refusal_codes)).toEqual([['460'], ['462']]);
    await eventually('the repetition is published', () => refusalsOf(facts).length === 3);
    expect(refusalsOf(facts)).toEqual([null, 'object', 'object']);
  });

  it('a decision that has ended is neither changed nor deleted', async () => {
    const { facts } = await refused();
    await decide(facts, 'continue');
    const { db } = allocation.database;
    const key = ['document_id', '=', facts.document.id] as const;
    await expect(
      db
        .updateTable('decision')
        .set({ reason: 'other' })
        .where(...key)
        .execute(),
    ).rejects.toThrow('is final');
    await expect(
      db
        .deleteFrom('decision')
        .where(...key)
        .execute(),
    ).rejects.toThrow();
  });

  it('the product takes a decision about a document of a test book', async () => {
    const facts = issued({
      business_id: testBookOf(randomUUID()),
      items: [
        { description: 'x', quantity: 1, unit_price: 6000, line_total: 6000, sku: 'test_allocation_failed' },
      ],
    });
    await allocation.issue(facts.document, facts.business);
    expect(await allocation.settled(facts.document.id)).toMatchObject({ status: 'failed' });
    expect(await decide(facts, 'continue')).toMatchObject({ last: { state: 'taken' } });
    expect(await decisionCalls(facts)).toEqual([]);
  });
});
