import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorCodeOf, type GatewayUnderTest, quote, startGateway } from './gateway.js';

describe('strict validation', () => {
  let gateway: GatewayUnderTest;
  let key: string;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    key = (await gateway.caller()).key.key;
    gateway.issued.length = 0;
  });

  const faultsOf = async (body: unknown, path = '/v1/documents', idempotencyKey = 'k') => {
    const answer = await gateway.http(path, {
      method: 'POST',
      key,
      body,
      headers: { 'idempotency-key': idempotencyKey },
    });
    expect([answer.status, errorCodeOf(answer)]).toEqual([400, 'validation_error']);
    expect(gateway.issued).toHaveLength(0);
    return (answer.json.error.details.errors as { path: string; message: string }[]).map(
      ({ path: at, message }) => {
        expect(message.length).toBeGreaterThan(5);
        return at;
      },
    );
  };

  it('names every fault at once, each by its JSON Pointer', async () => {
    const found = await faultsOf(
      {
        type: 'quote',
        number: 7,
        'a/b~c': 1,
        date: '2026-02-30',
        due_date: '2026-07-01',
        customer: { name: '  ', tax_id: '12', email: null, phone: 'call me' },
        items: [{ description: ' ', quantity: 0.00001, unit_price: 1.005, total: 1 }, { quantity: '1' }],
        discount: { type: 'percent', value: 0 },
        payments: [{ method: 'cash', amount: 1.001, check_number: '1', card_type: 'visa' }],
        notes: 'a\u0000b',
        expected_total: 1.234,
      },
      '/v1/documents?dry_run=1&dry_run=2',
      'k'.repeat(129),
    );
    expect(found.sort()).toEqual(
      [
        '/a~1b~0c',
        '/customer/email',
        '/customer/name',
        '/customer/phone',
        '/customer/tax_id',
        '/date',
        '/discount/value',
        '/due_date',
        '/expected_total',
        '/headers/Idempotency-Key',
        '/items/0/description',
        '/items/0/quantity',
        '/items/0/total',
        '/items/0/unit_price',
        '/items/1/description',
        '/items/1/quantity',
        '/items/1/unit_price',
        '/notes',
        '/number',
        '/payments/0/amount',
        '/payments/0/card_type',
        '/payments/0/check_number',
        '/query/dry_run',
      ].sort(),
    );
  });

  it('needs an id or a name of the customer', async () => {
    expect(await faultsOf({ ...quote(), customer: {} })).toEqual(['/customer/id', '/customer/name']);
  });

  it('refuses unknown query parameters on reading, too', async () => {
    const answer = await gateway.http('/v1/me?verbose=1', { key });
    expect(errorCodeOf(answer)).toBe('validation_error');
    expect(answer.json.error.details.errors[0].path).toBe('/query/verbose');
  });

  it('names every fault of the longest document, and of a body of rubbish a thousand', async () => {
    const item = { description: '', quantity: 1.00001, unit_price: -1, sku: 'x'.repeat(65) };
    const items = Array.from({ length: 100 }, () => item);
    const named = await faultsOf(quote({ items }));
    expect(new Set(named)).toEqual(
      new Set(items.flatMap((_, index) => Object.keys(item).map((member) => `/items/${index}/${member}`))),
    );
    const rubbish = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`unknown_${index}`, 1]));
    expect(await faultsOf(quote(rubbish))).toHaveLength(1_000);
  });

  it('counts the characters of an Idempotency-Key, not its bytes', async () => {
    const hebrew = Buffer.from('א'.repeat(128), 'utf8').toString('latin1');
    expect((await gateway.post(key, { idempotencyKey: hebrew })).status).toBe(201);
    expect(gateway.issued[0]?.idempotency_key).toBe('א'.repeat(128));
    expect(errorCodeOf(await gateway.post(key, { headers: { 'idempotency-key': '   ' } }))).toBe(
      'missing_idempotency_key',
    );
  });
});
