import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ApiEvent,
  getEvent,
  listEvents,
  type RequestOf,
  showBusiness,
  startEvents,
  toEventId,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { readTrail } from '@pinkas/testkit';
import { type Caller, type GatewayUnderTest, startGateway } from './gateway.js';

describe('GET /events', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  const event = (): ApiEvent => ({
    id: toEventId(randomUUID()),
    type: 'endpoint.test',
    timestamp: '2026-06-15T08:00:00.000Z',
    mode: 'live',
    business_id: caller.business.id,
    data: {},
  });
  /** What delivery has, by position. */
  let events: ApiEvent[];
  const requests: RequestOf<typeof listEvents>[] = [];

  beforeAll(async () => {
    gateway = await startGateway();
    gateway.network.answer(listEvents, (request) => {
      requests.push(request);
      const page = events.slice(request.after, request.after + request.limit);
      return {
        events: page.map((found) => JSON.stringify(found)),
        next_after: Math.min(events.length, request.after + page.length),
      };
    });
    gateway.network.answer(getEvent, ({ business_id, event_id }) => {
      const found = events.find(({ id }) => id === toEventId(event_id));
      if (!found || business_id !== caller.business.id) {
        throw new ApiError('not_found');
      }
      return { event: JSON.stringify(found) };
    });
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    caller = await gateway.caller({ key: { per_minute: 1_000 } });
    events = [];
    requests.length = 0;
  });
  const get = (query = '', key = caller.key.key) => gateway.http(`/v1/events${query}`, { key });

  it('the first call begins the events of the business, in its trail, and has a cursor to go on with', async () => {
    const first = await get();
    expect([first.status, first.json]).toEqual([200, { data: [], next_cursor: expect.any(String) }]);
    await get(`?cursor=${first.json.next_cursor}`);
    const { business } = await gateway.network.call(showBusiness, { business_id: caller.business.id });
    expect(business.events).toBe(true);
    const trail = await readTrail(gateway.database, caller.business.id);
    expect(trail.filter(({ after }) => JSON.stringify(after).includes('"events":true'))).toMatchObject([
      { action: 'business.update', actor: `key:${caller.key.id}`, before: { events: null } },
    ]);
  });

  it('pages follow one another oldest first, and the last cursor goes on with what comes later', async () => {
    events = Array.from({ length: 5 }, event);
    const seen: ApiEvent[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page += 1) {
      const { json } = await get(`?limit=2${cursor}`);
      seen.push(...json.data);
      cursor = `&cursor=${json.next_cursor}`;
    }
    expect(seen).toEqual(events);
    expect((await get(`?limit=2${cursor}`)).json.data).toEqual([]);
    const later = event();
    events.push(later);
    expect((await get(`?limit=2${cursor}`)).json.data).toEqual([later]);
  });

  it('types may be repeated, and what is none is a validation error of the parameter', async () => {
    const document_id = randomUUID();
    await get(`?type=document.issued&type=delivery.failed&document_id=${document_id}`);
    expect(requests).toEqual([
      {
        business_id: caller.business.id,
        types: ['document.issued', 'delivery.failed'],
        document_id,
        after: 0,
        limit: 50,
      },
    ]);
    for (const [query, path] of [
      ['type=document.issued&type=no', '/query/type'],
      ['type=document.issued&type=document.issued', '/query/type'],
      ['limit=5&limit=6', '/query/limit'],
      ['document_id=5', '/query/document_id'],
      ['cursor=x', '/query/cursor'],
    ]) {
      const { status, json } = await get(`?${query}`);
      expect([status, json.error.details.errors]).toEqual([400, [expect.objectContaining({ path })]]);
    }
  });

  it('a cursor of another business, or of the list of documents, is none', async () => {
    const { next_cursor } = (await get()).json;
    const other = await gateway.caller();
    const answers = [
      await get(`?cursor=${next_cursor}`, other.key.key),
      await gateway.http(`/v1/documents?cursor=${next_cursor}`, { key: caller.key.key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
  });

  it('one event is found by its id, and nothing else is', async () => {
    events = [event()];
    const [{ id } = { id: '' }] = events;
    expect((await get(`/${id}`)).json).toEqual(events[0]);
    for (const other of [toEventId(randomUUID()), randomUUID(), id.toUpperCase(), `${id}0`]) {
      expect((await get(`/${other}`)).status).toBe(404);
    }
  });

  it('a key without the scope documents:read reads no event', async () => {
    const writer = await gateway.caller({ key: { scopes: ['documents:write'] } });
    expect((await get('', writer.key.key)).json.error.code).toBe('insufficient_scope');
  });

  it('startEvents changes a business once, and the test book begins that of its business', async () => {
    const { id } = caller.business;
    const start = (business_id: string) => gateway.network.call(startEvents, { business_id });
    expect((await start(id)).business).toMatchObject({ id, events: true });
    await start(id);
    const trail = await readTrail(gateway.database, id);
    expect(trail.filter(({ action }) => action === 'business.update')).toHaveLength(1);
    const tester = await gateway.caller({ key: { mode: 'test' } });
    await get('', tester.key.key);
    const { business } = await gateway.network.call(showBusiness, { business_id: tester.business.id });
    expect(business.events).toBe(true);
    await expect(start(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
  });
});
