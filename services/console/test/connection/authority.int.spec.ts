import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  cancelDonation,
  completeConnection,
  type DonationOutcome,
  endConnection,
  getDocument,
  listArtifacts,
  listDocuments,
  listMessages,
  type MemberRole,
  markConnected,
  type ReplyOf,
  type RequestOf,
  reportDonation,
  showAllocation,
  startConnection,
  updateBusiness,
} from '@pinkas/contracts';
import { exampleDocument } from '@pinkas/testkit';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from '../console.js';

describe('the connection to the tax authority in the console', () => {
  let console: ConsoleUnderTest;
  let id: string;
  let owner: TestPerson;
  let browser: TestBrowser;
  let outcome: ReplyOf<typeof completeConnection>['outcome'];
  /** Whether the connection is still there when it is marked. */
  let connected: boolean;
  let calls: [string, object][];
  beforeAll(async () => {
    console = await startConsole();
    console.network.answer(startConnection, (request) => {
      calls.push(['start', request]);
      const now = console.clock.now.toISOString();
      return { authorize_url: 'https://authority.example.com/a', requested_at: now, expires_at: now };
    });
    console.network.answer(completeConnection, (request: RequestOf<typeof completeConnection>) => {
      calls.push(['complete', request]);
      const isKnown = outcome === 'connected' || outcome === 'failed';
      return { outcome, business_id: isKnown ? id : null, reason: null };
    });
    console.network.answer(markConnected, (request) => {
      calls.push(['mark', request]);
      return { connected };
    });
    console.network.answer(endConnection, (request) => {
      calls.push(['end', request]);
      return { ended: true };
    });
    console.network.answer(updateBusiness, (request) => {
      calls.push(['update', request.change]);
      return { business: console.addBusiness({ id: request.business_id }) };
    });
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    calls = [];
    outcome = 'connected';
    connected = true;
    ({ id } = console.addBusiness());
    owner = await console.addPerson({ [id]: 'owner' });
    browser = await console.signedIn(owner);
  });
  const returned = (visitor: TestBrowser, query = '?code=c%2F1&state=s') =>
    visitor.get(`/authority/connected/${id}${query}`);

  it('a connection is started in the name of the person, with the page of the console that completes it', async () => {
    const person = { person: 'Demo Person' };
    expect((await browser.post(`/b/${id}/authority/connect`, person)).status).toBe(200);
    const { location } = await returned(browser);
    expect(location).toBe(`/b/${id}/authority`);
    expect(calls).toEqual([
      [
        'start',
        {
          business_id: id,
          person_id: owner.id,
          return_url: `${console.config.consoleUrl}/authority/connected/${id}`,
          user_name: 'Demo Person',
        },
      ],
      ['complete', { business_id: id, person_id: owner.id, state: 's', code: 'c/1' }],
      ['mark', { business_id: id, person_id: owner.id }],
    ]);
  });

  it('a browser in which no owner of the business is signed in completes nothing, and learns why', async () => {
    const bookkeeper = await console.signedIn(await console.addPerson({ [id]: 'bookkeeper' }));
    const stranger = await console.signedIn(await console.addPerson({ [console.addBusiness().id]: 'owner' }));
    for (const visitor of [console.browser(), bookkeeper, stranger]) {
      const page = await returned(visitor);
      expect(page.status).toBe(403);
      expect(page.text).toContain('Only the person who began a connection completes it');
    }
    expect(calls).toEqual([]);
  });

  it('an owner who did not begin the connection completes nothing', async () => {
    outcome = 'other_person';
    const page = await returned(browser);
    expect(page.status).toBe(403);
    expect(page.text).toContain('If somebody sent you the link, do not agree');
    expect(calls.map(([name]) => name)).toEqual(['complete']);
  });

  it.each(['?code=c&state=used', '?code=c', `?state=${'s'.repeat(300)}`])(
    'a return with %s that fits no request asks to begin again',
    async (query) => {
      outcome = 'stale';
      const page = await returned(browser, query);
      expect(page.status).toBe(410);
      expect(page.text).toContain('Please begin the connection again');
    },
  );

  it('a connection that failed is not marked', async () => {
    outcome = 'failed';
    expect((await returned(browser, '?error=access_denied&state=s')).location).toBe(`/b/${id}/authority`);
    expect(calls).toEqual([['complete', { business_id: id, person_id: owner.id, state: 's', code: null }]]);
  });

  it('a disconnection clears the setting before and after it ends the connection', async () => {
    const off = ['update', { tax_authority_connected: false }];
    await browser.post(`/b/${id}/authority/disconnect`);
    expect(calls).toEqual([off, ['end', { business_id: id, person_id: owner.id }], off]);
  });
});

const institution = {
  legal_type: 'amuta' as const,
  tax_authority_connected: true,
  donation_approval: { number: '46-123', valid_until: null },
};

describe('the report of a donation in the console', () => {
  let console: ConsoleUnderTest;
  let donation: DonationOutcome;
  let cancelled: RequestOf<typeof cancelDonation>[];
  let state: 'cancelled' | 'pending';
  let document: ReturnType<typeof exampleDocument>;
  let at: string;
  beforeAll(async () => {
    console = await startConsole();
    console.network.answer(getDocument, () => ({
      document,
      state: { status: 'closed' as const, paid: 100, allocation_number: null, cancelled_at: null, donation },
    }));
    console.network.answer(showAllocation, () => ({
      allocation: null,
      attempts: [],
      next_after_attempt: null,
    }));
    console.network.answer(listArtifacts, () => ({ revisions: [] }));
    console.network.answer(listMessages, () => ({ messages: [] }));
    console.network.answer(listDocuments, () => ({ documents: [], next_before: null }));
    console.network.answer(cancelDonation, (request) => {
      cancelled.push(request);
      return {
        document_id: document.id,
        business_id: document.business_id,
        document_number: document.number,
        state,
        number: null,
        reason: null,
        refusal_codes: [],
        attempts: 1,
        next_attempt_at: null,
        decided_at: '2026-06-15T08:00:00.000Z',
        cancellation: { requested_at: '2026-06-15T08:00:00.000Z', reason: request.reason },
        reports: [],
      };
    });
  });
  afterAll(() => console.stop());
  beforeEach(() => {
    const business = console.addBusiness(institution);
    document = exampleDocument({ business_id: business.id, type: 'donation_receipt', due_date: null });
    donation = { status: 'reported', number: '405123', reason: null };
    state = 'cancelled';
    cancelled = [];
    at = `/b/${business.id}/documents/${document.id}`;
  });
  const signedIn = async (role: MemberRole) => {
    const person = await console.addPerson({ [document.business_id]: role });
    return { person, browser: await console.signedIn(person) };
  };

  it('an owner cancels a report with a reason, and reads that it is cancelled', async () => {
    const { person, browser } = await signedIn('owner');
    expect((await browser.get(at)).text).toContain(`href="${at}/cancel-donation"`);
    expect((await browser.get(`${at}/cancel-donation`)).text).toContain('All that was reported');
    const reply = await browser.post(`${at}/cancel-donation`, { reason: ' Returned. ' });
    const { business_id } = document;
    expect(cancelled).toEqual([
      { business_id, document_id: document.id, reason: 'Returned.', person_id: person.id },
    ]);
    expect((await browser.open(reply.location ?? '')).text).toContain(
      'The report of the donation is cancelled.',
    );
  });

  it('a cancellation that the authority has not taken yet says so', async () => {
    state = 'pending';
    const { browser } = await signedIn('owner');
    const reply = await browser.post(`${at}/cancel-donation`, { reason: 'Returned.' });
    expect((await browser.open(reply.location ?? '')).text).toContain('has not taken it yet');
  });

  it('an owner cancels nothing without a reason', async () => {
    const { browser } = await signedIn('owner');
    const { status, text } = await browser.post(`${at}/cancel-donation`, { reason: '  ' });
    expect([status, cancelled]).toEqual([422, []]);
    expect(text).toContain('A reason is needed.');
  });

  it.each(['issuer', 'bookkeeper'] as const)('%s sees the report, and cannot cancel it', async (role) => {
    const { browser } = await signedIn(role);
    const { text } = await browser.get(at);
    expect(text).toContain('405123');
    expect(text).not.toContain('cancel-donation');
    expect((await browser.post(`${at}/cancel-donation`, { reason: 'Returned.' })).status).toBe(403);
    expect(cancelled).toEqual([]);
  });

  it('an owner confirms the report of a donation whose institution is connected since its receipt was issued', async () => {
    donation = { status: 'not_required', number: null, reason: 'The business is not connected.' };
    const reported: RequestOf<typeof reportDonation>[] = [];
    console.network.answer(reportDonation, (request) => {
      reported.push(request);
      return { donation: { status: 'pending' as const, number: null, reason: 'It goes on.' } };
    });
    const { business_id } = document;
    const unconnected = console.addBusiness({ ...institution, tax_authority_connected: false });
    document = { ...document, business_id: unconnected.id };
    const { browser: early } = await signedIn('owner');
    const { text } = await early.get(`/b/${unconnected.id}/documents/${document.id}`);
    expect(text).not.toContain('report-donation');
    document = { ...document, business_id };
    const { browser: issuer } = await signedIn('issuer');
    expect((await issuer.get(at)).text).not.toContain('report-donation');
    expect((await issuer.post(`${at}/report-donation`)).status).toBe(403);
    expect(reported).toEqual([]);
    const { person, browser } = await signedIn('owner');
    expect((await browser.get(at)).text).toContain(`href="${at}/report-donation"`);
    const confirming = (await browser.get(`${at}/report-donation`)).text;
    expect(confirming).toContain('two reports are two donations');
    expect(confirming).toContain(`action="${at}/report-donation"`);
    const reply = await browser.post(`${at}/report-donation`);
    expect(reported).toMatchObject([
      { business: { id: business_id }, document_id: document.id, person_id: person.id },
    ]);
    expect((await browser.open(reply.location ?? '')).text).toContain('The donation is being reported');
  });

  it.each(['not_required', 'cancelled'] as const)(
    'a report that is %s cannot be cancelled',
    async (status) => {
      donation = { status, number: null, reason: 'So it is.' };
      const { browser } = await signedIn('owner');
      const { text } = await browser.get(at);
      expect(text).toContain('So it is.');
      expect(text).not.toContain('cancel-donation');
      expect((await browser.get(`${at}/cancel-donation`)).location).toBe(at);
    },
  );
});
