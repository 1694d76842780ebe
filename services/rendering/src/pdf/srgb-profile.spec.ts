import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { srgbProfile } from './srgb-profile.js';

describe('srgbProfile', () => {
  it('the profile is of sRGB: its white is that of every profile, and its primaries add up to it', () => {
    const element = (name: string) => {
      const row =
        132 +
        12 *
          [...Array(10).keys()].findIndex(
            (index) => srgbProfile.toString('latin1', 132 + 12 * index, 136 + 12 * index) === name,
          );
      return srgbProfile.readUInt32BE(row + 4);
    };
    const xyz = (name: string) =>
      [8, 12, 16].map((at) => srgbProfile.readInt32BE(element(name) + at) / 65_536);
    const sums = ['rXYZ', 'gXYZ', 'bXYZ']
      .map(xyz)
      .reduce((a, b) => a.map((value, index) => value + (b[index] ?? 0)));
    for (const [index, value] of xyz('wtpt').entries()) {
      expect(sums[index]).toBeCloseTo(value, 3);
    }
    expect(srgbProfile.readUInt32BE(0)).toBe(srgbProfile.length);
    expect(srgbProfile.length).toBeLessThan(700);
  });

  it('another library reads the profile, and its colours are those of its own sRGB', async () => {
    const pixels = Buffer.from([0, 0, 0, 255, 255, 255, 200, 30, 40, 11, 110, 79, 90, 90, 90, 3, 5, 250]);
    const raw = { width: 6, height: 1, channels: 3 } as const;
    const tagged = await sharp(pixels, { raw }).png().withMetadata().toBuffer();
    // An image with our profile, converted to the library's sRGB.
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-icc-'));
    try {
      const file = join(folder, 'srgb.icc');
      await writeFile(file, srgbProfile);
      const inOurs = await sharp(tagged).withIccProfile(file).png().toBuffer();
      expect((await sharp(inOurs).metadata()).icc?.length).toBe(srgbProfile.length);
      const back = await sharp(inOurs).toColourspace('srgb').removeAlpha().raw().toBuffer();
      for (const [index, value] of pixels.entries()) {
        expect(Math.abs((back[index] ?? 0) - value)).toBeLessThanOrEqual(2);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
