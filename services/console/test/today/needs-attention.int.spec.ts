import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Allocation,
  type FailedMessage,
  listDeliveryFailures,
  listDocuments,
  listSuppressions,
  listUnresolvedAllocations,
  type ReplyOf,
  reviewDocuments,
  type Suppression,
} from '@pinkas/contracts';
import { exampleDocument } from '@pinkas/testkit';
import { textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';

const invoice = exampleDocument();
const { items: _items, prices_include_vat: _basis, discount: _discount, ...document } = invoice;
const { payments: _payments, title: _title, notes: _notes, send: _send, ...head } = document;
/** What a list has of a document. */
const listed = {
  document: head,
  state: { status: 'open', paid: 0, allocation_number: null, cancelled_at: null },
  allocation: { status: 'not_required', number: null, reason: null },
  delivery: { status: 'disabled', channel: null, scheduled_for: null },
} as const;

describe('what needs attention', () => {
  let console: ConsoleUnderTest;
  let owner: TestBrowser;
  let at: string;
  let businessId: string;
  let failures: FailedMessage[];
  let suppressions: Suppression[];
  let refused: Allocation[];
  let review: ReplyOf<typeof reviewDocuments>;
  beforeAll(async () => {
    console = await startConsole();
    const { network } = console;
    network.answer(listDeliveryFailures, () => ({ failures, next_after: null }));
    network.answer(listSuppressions, () => ({ suppressions, next_after: null }));
    network.answer(reviewDocuments, () => review);
    network.answer(listUnresolvedAllocations, () => ({ allocations: refused, next_before: null }));
    network.answer(listDocuments, () => ({ documents: [listed], next_before: null }));
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    ({ id: businessId } = console.addBusiness({ tax_authority_connected: false }));
    at = `/b/${businessId}`;
    [failures, suppressions, refused, review] = [[], [], [], { notes: [] }];
    owner = await console.signedIn(await console.addPerson({ [businessId]: 'owner' }));
  });
  const read = async (path: string) => textOf((await owner.get(`${at}${path}`)).text);

  const failure = (given: Partial<FailedMessage> = {}): FailedMessage => ({
    ...{ delivery_id: randomUUID(), business_id: businessId, document_id: head.id },
    ...{ document_type: 'tax_invoice', document_number: 17, channel: 'email', purpose: 'customer' },
    ...{ recipient: 'a@example.com', suppressed_address: null, reason: 'mailbox full', attempts: 3 },
    failed_at: '2026-06-14T08:00:00.000Z',
    ...given,
  });
  /** The keys of the rows that have a button to dismiss them, in their order. */
  const formsOf = async (visitor: TestBrowser) =>
    [...(await visitor.get(at)).text.matchAll(/<form[^>]*\/attention\/dismiss"[\s\S]*?<\/form>/g)].map(
      ([form]) => [...form.matchAll(/name="row" value="([^"]*)"/g)].map(([, key = '']) => key),
    );
  const trailOf = (businessId: string) =>
    console.database.db
      .selectFrom('audit_entry')
      .select(['action', 'subject', 'actor'])
      .where('business_id', '=', businessId)
      .where('action', 'like', '%.dismiss')
      .orderBy('n')
      .execute();

  it('a failed message is dismissed for good by an issuer, with an entry in the trail, until it fails again', async () => {
    const issuerId = await console.addPerson({ [businessId]: 'issuer' });
    const [issuer, reader] = [
      await console.signedIn(issuerId),
      await console.signedIn(await console.addPerson({ [businessId]: 'bookkeeper' })),
    ];
    const other = failure({ recipient: 'b@example.com' });
    failures = [failure(), other];
    const [[key = ''] = [], [otherKey] = []] = await formsOf(issuer);
    expect(await formsOf(reader)).toEqual([]);
    expect((await reader.post(`${at}/attention/dismiss`, { row: key })).status).toBe(403);
    expect((await issuer.post(`${at}/attention/dismiss`, { row: key })).location).toBe(`${at}/`);
    expect(await read('')).not.toContain('a@example.com');
    expect(await formsOf(owner)).toEqual([[otherKey]]);
    // A page from before: nothing is recorded twice.
    await owner.post(`${at}/attention/dismiss`, { row: key });
    expect(await trailOf(businessId)).toEqual([
      { action: 'message.dismiss', subject: head.id, actor: `person:${issuerId.id}` },
    ]);
    failures = [
      { ...other },
      failure({ delivery_id: failures[0]?.delivery_id ?? '', failed_at: '2026-06-15T08:00:00.000Z' }),
    ];
    expect(await read('')).toContain('a@example.com');
  });

  it('messages to one address are dismissed all at once', async () => {
    failures = [failure(), failure(), failure({ recipient: 'b@example.com' })];
    const [all = []] = await formsOf(owner).then((forms) => forms.filter((keys) => keys.length === 2));
    expect(all).toHaveLength(2);
    await owner.post(`${at}/attention/dismiss`, { row: all });
    expect(await formsOf(owner)).toHaveLength(1);
    expect(await trailOf(businessId)).toHaveLength(2);
  });

  it('a blocked address and documents to check are dismissed, and the latter come back with another sum', async () => {
    const since = '2026-06-01T08:00:00.000Z';
    suppressions = [
      {
        business_id: businessId,
        channel: 'email',
        address: 'c@example.com',
        reason: 'blocked',
        detail: null,
        since,
      },
    ];
    review = { notes: [{ note: 'overpaid', documents: 1, amount: 10 }] };
    for (const [key = ''] of await formsOf(owner)) {
      await owner.post(`${at}/attention/dismiss`, { row: key });
    }
    expect(await read('')).not.toContain('Needs attention');
    expect((await trailOf(businessId)).map(({ subject }) => subject)).toEqual(['overpaid', 'c@example.com']);
    review = { notes: [{ note: 'overpaid', documents: 1, amount: 20 }] };
    expect(await read('')).toContain('Needs attention 1');
  });

  it('a note that was dismissed comes back about other documents, although count and sum are the same', async () => {
    const note = { note: 'partly_paid', documents: 1, amount: 180 } as const;
    review = { notes: [{ ...note, documents_sha256: 'a'.repeat(64) }] };
    const [[key = ''] = []] = await formsOf(owner);
    await owner.post(`${at}/attention/dismiss`, { row: key });
    expect(await read('')).not.toContain('Needs attention');
    review = { notes: [{ ...note, documents_sha256: 'b'.repeat(64) }] };
    expect(await read('')).toContain('Needs attention 1');
  });

  it('a row of what the law asks for is not dismissed', async () => {
    refused = [
      {
        ...{ document_id: head.id, state: 'refused', number: null, reason: 'Not valid.', attempts: 1 },
        ...{ refusal_codes: ['460'], first_attempt_at: null, next_attempt_at: null },
        decided_at: '2026-06-14T08:00:00.000Z',
      },
    ];
    review = {
      notes: [{ note: 'number_missing', documents: 1, amount: 1_080 }],
      without_buyer_id: { documents: 1, from: '2026-05-01' },
      unreported_donations: { documents: 1, amount: 100 },
    };
    expect(await read('')).toContain('Needs attention 4');
    expect(await formsOf(owner)).toEqual([]);
    const { location } = await owner.post(`${at}/attention/dismiss`, { row: 'unknown' });
    expect(textOf((await owner.get(location ?? '')).text)).toContain('Nothing was dismissed');
    expect(await trailOf(businessId)).toEqual([]);
  });
});
