import { describe, expect, it } from '@jest/globals';
import { keptBody, keptErrors, keptKey, maskBody, maskPath } from './kept-body.js';
import { isSecretName, withoutSecrets } from './secrets.js';

const error = (path: string) => ({ path, message: 'is not valid', message_he: 'ערך לא תקין' });
const key = 'pk_live_AbCd1234_0123456789abcdefghijABCDEFGHIJ0123456789abcdefghi';

describe('withoutSecrets', () => {
  it.each([
    ['a key', `the key ${key} of the shop`, 'the key [secret] of the shop'],
    ['a part of a key', 'pk_test_Ab', '[secret]'],
    ['a key in capitals', key.toUpperCase(), '[secret]'],
    ['a secret of webhooks', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '[secret]'],
    ['a bearer token', 'Authorization: Bearer abc.def-123', 'Authorization: [secret]'],
    ['basic credentials', 'Basic dXNlcjpwYXNzd29yZA==', '[secret]'],
    ['a web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', '[secret]'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMIIE', '[secret]'],
    ['the number of a card', 'card 4111 1111 1111 1111', 'card [secret]'],
    ['a card with dots', 'card 4111.1111.1111.1111.', 'card [secret].'],
    ['a card with other marks', '4111/1111_1111 – 1111', '[secret]'],
    ['a card in lines', 'paid\n4111\n1111\n1111\n1111', 'paid\n[secret]'],
    ['a card in digits alone', '4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1', '[secret]'],
    ['a card with invisible marks', '4111\u200b1111\u00a01111\u202f1111', '[secret]'],
    ['a card of fifteen digits', '3782 822463 10005', '[secret]'],
    ['a card of fourteen digits', '3056-930902-5904', '[secret]'],
    ['Arabic digits', '٤١١١ ١١١١ ١١١١ ١١١١', '[secret]'],
    ['wide digits', '４１１１１１１１１１１１１１１１', '[secret]'],
    ['a number before it', 'order 1044, 4111 1111 1111 1111', 'order 1044, [secret]'],
    ['its expiry and code', '4111 1111 1111 1111 12/28 123', '[secret]'],
    ['its expiry and code in words', '4111111111111111 exp: 12/2028, CVV 123 ok', '[secret] ok'],
    ['its expiry without a mark', '4111111111111111|1228|123|', '[secret]|'],
    ['a card in Hebrew', 'כרטיס 4111-1111-1111-1111 תוקף 12/28 קוד 123', 'כרטיס [secret]'],
    ['two cards', '4111111111111111, 5555555555554444', '[secret], [secret]'],
  ])('%s is removed', (_what, text, expected) => {
    expect(withoutSecrets(text)).toBe(expected);
  });

  it('words, numbers and references that are no secrets are left', () => {
    for (const text of [
      'Basic package',
      'order-20260101123456',
      '0501234567',
      // All have a check digit as cards have.
      'shop-1795775029048',
      '7290000000018',
      '5901234123457',
      '20261127000000011',
      '41111111-1111-4111-8111-111111111116',
      'הזמנה 1044',
      '050-1234567, 03-7654321, 09-1111116',
      '100.00 200.00 300.00 400.00 500.00 600.00',
      '2026-11-27 10:15:08 2026-11-28 10:15:08',
      '30 x 45.50, 12 x 99.90, 7 x 120.00, 3 x 15.00',
      'IL620108000000099999999',
      '12 41111111-1111-4111-8111-111111111116 12',
      '4111 1111 1111 1112',
    ]) {
      expect(withoutSecrets(text)).toBe(text);
    }
  });

  it('NUL and half of a surrogate pair are replaced', () => {
    expect(withoutSecrets('a\0b\ud800c')).toBe('a�b�c');
  });

  it('a text of any size is read once, and not again from each of its places', () => {
    for (const part of ['eyJ-', 'bearer ', 'pk_live', '-----BEGIN', '1 ', 'basic aaaa ', 'eyJ', '1']) {
      const text = part.repeat(262_144 / part.length);
      expect(withoutSecrets(text).length).toBeLessThanOrEqual(text.length);
    }
  });

  it('a member is a secret by a word of its name', () => {
    for (const name of [
      'password',
      'api_key',
      'apiKey',
      'X-Api-Key',
      'accessToken',
      'client-secret',
      'CVV',
      'Authorization',
    ]) {
      expect([name, isSecretName(name)]).toEqual([name, true]);
    }
    for (const name of ['shipping', 'tokens_used', 'card_last_digits', 'passport', 'description']) {
      expect([name, isSecretName(name)]).toEqual([name, false]);
    }
  });
});

describe('keptBody', () => {
  it('secrets are removed from names and values, however deep they are', () => {
    const sent = {
      notes: `call with ${key}`,
      [key]: 1,
      a: [{ b: { password: { c: 'hunter2' }, pin: 1234 } }],
    };
    const { body, isTruncated } = keptBody(sent, []);
    expect(body).toEqual({
      notes: 'call with [secret]',
      '[secret]': 1,
      a: [{ b: { password: '[secret]', pin: '[secret]' } }],
    });
    expect(isTruncated).toBe(false);
  });

  it('the number of a card that is a number is removed', () => {
    expect(keptBody({ a: 4111111111111111 }, []).body).toEqual({ a: '[secret]' });
  });

  it('a long text is shortened, and that is stated', () => {
    const { body, isTruncated } = keptBody({ notes: 'א'.repeat(1_000) }, []);
    expect([body, isTruncated]).toEqual([{ notes: `${'א'.repeat(200)}…` }, true]);
  });

  it('a large body keeps what leads to its errors, at the places of their pointers', () => {
    const items = Array.from({ length: 100 }, (_, n) => ({
      description: `פריט ${n}`.repeat(10),
      quantity: n,
    }));
    const { body, isTruncated } = keptBody({ items, z: 1 }, [error('/items/97/quantity')]);
    const kept = (body as { items: unknown[] }).items;
    expect(kept).toHaveLength(98);
    expect(kept[97]).toEqual({ quantity: 97 });
    expect(kept[96]).toBe('…');
    expect(kept[0]).toEqual(items[0]);
    expect(isTruncated).toBe(true);
    expect(JSON.stringify(body).length).toBeLessThan(12_000);
  });

  it('whatever a body of 256 KB has, at most 32 KB are kept', () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`m${n}`, n]));
    let deep: object = { end: 1 };
    for (let n = 0; n < 30; n += 1) {
      deep = { ['x'.repeat(2_000)]: deep };
    }
    const paths = Array.from({ length: 1_000 }, (_, n) => error(`/m${n}`));
    for (const [sent, errors] of [
      [wide, paths],
      [deep, []],
      [{ list: Array.from({ length: 100_000 }, () => 0) }, [error('/list/99999')]],
    ] as const) {
      const { body } = keptBody(sent, errors);
      expect(Buffer.byteLength(JSON.stringify(body ?? null))).toBeLessThanOrEqual(32_768);
    }
  });

  it('a key that is masked differs from others, and is found by what it was', () => {
    const [book, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
    expect(keptKey(book, 'order 1/2')).toBe('order 1/2');
    const [card, mail] = ['4111111111111111', 'dana@example.com'].map((key) => keptKey(book, key)) as [
      string,
      string,
    ];
    expect([card, mail]).toEqual([
      expect.stringMatching(/^\[secret\] [0-9a-f]{8}$/),
      expect.stringMatching(/^\*{3} [0-9a-f]{8}$/),
    ]);
    expect(keptKey(book, '5555555555554444')).not.toBe(card);
    expect(keptKey(other, '4111111111111111')).not.toBe(card);
    expect([keptKey(book, card), keptKey(book, mail)]).toEqual([card, mail]);
    expect([keptKey(book, 'הזמנה 1044'), keptKey(book, 'א'.repeat(200))]).toEqual([
      'הזמנה 1044',
      'א'.repeat(128),
    ]);
    expect(keptKey(book, `pk_live_a ${'a'.repeat(200)}`)).toHaveLength(128);
  });

  it('the errors are the first 20, without secrets', () => {
    const kept = keptErrors(Array.from({ length: 30 }, (_, n) => error(`/${key}/${n}`)));
    expect(kept).toHaveLength(20);
    expect(kept[0]).toEqual({ ...error('/[secret]/0') });
  });
});

describe('maskBody', () => {
  it('a value that may be personal is masked, and what the API defines is not', () => {
    const sent = {
      type: 'tax_invoice',
      date: '2026-03-01',
      customer: {
        name: 'לקוח',
        tax_id: '777777715',
        email: 'a@example.com',
        phone: 501234567,
        legal_type: 'private',
      },
      items: [{ description: 'שירות', quantity: 1.5, unit_price: 0, sku: 'A-1' }],
      payments: [
        { method: 'check', amount: 10, check_number: '12', account: '345678', card_last_digits: '1234' },
      ],
      notes: 'הערה',
      send: false,
      external_ref: 'order-1044',
      unknown: 7,
      none: null,
    };
    expect(maskBody(sent)).toEqual({
      type: 'tax_invoice',
      date: '2026-03-01',
      customer: { name: '***', tax_id: '***', email: '***', phone: '***', legal_type: 'private' },
      items: [{ description: '***', quantity: 1.5, unit_price: 0, sku: 'A-1' }],
      payments: [
        { method: 'check', amount: 10, check_number: '***', account: '***', card_last_digits: '***' },
      ],
      notes: '***',
      send: false,
      external_ref: 'order-1044',
      unknown: '***',
      none: null,
    });
  });

  it('an address in a member that is shown, and a name that is none of the API, are masked', () => {
    expect(maskBody({ external_ref: 'a@example.com', type: 'ישראל ישראלי', 'a@example.com': 1 })).toEqual({
      external_ref: '***',
      type: '***',
      '***': '***',
    });
    expect(maskPath('/items/3/a@example.com')).toBe('/items/3/***');
    expect(maskPath('/headers/Idempotency-Key')).toBe('/headers/Idempotency-Key');
  });
});
