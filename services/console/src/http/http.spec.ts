import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { compressed } from './compression.js';
import { localPath } from './local-path.js';

describe('compression', () => {
  it('a large page is compressed for a client that accepts it, and comes out as it was', async () => {
    const page = Buffer.from('<p>שלום</p>'.repeat(500));
    const { body, headers } = await compressed(page, 'gzip');
    expect(headers).toEqual({ vary: 'accept-encoding', 'content-encoding': 'gzip' });
    expect(body.length).toBeLessThan(page.length / 10);
    expect(gunzipSync(body).equals(page)).toBe(true);
  });

  it('a small page, and one for a client that accepts nothing, is sent as it is', async () => {
    const small = Buffer.from('x');
    const large = Buffer.alloc(5_000);
    expect((await compressed(small, 'gzip')).body).toBe(small);
    expect((await compressed(large, 'br')).body).toBe(large);
  });
});

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
