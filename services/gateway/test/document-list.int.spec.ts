import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  compile,
  type DocumentHead,
  DocumentPage,
  listDocuments,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import { exampleDocument } from '@pinkas/testkit';
import { type Caller, errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

type Listed = ReplyOf<typeof listDocuments>['documents'][number];

/** What a list tells of an example document. */
function listed(businessId: string, change: Partial<Listed> = {}): Listed {
  const {
    items: _items,
    prices_include_vat: _basis,
    discount: _discount,
    payments: _payments,
    title: _title,
    notes: _notes,
    send: _send,
    ...head
  } = exampleDocument({ business_id: businessId });
  return {
    document: head satisfies DocumentHead,
    state: { status: 'open', paid: 0, allocation_number: '123456789', cancelled_at: null },
    allocation: { status: 'issued', number: '123456789', reason: null },
    delivery: { status: 'queued', channel: 'email', scheduled_for: null },
    ...change,
  };
}

describe('listing documents over HTTP', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  let page: ReplyOf<typeof listDocuments>;
  const asked: RequestOf<typeof listDocuments>[] = [];
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.network.answer(listDocuments, (request) => {
      asked.push(request);
      return page;
    });
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    caller = await gateway.caller({ key: { scopes: ['documents:read'] } });
    page = { documents: [], next_before: null };
    asked.length = 0;
  });

  const list = (query = '', key = caller.key.key) => gateway.http(`/v1/documents${query}`, { key });
  const faultsOf = async (query: string, key?: string) => {
    const answer = await list(query, key);
    expect([answer.status, errorCodeOf(answer)]).toEqual([400, 'validation_error']);
    expect(asked).toHaveLength(0);
    return answer.json.error.details.errors.map((fault: { path: string }) => fault.path).sort();
  };
  const position = () => ({ issued_at: gateway.clock.now.toISOString(), id: randomUUID() });
  const cursorFor = async (before = position()) => {
    page = { documents: [], next_before: before };
    const { json } = await list();
    asked.length = 0;
    return json.next_cursor as string;
  };

  it('shows each document like its creation did, with what is known now', async () => {
    const cancelledAt = '2026-06-15T09:00:00.000Z';
    page.documents = [
      listed(caller.business.id),
      listed(caller.business.id, {
        state: { status: 'cancelled', paid: 0, allocation_number: null, cancelled_at: cancelledAt },
        allocation: { status: 'not_required', number: null, reason: 'type' },
        delivery: { status: 'deferred_quiet_hours', channel: 'both', scheduled_for: cancelledAt },
      }),
    ];
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(compile(DocumentPage)(answer.json)).toMatchObject({ ok: true });
    const [first, second] = page.documents as [Listed, Listed];
    expect(answer.json.next_cursor).toBeNull();
    expect(answer.json.data[0]).toMatchObject({
      id: first.document.id,
      allocation_number: '123456789',
      allocation: first.allocation,
      delivery: first.delivery,
      view_url: `https://api.example.com/d/${first.document.public_id}`,
      created_at: first.document.issued_at,
    });
    expect(answer.json.data[1]).toMatchObject({
      status: 'cancelled',
      cancelled_at: cancelledAt,
      allocation: second.allocation,
      delivery: second.delivery,
    });
  });

  it('asks for 50 that are not cancelled where the caller says nothing', async () => {
    await list();
    expect(asked).toEqual([
      { business_id: caller.business.id, include_cancelled: false, limit: 50, before: null },
    ]);
  });

  it('passes every filter on', async () => {
    await list(
      '?type=quote&from=2026-01-01&to=2026-12-31&external_ref=A%2F1&include_cancelled=true&limit=100',
    );
    expect(asked).toEqual([
      {
        business_id: caller.business.id,
        type: 'quote',
        from: '2026-01-01',
        to: '2026-12-31',
        external_ref: 'A/1',
        include_cancelled: true,
        limit: 100,
        before: null,
      },
    ]);
  });

  it('goes on where the page before ended, with any filter and any limit', async () => {
    const before = position();
    const cursor = await cursorFor(before);
    expect(cursor).toMatch(/^[\w-]+$/);
    page.next_before = null;
    const answer = await list(`?cursor=${cursor}&limit=1&type=order`);
    expect([answer.status, answer.json]).toEqual([200, { data: [], next_cursor: null }]);
    expect(asked).toMatchObject([{ before, limit: 1, type: 'order' }]);
  });

  it('takes the cursor with another key of the business, and with none of another', async () => {
    const cursor = await cursorFor();
    const stranger = await gateway.caller();
    expect(await faultsOf(`?cursor=${cursor}`, stranger.key.key)).toEqual(['/query/cursor']);
    expect((await list(`?cursor=${cursor}`)).status).toBe(200);
  });

  it('refuses a cursor that it did not write', async () => {
    const cursor = await cursorFor();
    const changed = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`;
    const flipped = `${cursor.slice(0, 60)}${cursor[60] === 'A' ? 'B' : 'A'}${cursor.slice(61)}`;
    for (const bad of [
      changed,
      flipped,
      cursor.slice(0, -1),
      `${cursor}A`,
      'x',
      '',
      '%00',
      'A'.repeat(513),
    ]) {
      expect(await faultsOf(`?cursor=${bad}`)).toEqual(['/query/cursor']);
    }
  });

  it('names every fault at once, the cursor among them', async () => {
    expect(
      await faultsOf(
        '?type=invoice&from=01-01-2026&to=2026-02-30&include_cancelled=1&limit=101&cursor=x&external_ref=&external_ref=&offset=3',
      ),
    ).toEqual([
      '/query/cursor',
      '/query/external_ref',
      '/query/from',
      '/query/include_cancelled',
      '/query/limit',
      '/query/offset',
      '/query/to',
      '/query/type',
    ]);
  });

  it('needs documents:read', async () => {
    const { key } = await gateway.caller({ key: { scopes: ['documents:write', 'customers:read'] } });
    const answer = await list('?limit=x', key.key);
    expect([answer.status, errorCodeOf(answer)]).toEqual([403, 'insufficient_scope']);
  });
});
