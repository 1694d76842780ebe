import { describe, expect, it } from '@jest/globals';
import { InvalidLogoError, parseLogoUrl } from './logo.js';

const url = (mediaType: string, bytes: string | Buffer) =>
  `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;

describe('parseLogoUrl', () => {
  it('parseLogo returns the bytes and the format of a data URL', () => {
    expect(parseLogoUrl(url('image/svg+xml', '<svg/>'))).toEqual({
      format: 'svg',
      bytes: Buffer.from('<svg/>'),
    });
    expect(parseLogoUrl(url('image/png', 'x')).format).toBe('png');
  });

  it.each([
    ['an http URL', 'https://example.test/logo.png'],
    ['a file URL', 'file:///etc/passwd'],
    ['another image format', url('image/gif', 'GIF89a')],
    ['an HTML page', url('text/html', '<script>')],
    ['a URL without base64', 'data:image/svg+xml,<svg/>'],
    ['a file above the size limit', url('image/png', Buffer.alloc(65 * 1024))],
  ])('a logo is rejected when it is %s', (_what, text) => {
    expect(() => parseLogoUrl(text)).toThrow(InvalidLogoError);
  });
});
