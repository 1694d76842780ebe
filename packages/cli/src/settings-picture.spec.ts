import { describe, expect, it } from '@jest/globals';
import { Refusal } from './refusal.js';
import { withPicture } from './settings-picture.js';

describe('the picture in the settings of a business', () => {
  it.each([{}, { logo: null }, { logo: 'data:image/png;base64,AAAA' }])(
    'stays as it is: %p',
    async (settings) => {
      expect(await withPicture(settings, '-')).toBe(settings);
    },
  );

  it('is no file of another kind', async () => {
    await expect(withPicture({ logo: 'logo.exe' }, '-')).rejects.toThrow(
      'must name a file that ends in .png or .svg',
    );
  });

  it('is looked for beside the settings, and said where', async () => {
    const refused = withPicture({ logo: 'no-such.svg' }, '/no/such/folder/settings.json');
    await expect(refused).rejects.toThrow('/no/such/folder/no-such.svg cannot be read');
    await expect(refused).rejects.toBeInstanceOf(Refusal);
  });
});
