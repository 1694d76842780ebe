import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Allocation,
  type DecisionView,
  type DocumentState,
  decideRefusal,
  enterAllocationNumber,
  getDocument,
  getDocumentFacts,
  type IssuedDocument,
  listArtifacts,
  listDocuments,
  listMessages,
  type MemberRole,
  type ReplyOf,
  type RequestOf,
  requestAllocationNumber,
  showAllocation,
} from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { exampleDocument } from '@pinkas/testkit';
import { textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole } from '../console.js';

const artifact_sha256 = 'ab'.repeat(32);
const today = dayInIsrael(new Date());

describe('the allocation number of a document in the console', () => {
  let console: ConsoleUnderTest;
  let document: IssuedDocument;
  let state: DocumentState;
  let allocation: Allocation | null;
  let at: string;
  let entry: Partial<ReplyOf<typeof enterAllocationNumber>>;
  let entered: RequestOf<typeof enterAllocationNumber>[];
  let requested: RequestOf<typeof requestAllocationNumber>[];
  let decided: RequestOf<typeof decideRefusal>[];
  let decision: Partial<DecisionView>;
  let refusalOfDecision: ReplyOf<typeof decideRefusal>['refusal'];
  let requestReply: Partial<ReplyOf<typeof requestAllocationNumber>>;
  beforeAll(async () => {
    console = await startConsole();
    const { network } = console;
    network.answer(getDocument, () => ({ document, state, allocation: null }));
    network.answer(getDocumentFacts, () => {
      const business = console.businesses.get(document.business_id) ?? console.addBusiness();
      return { document, state, business: { ...business, tax_authority_connected: false }, artifact_sha256 };
    });
    network.answer(showAllocation, () => ({ allocation, attempts: [], next_after_attempt: null }));
    network.answer(listArtifacts, () => ({ revisions: [] }));
    network.answer(listMessages, () => ({ messages: [] }));
    network.answer(listDocuments, () => ({ documents: [], next_before: null }));
    const key = () => ({ business_id: document.business_id, document_id: document.id });
    network.answer(enterAllocationNumber, (request) => {
      entered.push(request);
      return { ...key(), number: request.entered, refusal: null, ...entry };
    });
    network.answer(requestAllocationNumber, (request) => {
      requested.push(request);
      return {
        ...key(),
        number: '123456789',
        refusal: null,
        reason: null,
        next_attempt_at: null,
        ...requestReply,
      };
    });
    network.answer(decideRefusal, (request) => {
      decided.push(request);
      return {
        ...key(),
        refusal: refusalOfDecision,
        last: decisionOf({ decision: request.decision, ...decision }),
      };
    });
  });
  afterAll(() => console.stop());
  beforeEach(() => {
    const business = console.addBusiness({ tax_authority_connected: true });
    document = exampleDocument({ business_id: business.id, date: today });
    state = { status: 'open', paid: 0, allocation_number: null, cancelled_at: null };
    allocation = null;
    at = `/b/${business.id}/documents/${document.id}`;
    [entry, requestReply, decision, refusalOfDecision] = [{}, {}, {}, null];
    [entered, requested, decided] = [[], [], []];
  });
  const signedIn = async (role: MemberRole) => {
    const person = await console.addPerson({ [document.business_id]: role });
    return { person, browser: await console.signedIn(person) };
  };
  const decisionOf = (change: Partial<DecisionView>): DecisionView => ({
    n: 1,
    decision: 'continue',
    state: 'taken',
    decided_at: '2026-11-26T08:00:00.000Z',
    actor: 'operator',
    ended_at: null,
    reason: null,
    next_attempt_at: null,
    ...change,
  });
  /** The authority has refused the number, on a Thursday. */
  const refuse = (last?: Partial<DecisionView>) => {
    const taken = last && decisionOf(last);
    state = { ...state, refusal: { decision: taken?.state === 'taken' ? taken.decision : null } };
    allocation = {
      document_id: document.id,
      state: 'refused',
      number: null,
      reason: 'refused: 460 no',
      refusal_codes: ['460'],
      attempts: 1,
      first_attempt_at: null,
      next_attempt_at: null,
      decided_at: '2026-11-26T08:00:00.000Z',
      refused_at: '2026-11-26T08:00:00.000Z',
      ...(taken && { decision: taken }),
    };
  };

  it('an owner types a number in after a page that says what happens', async () => {
    const { person, browser } = await signedIn('owner');
    expect((await browser.get(at)).text).toContain(`href="${at}/number"`);
    expect(textOf((await browser.get(`${at}/number`)).text)).toContain('It cannot be changed afterwards.');
    const reply = await browser.post(`${at}/number`, { number: ' 123456789 ' });
    expect(entered).toMatchObject([
      {
        document: { id: document.id },
        // As it is now, and not as it was at issue.
        business: { tax_authority_connected: true },
        entered: '123456789',
        person_id: person.id,
      },
    ]);
    expect((await browser.open(reply.location ?? '')).text).toContain('The allocation number is saved.');
  });

  it.each([
    ['form', { refusal: 'form' }, 'Type nine digits'],
    [
      'has_number',
      { refusal: 'has_number', number: '987654321' },
      'has an allocation number already: 987654321',
    ],
    [
      'of_other',
      { refusal: 'of_other', other: { document_id: randomUUID(), document_number: 77 } },
      'that of another document: 77',
    ],
    ['age', { refusal: 'age' }, 'more than a year old'],
    ['no_vat', { refusal: 'no_vat' }, 'no VAT'],
  ] as const)('a number that is refused as %s is shown with the reason', async (_refusal, reply, reason) => {
    entry = reply;
    const { browser } = await signedIn('owner');
    const { status, text } = await browser.post(`${at}/number`, { number: '12345678' });
    expect(status).toBe(422);
    expect(textOf(text)).toContain(reason);
    expect(text).toContain('value="12345678"');
  });

  it.each([
    ['a credit note', { type: 'credit_note' }, 'Only a tax invoice'],
    ['a quote', { type: 'quote' }, 'Only a tax invoice'],
    ['an invoice of two years ago', { date: '2024-06-01' }, 'more than a year old'],
  ] as const)('%s has no act for a number, and its page says why', async (_what, change, reason) => {
    document = { ...document, ...change };
    const { browser } = await signedIn('owner');
    expect((await browser.get(at)).text).not.toContain(`${at}/number`);
    const { status, text } = await browser.get(`${at}/number`);
    expect(status).toBe(409);
    expect(textOf(text)).toContain(reason);
  });

  it('an issuer requests a number that is not needed, and types none in', async () => {
    const { person, browser } = await signedIn('issuer');
    const { text } = await browser.get(at);
    expect(text).toContain(`action="${at}/request-number"`);
    expect(text).not.toContain(`${at}/number"`);
    const reply = await browser.post(`${at}/request-number`);
    expect(requested).toMatchObject([{ document: { id: document.id }, person_id: person.id }]);
    expect((await browser.open(reply.location ?? '')).text).toContain(
      'The number of the tax authority arrived.',
    );
    requestReply = { refusal: 'not_connected', number: null };
    const refused = await browser.post(`${at}/request-number`);
    expect((await browser.open(refused.location ?? '')).text).toContain('connect it first');
    expect((await browser.post(`${at}/number`, { number: '123456789' })).status).toBe(403);
  });

  it('a refused invoice looks refused, and offers its ways with their deadlines', async () => {
    refuse();
    const { browser } = await signedIn('owner');
    const { text } = await browser.get(at);
    const shown = textOf(text);
    expect(shown).toContain('Number refused');
    expect(shown).toContain(
      'The tax authority refused an allocation number for this invoice. Its buyer cannot deduct',
    );
    expect(shown).toContain('Allocation number refused by the tax authority');
    expect(shown).toContain('refused: 460 no');
    expect(shown).toContain('30 Nov 2026 for a hearing, 26 Dec 2026 for an objection');
    for (const way of ['continue', 'cancel', 'object']) {
      expect(text).toContain(`href="${at}/refusal/${way}"`);
    }
    expect(text).not.toContain('refusal/reverse_charge');
    // It is answered with 461 until something is decided.
    expect(text).not.toContain(`action="${at}/allocation"`);
  });

  it.each(['continue', 'object'] as const)(
    'an owner decides to %s after a page that says what it does',
    async (way) => {
      refuse();
      const { person, browser } = await signedIn('owner');
      expect(textOf((await browser.get(`${at}/refusal/${way}`)).text)).toContain('It cannot be undone');
      const reply = await browser.post(`${at}/refusal/${way}`);
      expect(decided).toEqual([
        { business_id: document.business_id, document_id: document.id, decision: way, person_id: person.id },
      ]);
      expect((await browser.open(reply.location ?? '')).text).toContain('has taken the decision');
    },
  );

  it('the decision to cancel leads to the credit note, which the document asks for until it is issued', async () => {
    refuse();
    const { browser } = await signedIn('owner');
    expect((await browser.post(`${at}/refusal/cancel`)).location).toBe(`${at}/credit`);
    refuse({ decision: 'cancel' });
    const { text } = await browser.get(at);
    expect(textOf(text)).toContain('a credit note for the whole invoice has to be issued');
    expect(text).not.toContain('/refusal/');
    state = { ...state, credited: document.totals.total };
    expect(textOf((await browser.get(at)).text)).not.toContain('Issue the credit note…');
  });

  it('a decision that the authority has not confirmed yet is shown, and can be sent again', async () => {
    refuse({ state: 'pending', reason: 'No answer.' });
    const { browser } = await signedIn('owner');
    const { text } = await browser.get(at);
    expect(textOf(text)).toContain('has not confirmed it yet');
    expect(text).toContain(`action="${at}/refusal/continue"`);
    expect(text).not.toContain(`href="${at}/refusal/`);
    decision = { state: 'pending' };
    const reply = await browser.post(`${at}/refusal/continue`);
    expect((await browser.open(reply.location ?? '')).text).toContain('the system sends it again');
  });

  it('the number is requested again after an objection, and an objection may follow an invoice that went on', async () => {
    const { browser } = await signedIn('owner');
    refuse({ decision: 'object' });
    expect((await browser.get(at)).text).toContain(`action="${at}/allocation"`);
    refuse({ decision: 'continue' });
    const { text } = await browser.get(at);
    expect(text).toContain(`href="${at}/refusal/object"`);
    expect(text).not.toContain('refusal/cancel');
  });

  it('a decision about a document that was not refused is a clear refusal, and so is one that is not offered', async () => {
    const { browser } = await signedIn('owner');
    const { status, text } = await browser.get(`${at}/refusal/continue`);
    expect([status, textOf(text)]).toEqual([409, expect.stringContaining('there is nothing to decide')]);
    refuse();
    expect((await browser.get(`${at}/refusal/reverse_charge`)).status).toBe(409);
    expect((await browser.get(`${at}/refusal/x`)).status).toBe(404);
    // Another person has decided otherwise since the page was read.
    refuse({ decision: 'cancel' });
    expect((await browser.get(`${at}/refusal/continue`)).status).toBe(409);
    for (const [refusal, reason] of [
      ['decided', 'decided otherwise'],
      ['not_refused', 'there is nothing to decide'],
    ] as const) {
      refusalOfDecision = refusal;
      const reply = await browser.post(`${at}/refusal/continue`);
      expect([reply.status, textOf(reply.text)]).toEqual([409, expect.stringContaining(reason)]);
    }
  });

  it.each(['issuer', 'bookkeeper'] as const)('%s sees the refusal and decides nothing', async (role) => {
    refuse();
    const { browser } = await signedIn(role);
    const { text } = await browser.get(at);
    expect(textOf(text)).toContain('Only owners of the business can decide.');
    expect(text).not.toContain('/refusal/');
    expect((await browser.post(`${at}/refusal/continue`)).status).toBe(403);
    expect(decided).toEqual([]);
  });
});
