import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CustomerCard, CustomerList, compile, type RequestOf, searchCustomers } from '@pinkas/contracts';
import { type Caller, errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

const card = (change: Partial<CustomerCard> = {}): CustomerCard => ({
  id: randomUUID(),
  name: 'לקוח לדוגמה',
  tax_id: '777777723',
  legal_type: 'hevra_baam',
  email: 'customer@example.com',
  phone: null,
  city: null,
  ...change,
});

describe('searching customers over HTTP', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  let found: CustomerCard[] = [];
  const asked: RequestOf<typeof searchCustomers>[] = [];
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.network.answer(searchCustomers, (request) => {
      asked.push(request);
      return { customers: found };
    });
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    caller = await gateway.caller({ key: { scopes: ['customers:read'] } });
    asked.length = 0;
  });

  const search = (query: string) => gateway.http(`/v1/customers${query}`, { key: caller.key.key });

  it('answers with the cards in their order, what is missing as null', async () => {
    found = [card(), card({ name: 'Example Ltd', tax_id: null, legal_type: null, email: null })];
    const answer = await search(`?q=${encodeURIComponent(' לקוח ')}&limit=2`);
    expect(answer.status).toBe(200);
    expect(compile(CustomerList)(answer.json)).toMatchObject({ ok: true });
    expect(answer.json).toEqual({ data: found });
    expect(asked).toEqual([{ business_id: caller.business.id, query: 'לקוח', limit: 2 }]);
  });

  it.each(['', '?', '?q', '?q=', '?q=%20%C2%A0'])(
    'finds every customer with "%s", 20 of them',
    async (query) => {
      expect((await search(query)).status).toBe(200);
      expect(asked).toEqual([{ business_id: caller.business.id, query: null, limit: 20 }]);
    },
  );

  it.each([
    ['?limit=0', ['/query/limit']],
    ['?limit=51', ['/query/limit']],
    ['?limit=', ['/query/limit']],
    ['?q=a%00b', ['/query/q']],
    ['?q=%ED%B0%80', ['/query/q']],
    [`?q=${'x'.repeat(121)}`, ['/query/q']],
    ['?q=a&q=a&limit=1.5&page=2', ['/query/q', '/query/page', '/query/limit']],
  ])('refuses %s and asks nobody', async (query, paths) => {
    const answer = await search(query);
    expect([answer.status, errorCodeOf(answer)]).toEqual([400, 'validation_error']);
    expect(answer.json.error.details.errors.map((fault: { path: string }) => fault.path)).toEqual(paths);
    expect(asked).toHaveLength(0);
  });

  it('needs customers:read', async () => {
    const writer = await gateway.caller({ key: { scopes: ['documents:write', 'documents:read'] } });
    const answer = await gateway.http('/v1/customers?limit=x', { key: writer.key.key });
    expect([answer.status, errorCodeOf(answer)]).toEqual([403, 'insufficient_scope']);
  });
});
