import { describe, expect, it } from '@jest/globals';
import { apiKeyOf } from './http-message.js';

describe('apiKeyOf', () => {
  it.each([
    [['Authorization', 'Bearer key'], 'key'],
    [['Authorization', 'bearer  key'], 'key'],
    [['X-Api-Key', 'key'], 'key'],
    [['Authorization', 'Bearer key', 'X-Api-Key', 'key'], 'key'],
    [['Authorization', 'Bearer key', 'X-Api-Key', 'other'], ''],
    [['Authorization', 'Basic a2V5', 'X-Api-Key', 'key'], ''],
    [['Authorization', 'Bearer key', 'Authorization', 'Bearer key'], ''],
    [['X-Api-Key', 'key', 'X-Api-Key', 'key'], ''],
    [['Authorization', 'Basic a2V5'], ''],
    [['Authorization', 'Bearer'], ''],
    [['Authorization', 'Bearer key key'], ''],
    [['Authorization', 'key'], ''],
    [['Authorization', '', 'X-Api-Key', ''], ''],
    [['Cookie', 'key=key'], ''],
    [[], ''],
  ])('the API key of %j is %p', (rawHeaders, key) => expect(apiKeyOf({ rawHeaders })).toBe(key));
});
