import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  artifactRendered,
  type Business,
  type CreateDocument,
  type DonationOutcome,
  documentEventDue,
  donationDue,
  donationSettled,
  type EventOf,
  findPublicDocument,
  getDocument,
  type IssuedDocument,
  listDocuments,
  messageDue,
  numberRequired,
  readBook,
  reportDonation,
  reviewDocuments,
} from '@pinkas/contracts';
import { testBook } from '@pinkas/domain';
import { eventually, readTrail } from '@pinkas/testkit';
import { cash, type IssuingUnderTest, net, startIssuing } from './issuing.js';

const reported: DonationOutcome = { status: 'reported', number: '405123456789', reason: null };
const pending = { status: 'pending', number: null, reason: expect.stringContaining('goes on') };
const donation: Partial<CreateDocument> = {
  type: 'donation_receipt',
  customer: { name: 'תורם לדוגמה', tax_id: '777777715', email: 'donor@example.com' },
  items: net(180),
  prices_include_vat: true,
  payments: cash(180),
};

let issuing: IssuingUnderTest;
/** What allocation publishes for a donation that is due; null: nothing. */
let outcome: DonationOutcome | null = reported;
const due: EventOf<typeof donationDue>[] = [];
const messages: EventOf<typeof messageDue>[] = [];

beforeAll(async () => {
  issuing = await startIssuing({
    business: {
      legal_type: 'amuta',
      vat_rate: 0,
      donation_approval: { number: '46-123', valid_until: '2026-12-31' },
    },
  });
  issuing.customerChanges = false;
  const { network } = issuing;
  network.connection.subscribe(`${donationDue.subject}.*`, {
    callback: (_error, message) => {
      const event = message.json<EventOf<typeof donationDue>>();
      due.push(event);
      if (outcome) {
        void settle(event.document, outcome, event.business);
      }
      if (outcome?.number) {
        void network.publish(artifactRendered, event.document.id, {
          document_id: event.document.id,
          business_id: event.document.business_id,
          revision: 2,
          sha256: 'ab'.repeat(32),
          allocation_number: outcome.number,
          allocation_pending: false,
        });
      }
    },
  });
  network.connection.subscribe(`${messageDue.subject}.*`, {
    callback: (_error, message) => void messages.push(message.json<EventOf<typeof messageDue>>()),
  });
});
beforeEach(() => {
  outcome = reported;
  issuing.config.outcomeWaitMs = 3_000;
});
afterAll(() => issuing.stop());

async function settle(
  document: IssuedDocument,
  changed: DonationOutcome,
  business = issuing.business,
): Promise<void> {
  await issuing.network.publish(donationSettled, document.id, {
    document,
    business,
    donation: changed,
    artifact_sha256: 'ab'.repeat(32),
  });
}

const read = async (id: string) =>
  (await issuing.network.call(getDocument, { business_id: issuing.business.id, document_id: id })).state;
const becomes = (id: string, expected: DonationOutcome) =>
  eventually('the donation is recorded', async () => {
    const { donation: found } = await read(id);
    return isDeepStrictEqual(found, expected);
  });

describe('IssueDocument for a donation', () => {
  it('a donation of an approved and connected institution is due in the transaction of its receipt, and its number is returned', async () => {
    const { document, state, allocation } = await issuing.issue(donation);
    expect(state.donation).toEqual(reported);
    expect(state.allocation_number).toBeNull();
    expect(allocation.status).toBe('not_required');
    expect(due.find((event) => event.document.id === document.id)).toEqual({
      document,
      business: issuing.business,
      artifact_sha256: 'ab'.repeat(32),
    });
    const message = await eventually('the message is due', () =>
      messages.find((event) => event.document.id === document.id),
    );
    expect(message.number_required).toBe(true);
    await becomes(document.id, reported);
  });

  it('the outcome is in lists, in the book and of the public document, and a replay returns what the first reply returned', async () => {
    outcome = null;
    issuing.config.outcomeWaitMs = 200;
    const key = randomUUID();
    const { document, state } = await issuing.issue(donation, key);
    expect(state.donation).toEqual(pending);
    await settle(document, reported);
    await becomes(document.id, reported);
    expect((await issuing.issue(donation, key)).state.donation).toEqual(pending);
    const business_id = issuing.business.id;
    const { documents } = await issuing.network.call(listDocuments, {
      business_id,
      include_cancelled: true,
      limit: 1,
      before: null,
    });
    expect(documents[0]?.state.donation).toEqual(reported);
    const { entries } = await issuing.network.call(readBook, { business_id, after: null, limit: 100 });
    expect(entries.at(-1)?.state.donation).toEqual(reported);
    const found = await issuing.network.call(findPublicDocument, { public_id: document.public_id });
    expect(found.state.donation).toEqual(reported);
  });

  it.each([
    ['no approval', { donation_approval: undefined }, 'section 46'],
    ['no connection', { tax_authority_connected: false }, 'not connected'],
  ])(
    'a donation of an institution with %s is not due, and its response says why',
    async (_what, change, reason) => {
      const { donation_approval, ...others } = { ...issuing.business, ...change };
      const business = { ...others, ...(donation_approval && { donation_approval }), id: randomUUID() };
      const { document, state } = await issuing.issue(donation, randomUUID(), { business });
      expect(state.donation).toEqual({
        status: 'not_required',
        number: null,
        reason: expect.stringContaining(reason),
      });
      expect(due.some((event) => event.document.id === document.id)).toBe(false);
    },
  );

  it.each(['test_donation_reported', 'test_donation_refused'])(
    'a test receipt of a total of zero is not reported whatever %s provokes, and the answer and its replay warn of the total',
    async (sku) => {
      const { payments: _payments, ...unpaid } = donation;
      const free = { ...unpaid, items: net(0).map((item) => ({ ...item, sku })) };
      const business = testBook(issuing.business);
      const key = randomUUID();
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        const { state, warnings = [] } = await issuing.issue(free, key, { business });
        expect([warnings, state.donation]).toEqual([
          ['total_is_zero'],
          { status: 'not_required', number: null, reason: 'The receipt is about no amount.' },
        ]);
      }
    },
  );

  it('a document of another type has no donation', async () => {
    const { state, document } = await issuing.issue({ type: 'quote' });
    expect(state).not.toHaveProperty('donation');
    expect(await read(document.id)).not.toHaveProperty('donation');
  });

  it('a donor who lives abroad is of the document, and a tax id beside it is refused', async () => {
    const foreign_donor = { country: 'FR', passport: '12AB34567' };
    const { document } = await issuing.issue({ ...donation, customer: { name: 'Donor' }, foreign_donor });
    expect(document.foreign_donor).toEqual(foreign_donor);
    expect(due.find((event) => event.document.id === document.id)?.document.foreign_donor).toEqual(
      foreign_donor,
    );
  });
});

describe('ReportDonation', () => {
  const unconnected = (change: Partial<Business> = {}): Business => ({
    ...issuing.business,
    id: randomUUID(),
    tax_authority_connected: false,
    ...change,
  });
  const report = (business: Business, document_id: string) =>
    issuing.network.call(reportDonation, {
      ...{ business: { ...business, tax_authority_connected: true }, document_id, person_id: randomUUID() },
    });

  it('a donation that was issued before its institution was connected is due once, and a replay stays as it was', async () => {
    const business = unconnected();
    const key = randomUUID();
    const { document, state } = await issuing.issue(donation, key, { business });
    expect(state.donation?.status).toBe('not_required');
    outcome = null;
    expect(await issuing.network.call(reportDonation, { business, document_id: document.id })).toEqual({
      donation: state.donation,
    });
    expect((await report(business, document.id)).donation).toEqual(pending);
    const event = await eventually('its report is due', () =>
      due.find(({ document: { id } }) => id === document.id),
    );
    expect(event).toEqual({
      document,
      business: { ...business, tax_authority_connected: true },
      artifact_sha256: 'ab'.repeat(32),
    });
    await issuing.network.publish(donationSettled, document.id, { ...event, donation: reported });
    const now = () =>
      issuing.network.call(getDocument, { business_id: business.id, document_id: document.id });
    await eventually('it is reported', async () => isDeepStrictEqual((await now()).state.donation, reported));
    expect((await report(business, document.id)).donation).toEqual(reported);
    expect(due.filter(({ document: { id } }) => id === document.id)).toHaveLength(1);
    expect((await issuing.issue(donation, key, { business })).state.donation).toEqual(state.donation);
    const trail = await readTrail(issuing.database, business.id);
    expect(trail.filter(({ action }) => action === 'donation.report')).toMatchObject([
      { subject: document.id, before: { status: 'not_required' } },
    ]);
  });

  it('donations that were not reported for want of a connection are counted and listed until they are', async () => {
    const business = unconnected();
    const issue = (of: Business) => issuing.issue(donation, randomUUID(), { business: of });
    const [first, second] = [await issue(business), await issue(business)];
    const { donation_approval: _approval, ...unapproved } = business;
    await issue(unapproved);
    await issue({ ...business, donation_approval: { number: '46-123', valid_until: '2026-01-01' } });
    await issue({ ...business, tax_authority_connected: true });
    const reviewed = async () =>
      (await issuing.network.call(reviewDocuments, { business_id: business.id })).unreported_donations;
    const listed = async () => {
      const { documents } = await issuing.network.call(listDocuments, {
        ...{ business_id: business.id, unreported_donation: true, include_cancelled: true },
        ...{ limit: 10, before: null },
      });
      return documents.map(({ document }) => document.id);
    };
    const { total } = first.document.totals;
    expect(await reviewed()).toEqual({ documents: 2, amount: 2 * total });
    expect(await listed()).toEqual([second.document.id, first.document.id]);
    await report(business, first.document.id);
    expect(await reviewed()).toEqual({ documents: 1, amount: total });
    expect(await listed()).toEqual([second.document.id]);
  });

  it('a donation of an institution that was not approved then is not reported now, and other documents have none', async () => {
    const { donation_approval: _approval, ...others } = unconnected();
    const { document } = await issuing.issue(donation, randomUUID(), { business: others });
    expect((await report({ ...unconnected(), id: others.id }, document.id)).donation).toMatchObject({
      status: 'not_required',
      reason: expect.stringContaining('section 46'),
    });
    const quote = await issuing.issue({ type: 'quote' }, randomUUID(), { business: others });
    for (const [business, id] of [
      [others, quote.document.id],
      [unconnected(), document.id],
    ] as const) {
      await expect(report(business, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('RecordDonation', () => {
  const refused: DonationOutcome = { status: 'refused', number: null, reason: '460 refused' };
  const failed: DonationOutcome = { status: 'failed', number: null, reason: 'a person has to correct it' };
  const eventful = () => ({ ...issuing.business, id: randomUUID(), events: true });
  const collected = (events: EventOf<typeof documentEventDue>[], business: Business, count: number) =>
    eventually(`${count} events were published`, () => {
      const own = events.filter((event) => event.business_id === business.id);
      return own.length >= count && own.map(({ type, listed }) => [type, listed.state.donation]);
    });

  it('each outcome of a donation is an event once lists show it, where the business wants events', async () => {
    const events = issuing.network.collect(documentEventDue);
    const business = eventful();
    outcome = null;
    issuing.config.outcomeWaitMs = 100;
    const { document } = await issuing.issue(donation, randomUUID(), { business });
    const changes: DonationOutcome[] = [
      { status: 'pending', number: null, reason: 'no answer' },
      failed,
      refused,
      reported,
      { ...reported, reason: 'The report could not be cancelled: x' },
      { ...reported, status: 'cancelled', reason: 'x' },
    ];
    for (const changed of changes) {
      await settle(document, changed, business);
      await eventually('the change is recorded', async () => {
        const { state } = await issuing.network.call(getDocument, {
          ...{ business_id: business.id, document_id: document.id },
        });
        return isDeepStrictEqual(state.donation, changed);
      });
    }
    // What is late is no event.
    await settle(document, refused, business);
    const other = await issuing.issue(donation, randomUUID(), { business });
    await settle(other.document, reported, business);
    expect(await collected(events, business, 6)).toEqual([
      ['document.issued', expect.objectContaining({ status: 'pending' })],
      ['donation.failed', failed],
      ['donation.refused', refused],
      ['donation.reported', reported],
      ['document.issued', expect.objectContaining({ status: 'pending' })],
      ['donation.reported', reported],
    ]);
  });

  it.each([reported, refused, failed])(
    'the outcome $status that the reply records before its event is handled is one event',
    async (changed) => {
      const events = issuing.network.collect(documentEventDue);
      const business = eventful();
      outcome = changed;
      const { document, state } = await issuing.beforeHandlers(() =>
        issuing.issue(donation, randomUUID(), { business }),
      );
      expect(state.donation).toEqual(changed);
      await issuing.issue({ ...donation, external_ref: 'last' }, randomUUID(), { business });
      expect(await collected(events, business, 4)).toEqual([
        ['document.issued', expect.objectContaining({ status: 'pending' })],
        [`donation.${changed.status}`, changed],
        ['document.issued', expect.objectContaining({ status: 'pending' })],
        [`donation.${changed.status}`, changed],
      ]);
      expect(events.filter(({ listed }) => listed.document.id === document.id)).toHaveLength(2);
    },
  );

  it('a number stays when a failure comes late, and a cancellation stays when a number comes late', async () => {
    const { document } = await issuing.issue(donation);
    await becomes(document.id, reported);
    await settle(document, { status: 'pending', number: null, reason: 'late' });
    const cancelled = { ...reported, status: 'cancelled' as const, reason: 'x' };
    await settle(document, cancelled);
    await becomes(document.id, cancelled);
    await settle(document, reported);
    const other = await issuing.issue(donation);
    await becomes(other.document.id, reported);
    expect((await read(document.id)).donation).toEqual(cancelled);
    expect((await read(document.id)).status).toBe('closed');
  });

  it('every change of a donation is in the trail, and the chain of the receipts stays whole', async () => {
    const { document } = await issuing.issue(donation);
    await becomes(document.id, reported);
    await settle(document, { ...reported, status: 'cancelled', reason: 'x' });
    await becomes(document.id, { ...reported, status: 'cancelled', reason: 'x' });
    const entries = await readTrail(issuing.database, issuing.business.id);
    const states = entries
      .filter(({ action, subject }) => action === 'document.state' && subject === document.id)
      .map(({ after }) => after as { donation_status: string; donation_number: string });
    expect(states.map(({ donation_status }) => donation_status)).toEqual(['reported', 'cancelled']);
    expect(states[0]?.donation_number).toBe(reported.number);
  });

  it('a number that is recorded cannot be changed in the database', async () => {
    const { document } = await issuing.issue(donation);
    await becomes(document.id, reported);
    const change = (value: DonationOutcome | null) =>
      issuing.database.db
        .updateTable('document')
        .set({ donation: value && JSON.stringify(value) })
        .where('id', '=', document.id)
        .execute();
    await expect(change({ ...reported, number: '1' })).rejects.toThrow('cannot be changed');
    await expect(change(null)).rejects.toThrow('cannot be changed');
  });
});

it('numberRequired is not published for a donation', async () => {
  const numbers = issuing.network.collect(numberRequired);
  const { document } = await issuing.issue(donation);
  await becomes(document.id, reported);
  expect(numbers).toEqual([]);
});
