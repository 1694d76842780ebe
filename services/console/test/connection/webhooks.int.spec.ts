import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createEndpoint,
  eventTypes,
  listEndpoints,
  listKeys,
  listWebhookAttempts,
  type MemberRole,
  removeEndpoint,
  resendWebhooks,
  rotateEndpointSecret,
  setEndpointEnabled,
  showEndpoint,
  testEndpoint,
  type WebhookAttempt,
  type WebhookEndpoint,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import { fieldsIn } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from '../console.js';
import { address, endpointOf } from './webhook-endpoint.js';

const secret = `whsec_${'A'.repeat(43)}=`;
const eventId = `evt_${'0a'.repeat(16)}`;
const choosable = eventTypes.filter((type) => type !== 'endpoint.test');

describe('webhooks in the console', () => {
  let console: ConsoleUnderTest;
  /** What delivery knows. */
  let endpoints: WebhookEndpoint[];
  let attempts: WebhookAttempt[];
  /** What delivery was asked to do, in this order. */
  let acts: { readonly name: string; readonly request: object }[];
  let resends: { readonly resent: number; readonly next_after: number | null }[];
  let businessId: string;
  let owner: TestPerson;
  let browser: TestBrowser;
  let root: string;

  const find = ({ endpoint_id, business_id }: { endpoint_id: string; business_id?: string }) => {
    const endpoint = endpoints.find((item) => item.id === endpoint_id && item.business_id === business_id);
    if (!endpoint) {
      throw new ApiError('not_found');
    }
    return endpoint;
  };
  const change = (endpoint: WebhookEndpoint, fields: Partial<WebhookEndpoint>) => {
    const changed = { ...endpoint, ...fields };
    endpoints = endpoints.map((item) => (item.id === endpoint.id ? changed : item));
    return changed;
  };
  const newEndpoint = (fields: Partial<WebhookEndpoint> = {}): WebhookEndpoint => {
    const endpoint = endpointOf(businessId, fields);
    endpoints.push(endpoint);
    return endpoint;
  };
  const newAttempt = (fields: Partial<WebhookAttempt> = {}): WebhookAttempt => ({
    event_id: eventId,
    type: 'document.issued',
    n: 1,
    started_at: '2026-06-15T08:00:00.000Z',
    duration_ms: 1_234,
    received: false,
    status: 500,
    reason: 'status 500: <b>broken</b>',
    request: `{"id":"${eventId}"}`,
    response: '<b>broken</b>',
    next_attempt_at: '2026-06-15T08:00:05.000Z',
    ...fields,
  });
  const invalid = (path: string) => ApiError.invalid([{ path, message: 'must lead to a public address' }]);

  beforeAll(async () => {
    console = await startConsole();
    const { network } = console;
    const note = (name: string, request: object) => acts.push({ name, request });
    network.answer(listEndpoints, ({ business_id }) => ({
      endpoints: endpoints.filter((item) => item.business_id === business_id),
    }));
    network.answer(showEndpoint, (request) => ({ endpoint: find(request) }));
    network.answer(createEndpoint, (request) => {
      note('create', request);
      if (request.url.includes('127.0.0.1')) {
        throw invalid('/url');
      }
      if (endpoints.length >= 10) {
        throw invalid('');
      }
      const { person_id: _, types = null, description = null, ...rest } = request;
      return { endpoint: newEndpoint({ ...rest, types, description }), secret };
    });
    network.answer(rotateEndpointSecret, (request) => {
      note('rotate', request);
      const previous_secret_until = '2026-06-16T08:00:10.000Z';
      return { endpoint: change(find(request), { previous_secret_until }), secret };
    });
    network.answer(setEndpointEnabled, (request) => {
      note('set_enabled', request);
      const { enabled } = request;
      return {
        endpoint: change(find(request), { enabled, disabled_reason: enabled ? null : 'owner' }),
      };
    });
    network.answer(removeEndpoint, (request) => {
      note('remove', request);
      const endpoint = find(request);
      endpoints = endpoints.filter((item) => item !== endpoint);
      return { endpoint };
    });
    const refuseDisabled = (request: Parameters<typeof find>[0]) => {
      if (!find(request).enabled) {
        throw invalid('');
      }
    };
    network.answer(testEndpoint, (request) => {
      note('test', request);
      refuseDisabled(request);
      return { event_id: eventId };
    });
    network.answer(resendWebhooks, (request) => {
      note('resend', request);
      refuseDisabled(request);
      return resends.shift() ?? { resent: 0, next_after: null };
    });
    network.answer(listWebhookAttempts, (request) => {
      find(request);
      const from = request.after ? attempts.findIndex((item) => item.n === request.after?.n) + 1 : 0;
      const shown = attempts.slice(from, from + request.limit);
      const last = shown.at(-1);
      const more = last && attempts.length > from + request.limit;
      return {
        attempts: shown,
        next_after: more ? { started_at: last.started_at, event_id: last.event_id, n: last.n } : null,
      };
    });
    network.answer(listKeys, () => ({ keys: [] }));
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    endpoints = [];
    attempts = [];
    acts = [];
    resends = [];
    businessId = console.addBusiness().id;
    root = `/b/${businessId}/connection/webhooks`;
    owner = await console.addPerson({ [businessId]: 'owner' });
    browser = await console.signedIn(owner);
  });
  const signedInAs = async (role: MemberRole) =>
    console.signedIn(await console.addPerson({ [businessId]: role }));
  /** The page that a form leads to. */
  const after = async (path: string, fields: Record<string, string> = {}) => {
    const reply = await browser.post(path, fields);
    expect([path, reply.status]).toEqual([path, 303]);
    return (await browser.open(reply.location ?? '')).text;
  };

  it('the connection settings lead an owner to the endpoints, and no one else, and a developer to the packages of the system', async () => {
    const at = `/b/${businessId}/connection`;
    const { text } = await browser.get(at);
    expect(text).toContain(`href="${root}"`);
    expect(text.replaceAll('<wbr>', '')).toContain('npm install https://api.example.com/client.tgz');
    expect(text.replaceAll('<wbr>', '')).toContain('npx -y -p https://api.example.com/mcp.tgz pinkas-mcp');
    const bookkeeper = await signedInAs('bookkeeper');
    expect((await bookkeeper.get(at)).text).not.toContain(`href="${root}"`);
  });

  it('the list has state, types, last success and last failure of the endpoints of its own book', async () => {
    newEndpoint({
      description: 'Demo shop',
      types: ['document.issued', 'delivery.failed'],
      failing_since: '2026-06-14T08:00:00.000Z',
      last_received_at: '2026-06-13T08:00:00.000Z',
      last_failure: { at: '2026-06-15T07:00:00.000Z', reason: 'status 503' },
      pending: 1_000,
    });
    newEndpoint({ url: 'https://gone.example.com/', enabled: false, disabled_reason: 'gone' });
    newEndpoint({ url: 'https://test.example.com/', business_id: testBookOf(businessId) });
    const live = (await browser.get(root)).text;
    for (const shown of [
      address,
      'Demo shop',
      'Failing',
      'A document was issued, A message failed for good',
      '13 Jun 2026',
      'status 503',
      '1,000 or more',
      'Disabled: it answered 410',
      'All events',
    ]) {
      expect(live).toContain(shown);
    }
    expect(live).not.toContain('test.example.com');
    const test = (await browser.get(`/t/${businessId}/connection/webhooks`)).text;
    expect(test).toContain('test.example.com');
    expect(test).not.toContain(address);
  });

  it('an endpoint is created with all types by default, and its secret is shown once', async () => {
    const form = (await browser.get(`${root}/new`)).text;
    expect(form.match(/name="types"[^>]* checked/g)).toHaveLength(choosable.length);
    const reply = await browser.post(`${root}/new`, {
      url: ` ${address} `,
      description: '',
      types: choosable,
    });
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([
      200,
      expect.stringContaining('no-store'),
    ]);
    expect(reply.text).toContain(secret);
    expect(acts).toEqual([
      { name: 'create', request: { business_id: businessId, url: address, person_id: owner.id } },
    ]);
    const [endpoint] = endpoints;
    expect(reply.text).toContain(`href="${root}/${endpoint?.id}"`);
    expect((await browser.get(`${root}/${endpoint?.id}`)).text).not.toContain(secret);
    expect((await browser.get(root)).text).not.toContain(secret);
  });

  it('an endpoint of the test book is created for some types, with a description', async () => {
    await browser.post(`/t/${businessId}/connection/webhooks/new`, {
      url: address,
      description: 'Demo shop',
      types: ['document.issued', 'unknown', 'allocation.refused'],
    });
    expect(acts[0]?.request).toEqual({
      business_id: testBookOf(businessId),
      url: address,
      description: 'Demo shop',
      types: ['document.issued', 'allocation.refused'],
      person_id: owner.id,
    });
  });

  it.each([
    ['an address that is none', { url: '' }, 'url', 0],
    ['an address that delivery refuses', { url: 'https://127.0.0.1/x' }, 'url', 1],
    ['a description that is too long', { description: 'x'.repeat(121) }, 'description', 0],
    ['no type', { types: [] }, 'types', 0],
  ])('%s is an error at its field, and what was typed stays', async (_name, wrong, field, calls) => {
    const typed = { url: address, description: 'Demo <shop>', types: ['document.issued'], ...wrong };
    const reply = await browser.post(`${root}/new`, typed);
    expect([reply.status, acts.length, endpoints.length]).toEqual([422, calls, 0]);
    expect(reply.text).toMatch(field === 'types' ? /Choose at least one type/ : `id="field-${field}-error"`);
    const kept = fieldsIn(reply.text);
    expect(kept).toMatchObject({ url: typed.url, description: typed.description });
    expect(reply.text.match(/name="types"[^>]* checked/g) ?? []).toHaveLength(typed.types.length);
    expect(reply.text).not.toContain(secret);
  });

  it('a book with ten endpoints gets no other one, and its page explains why', async () => {
    for (let count = 0; count < 10; count += 1) {
      newEndpoint();
    }
    const list = (await browser.get(root)).text;
    expect(list).toContain('as many endpoints as a book may have');
    expect(list).not.toContain(`href="${root}/new"`);
    const reply = await browser.post(`${root}/new`, { url: address, description: '', types: choosable });
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('as many endpoints as a book may have');
  });

  it('a new secret is shown once, with the time until which the one before signs', async () => {
    const { id } = newEndpoint();
    const asked = (await browser.get(`${root}/${id}/rotate`)).text;
    expect(asked).toContain('24 hours');
    expect([asked.includes(secret), acts]).toEqual([false, []]);
    const reply = await browser.post(`${root}/${id}/rotate`);
    expect(reply.text).toContain(secret);
    expect(reply.text).toContain('datetime="2026-06-16T08:00:10.000Z"');
    const shown = (await browser.get(`${root}/${id}`)).text;
    expect(shown).toContain('datetime="2026-06-16T08:00:10.000Z"');
    expect(shown).not.toContain(secret);
  });

  it('a test is sent, an endpoint is disabled and enabled, each with the person', async () => {
    const { id } = newEndpoint();
    const named = { endpoint_id: id, business_id: businessId, person_id: owner.id };
    expect(await after(`${root}/${id}/test`)).toContain('The test is being sent');
    const disabled = await after(`${root}/${id}/disable`);
    expect(disabled).toContain('nothing is sent to it');
    expect(disabled).not.toMatch(/action="[^"]*\/(test|resend)"/);
    expect(await after(`${root}/${id}/enable`)).toContain('The endpoint is enabled');
    expect(acts).toEqual([
      { name: 'test', request: named },
      { name: 'set_enabled', request: { ...named, enabled: false } },
      { name: 'set_enabled', request: { ...named, enabled: true } },
    ]);
  });

  it.each(['test', 'resend'])(
    'an endpoint that was disabled since its page was loaded refuses %s with the reason',
    async (act) => {
      const { id } = newEndpoint({ enabled: false, disabled_reason: 'failing' });
      const text = await after(`${root}/${id}/${act}`, act === 'resend' ? { event_id: eventId } : {});
      expect(text).toContain('The endpoint is disabled');
      expect(text).toContain('it failed for five days');
    },
  );

  it('an endpoint is removed after a question, and its page is gone', async () => {
    const { id } = newEndpoint();
    expect((await browser.get(`${root}/${id}/remove`)).text).toContain('This cannot be undone');
    expect(endpoints).toHaveLength(1);
    expect(await after(`${root}/${id}/remove`)).toContain('The endpoint is removed.');
    expect(endpoints).toEqual([]);
    expect((await browser.get(`${root}/${id}`)).status).toBe(404);
  });

  it('the log has each attempt with its bodies as text, and sends an event again', async () => {
    const { id } = newEndpoint();
    attempts = [
      newAttempt({ n: 2, received: true, status: 204, reason: null, response: '', next_attempt_at: null }),
      newAttempt(),
    ];
    const { text } = await browser.get(`${root}/${id}`);
    for (const shown of [
      'Received',
      'Failed',
      '1,234 ms',
      'datetime="2026-06-15T08:00:05.000Z"',
      'status 500: &lt;b&gt;broken&lt;/b&gt;',
      '<pre dir="ltr" tabindex="0">&lt;b&gt;broken&lt;/b&gt;</pre>',
      `{&quot;id&quot;:&quot;${eventId}&quot;}`,
    ]) {
      expect(text).toContain(shown);
    }
    expect(text).not.toContain('<b>broken');
    expect(text.match(/<details class="disclosure">/g)).toHaveLength(2);
    expect(await after(`${root}/${id}/resend`, { event_id: eventId })).toContain('It is being sent again');
    expect(acts.at(-1)?.request).toEqual({
      endpoint_id: id,
      business_id: businessId,
      person_id: owner.id,
      event_id: eventId,
    });
    expect((await browser.post(`${root}/${id}/resend`, { event_id: 'x' })).status).toBe(404);
  });

  it('the pages of the log have each attempt once', async () => {
    const { id } = newEndpoint();
    attempts = Array.from({ length: 45 }, (_, index) =>
      newAttempt({ n: 45 - index, duration_ms: 1_000 + index }),
    );
    const seen: string[] = [];
    for (let next: string | undefined = `${root}/${id}`; next !== undefined; ) {
      const { text }: { text: string } = await browser.get(next);
      seen.push(...[...text.matchAll(/(1,0\d\d) ms/g)].map(([, ms = '']) => ms));
      next = /href="([^"]*after=[^"]*)"/.exec(text)?.[1];
    }
    expect(seen).toHaveLength(45);
    expect(new Set(seen).size).toBe(45);
  });

  it.each(['x', '2026-99-99T00:00:00.000Z.evt_1.1', '2026-06-15T08:00:00.000Z.evt_0.1'])(
    'a place in the log that is none shows its first page: %s',
    async (place) => {
      const { id } = newEndpoint();
      attempts = [newAttempt()];
      const reply = await browser.get(`${root}/${id}?after=${encodeURIComponent(place)}`);
      expect([reply.status, reply.text.includes('1,234 ms')]).toEqual([200, true]);
    },
  );

  it('the events that an endpoint has missed since a day in Israel are sent, in several calls', async () => {
    const { id } = newEndpoint();
    resends = [
      { resent: 7, next_after: 1_000 },
      { resent: 0, next_after: null },
    ];
    const text = await after(`${root}/${id}/resend`, { since: '2026-06-10' });
    expect(text).toContain('It is being sent again');
    const since = '2026-06-09T21:00:00.000Z';
    expect(acts.map(({ request }) => request)).toMatchObject([
      { since, after: 0 },
      { since, after: 1_000 },
    ]);
    expect(await after(`${root}/${id}/resend`, { since: '2026-06-10' })).toContain(
      'has received everything since then',
    );
  });

  it('a form sends a bounded part of what was missed, and the next one goes on where it has stopped', async () => {
    const { id } = newEndpoint();
    resends = Array.from({ length: 12 }, (_, index) => ({ resent: 1, next_after: (index + 1) * 1_000 }));
    const text = await after(`${root}/${id}/resend`, { since: '2026-06-10' });
    expect(text).toContain('Press the button again');
    expect(acts).toHaveLength(10);
    const { event_id: _, ...fields } = fieldsIn(text);
    expect(fields.since).toBe('2026-06-10');
    resends = [];
    await browser.post(`${root}/${id}/resend`, fields);
    expect(acts[10]?.request).toMatchObject({ after: 10_000 });
    // Another day begins at the beginning.
    await browser.post(`${root}/${id}/resend`, { ...fields, since: '2026-06-11' });
    expect(acts[11]?.request).toMatchObject({ after: 0 });
  });

  it.each(['', '2026-06-16', '2026-02-30', 'x'])(
    'a day that is none or not over is an error at its field: "%s"',
    async (since) => {
      const { id } = newEndpoint();
      const reply = await browser.post(`${root}/${id}/resend`, { since });
      expect([reply.status, acts]).toEqual([422, []]);
      expect(reply.text).toContain('id="field-since-error"');
      expect(fieldsIn(reply.text).since).toBe(since);
    },
  );

  it('an endpoint of the other book, or of another business, does not exist', async () => {
    const foreign = [
      newEndpoint({ business_id: testBookOf(businessId) }),
      newEndpoint({ business_id: console.addBusiness().id }),
    ];
    for (const { id } of foreign) {
      for (const path of ['', '/rotate', '/remove']) {
        expect((await browser.get(`${root}/${id}${path}`)).status).toBe(404);
      }
      for (const act of ['test', 'disable', 'enable', 'rotate', 'remove']) {
        expect((await browser.post(`${root}/${id}/${act}`)).status).toBe(404);
      }
      expect((await browser.post(`${root}/${id}/resend`, { event_id: eventId })).status).toBe(404);
    }
    expect((await browser.get(`${root}/x`)).status).toBe(404);
    expect(endpoints).toEqual(foreign);
  });

  it('the pages have both languages', async () => {
    const { id } = newEndpoint();
    attempts = [newAttempt()];
    const hebrew = await console.signedIn(owner);
    hebrew.headers['accept-language'] = 'he';
    const words = [
      ['', 'כתובת חדשה'],
      ['/new', 'יצירת הכתובת'],
      [`/${id}`, 'שליחה חוזרת'],
      [`/${id}/rotate`, 'יצירת סוד חדש'],
      [`/${id}/remove`, 'הסרת הכתובת'],
    ] as const;
    for (const [path, word] of words) {
      const { text } = await hebrew.get(`${root}${path}`);
      expect([path, text.includes('dir="rtl"'), text.includes(word)]).toEqual([path, true, true]);
    }
  });
});
