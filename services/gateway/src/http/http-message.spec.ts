import { describe, expect, it } from '@jest/globals';
import { apiKeyOf, headerOf, requestIdOf } from './http-message.js';

const id = '00000000-0000-4000-8000-000000000001';

describe('headerOf', () => {
  it.each([
    [['Idempotency-Key', 'a'], 'a'],
    [['IDEMPOTENCY-KEY', 'a', 'Host', 'x', 'idempotency-key', 'a'], 'a'],
    [['Idempotency-Key', 'a, a'], 'a, a'],
    [['Idempotency-Key', '\u00a0a'], '\u00a0a'],
    [['Idempotency-Key', ''], ''],
    [['Host', 'Idempotency-Key'], ''],
    [[], ''],
    [['Idempotency-Key', 'a', 'Idempotency-Key', 'b'], undefined],
    [['Idempotency-Key', 'a', 'Idempotency-Key', 'A'], undefined],
    [['Idempotency-Key', 'a', 'Idempotency-Key', ''], undefined],
    [['Idempotency-Key', 'a', 'Idempotency-Key', 'a', 'Idempotency-Key', 'b'], undefined],
  ])('the Idempotency-Key of %j is %p', (rawHeaders, value) =>
    expect(headerOf({ rawHeaders }, 'Idempotency-Key')).toBe(value),
  );
});

describe('apiKeyOf', () => {
  it.each([
    [['Authorization', 'Bearer key'], 'key'],
    [['Authorization', 'bearer  key'], 'key'],
    [['X-Api-Key', 'key'], 'key'],
    [['Authorization', 'Bearer key', 'X-Api-Key', 'key'], 'key'],
    [['Authorization', 'Bearer key', 'X-Api-Key', 'other'], ''],
    [['Authorization', 'Basic a2V5', 'X-Api-Key', 'key'], 'key'],
    [['Authorization', 'basic', 'X-Api-Key', 'key'], 'key'],
    [['Authorization', 'Basicx a2V5', 'X-Api-Key', 'key'], ''],
    [['Authorization', 'Digest a2V5', 'X-Api-Key', 'key'], ''],
    [['Authorization', 'Basic a2V5', 'Authorization', 'Bearer key'], ''],
    [['Authorization', 'Bearer key', 'Authorization', 'Bearer key'], 'key'],
    [['Authorization', 'Bearer key', 'authorization', 'Bearer other'], ''],
    [['X-Api-Key', 'key', 'X-Api-Key', 'key'], 'key'],
    [['X-Api-Key', 'key', 'X-Api-Key', 'other'], ''],
    [['Authorization', 'Basic a2V5'], ''],
    [['Authorization', 'Bearer'], ''],
    [['Authorization', 'Bearer key key'], ''],
    [['Authorization', 'key'], ''],
    [['Authorization', 'key', 'X-Api-Key', 'key'], ''],
    [['Authorization', '', 'X-Api-Key', 'key'], 'key'],
    [['Authorization', '', 'X-Api-Key', ''], ''],
    [['Cookie', 'key=key'], ''],
    [[], ''],
  ])('the API key of %j is %p', (rawHeaders, key) => expect(apiKeyOf({ rawHeaders })).toBe(key));
});

describe('requestIdOf', () => {
  it('a UUID of the caller is kept, also in two lines, and anything else is replaced', () => {
    expect(requestIdOf({ rawHeaders: ['X-Request-Id', id, 'x-request-id', id] })).toBe(id);
    expect(requestIdOf({ rawHeaders: ['X-Request-Id', id, 'X-Request-Id', 'mine'] })).not.toBe(id);
  });
});
