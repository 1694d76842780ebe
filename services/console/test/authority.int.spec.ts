import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  completeConnection,
  endConnection,
  markConnected,
  type ReplyOf,
  type RequestOf,
  startConnection,
  updateBusiness,
} from '@pinkas/contracts';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from './console.js';

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
