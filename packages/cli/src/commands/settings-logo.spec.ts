import { describe, expect, it } from '@jest/globals';
import { RefusalError } from '../builder/usage-error.js';
import { withLogo } from './settings-logo.js';

describe('withLogo', () => {
  it.each([{}, { logo: null }, { logo: 'data:image/png;base64,AAAA' }])(
    'settings without a path are unchanged: %p',
    async (settings) => {
      expect(await withLogo(settings, '-')).toBe(settings);
    },
  );

  it('a logo must be a PNG or SVG file', async () => {
    await expect(withLogo({ logo: 'logo.exe' }, '-')).rejects.toThrow(
      'must name a file that ends in .png or .svg',
    );
  });

  it('a logo path is relative to the settings file', async () => {
    const refused = withLogo({ logo: 'no-such.svg' }, '/no/such/folder/settings.json');
    await expect(refused).rejects.toThrow('/no/such/folder/no-such.svg cannot be read');
    await expect(refused).rejects.toBeInstanceOf(RefusalError);
  });
});
