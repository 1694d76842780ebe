import { describe, expect, it } from '@jest/globals';
import { localPath } from './local-path.js';

describe('localPath', () => {
  it('a path of the console stays, with its query', () => {
    expect(localPath('/b/1/documents?type=quote&book=%D7%A1')).toBe('/b/1/documents?type=quote&book=%D7%A1');
  });

  it.each([
    null,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'javascript:alert(1)',
    '/ /evil.example',
    '/..//evil.example',
  ])('the address %j leads to the first page of the console and nowhere else', (given) => {
    expect(localPath(given).startsWith('//')).toBe(false);
    expect(new URL(localPath(given), 'http://console.invalid').origin).toBe('http://console.invalid');
  });
});
