import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  listEndpoints,
  type MemberRole,
  type RequestOf,
  serviceNames,
  type TrailEntry,
  trails,
  type WebhookEndpoint,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from '../console.js';
import { address, endpointOf } from './webhook-endpoint.js';

const eventId = `evt_${'0a'.repeat(16)}`;

describe('webhooks in the trail', () => {
  let console: ConsoleUnderTest;
  let endpoints: WebhookEndpoint[];
  let businessId: string;
  let owner: TestPerson;
  let browser: TestBrowser;
  let root: string;
  beforeAll(async () => {
    console = await startConsole();
    console.network.answer(listEndpoints, () => ({ endpoints }));
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    endpoints = [];
    businessId = console.addBusiness().id;
    root = `/b/${businessId}/connection/webhooks`;
    owner = await console.addPerson({ [businessId]: 'owner' });
    browser = await console.signedIn(owner);
  });
  const signedInAs = async (role: MemberRole) =>
    console.signedIn(await console.addPerson({ [businessId]: role }));
  const newEndpoint = () => {
    const endpoint = endpointOf(businessId);
    endpoints.push(endpoint);
    return endpoint;
  };

  let trail: Partial<TrailEntry>[];
  let requested: RequestOf<(typeof trails)['delivery']['listLatestTrailEntries']>[];
  beforeAll(() => {
    for (const name of serviceNames.filter((service) => service !== 'console')) {
      console.network.answer(trails[name].listLatestTrailEntries, (request) => {
        if (name !== 'delivery') {
          return { entries: [], next_before: null };
        }
        requested.push(request);
        const entries = trail.map((entry, index) => ({
          business_id: request.business_id,
          n: trail.length - index,
          at: '2026-06-15T08:00:00.000Z',
          actor: `person:${owner.id}`,
          request_id: null,
          before: null,
          after: null,
          hash: '00'.repeat(32),
          ...entry,
        })) as unknown as TrailEntry[];
        return { entries, next_before: null };
      });
    }
  });
  beforeEach(() => {
    requested = [];
  });
  /** As a person reads it. */
  const read = async (by = browser, path = `/b/${businessId}/trail`) =>
    (await by.get(path)).text.replaceAll(/<[^>]*>|[\u2066-\u2069]/g, ' ').replaceAll(/\s+/g, ' ');

  it('each change of an endpoint has words, and that which the system has made as well', async () => {
    const { id: subject } = newEndpoint();
    trail = [
      {
        action: 'webhook.disable',
        subject,
        actor: 'service:delivery',
        before: { enabled: true },
        after: { enabled: false, reason: 'failing', url: address },
      },
      { action: 'webhook.resend', subject, after: { resent: 3, event_id: null, since: null } },
      { action: 'webhook.rotate', subject, after: { previous_secret_until: '2026-06-16T08:00:00.000Z' } },
      { action: 'webhook.test', subject, after: { event_id: eventId } },
      { action: 'webhook.enable', subject, before: { enabled: false }, after: { enabled: true } },
      { action: 'webhook.create', subject, after: { url: address, types: ['document.issued'] } },
      { action: 'webhook.remove', subject: randomUUID(), before: { url: 'https://old.example.com/' } },
    ];
    const text = await read();
    for (const shown of [
      `A webhook endpoint was disabled ${address}`,
      'Reason: Every attempt failed for five days',
      'the system',
      'Events were sent to a webhook endpoint again',
      'Events sent: 3',
      'A webhook endpoint was given a new secret',
      'A test was sent to a webhook endpoint',
      'A webhook endpoint was enabled',
      'Events: A document was issued',
      'A webhook endpoint was removed',
      'https://old.example.com/',
      owner.email,
    ]) {
      expect(text).toContain(shown);
    }
    const hrefs = [`href="${root}/${subject}"`, (await browser.get(`/b/${businessId}/trail`)).text] as const;
    expect(hrefs[1]).toContain(hrefs[0]);
    // Who may not open it gets no link.
    const bookkeeper = await signedInAs('bookkeeper');
    const seen = await read(bookkeeper);
    const table = (await bookkeeper.get(`/b/${businessId}/trail/csv`)).text;
    expect((await bookkeeper.get(`/b/${businessId}/trail`)).text).not.toContain(hrefs[0]);
    // An address often has a token.
    for (const shown of [seen, table]) {
      expect(shown).toContain(new URL(address).host);
      expect(shown).toContain('old.example.com');
      expect(shown).not.toContain(address);
      expect(shown).not.toContain('https://old');
    }
  });

  it('the trail of the test book is that of its own', async () => {
    trail = [];
    await read(browser, `/t/${businessId}/trail`);
    await read();
    expect(requested.map(({ business_id }) => business_id)).toEqual([testBookOf(businessId), businessId]);
  });

  it('the trail is filtered by webhooks, and by what the system has done', async () => {
    trail = [];
    await read(browser, `/b/${businessId}/trail?kind=webhooks&actor=service:delivery`);
    expect(requested).toMatchObject([
      { actor: 'service:delivery', actions: expect.arrayContaining(['webhook.create', 'webhook.disable']) },
    ]);
  });
});
