import { describe, expect, it } from '@jest/globals';
import { apiKeyOf } from './http-message.js';

describe('apiKeyOf', () => {
  it.each([
    [{ authorization: ['Bearer key'] }, 'key'],
    [{ authorization: ['bearer  key'] }, 'key'],
    [{ 'x-api-key': ['key'] }, 'key'],
    [{ authorization: ['Bearer key'], 'x-api-key': ['key'] }, 'key'],
    [{ authorization: ['Bearer key'], 'x-api-key': ['other'] }, ''],
    [{ authorization: ['Basic a2V5'], 'x-api-key': ['key'] }, ''],
    [{ authorization: ['Bearer key', 'Bearer key'] }, ''],
    [{ 'x-api-key': ['key', 'key'] }, ''],
    [{ authorization: ['Basic a2V5'] }, ''],
    [{ authorization: ['Bearer'] }, ''],
    [{ authorization: ['Bearer key key'] }, ''],
    [{ authorization: ['key'] }, ''],
    [{ authorization: [''], 'x-api-key': [''] }, ''],
    [{ cookie: ['key=key'] }, ''],
    [{}, ''],
  ])('the API key of %j is %p', (headers, key) => expect(apiKeyOf(headers)).toBe(key));
});
