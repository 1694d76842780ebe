import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import subsetFont from 'subset-font';
import { type FontEntry, fontFolder } from './font-files.js';
import { charactersOf } from './unicode-range.js';

/*
 * The last step of the build. The letters of documents come from packages that are needed here alone; what is left of them,
 * with their licences, is all that is installed where documents are printed.
 */
const { resolve } = createRequire(import.meta.url);

/** Hebrew and Latin with their points and accents, and the signs between words and beside amounts. */
const hebrewAndLatin =
  'U+20-7E, U+A0-24F, U+2BB-2BC, U+300-308, U+329, U+590-5FF, U+1E00-1EFF, U+2000-200F, U+2010-2027, U+202F-2064, U+20AA, U+20AC, U+2116, U+2122, U+2190-2193, U+2212, U+2215, U+25CC, U+FB1D-FB4F, U+FEFF, U+FFFD';

const entries: FontEntry[] = [];
await rm(fontFolder, { recursive: true, force: true });
await mkdir(fontFolder, { recursive: true });

/** Heebo from its whole files: Hebrew and Latin in one font, so that a line of both is one run of one font. */
for (const [weight, style] of [
  ['400', '400Regular/Heebo_400Regular.ttf'],
  ['700', '700Bold/Heebo_700Bold.ttf'],
] as const) {
  const whole = await readFile(resolve(`@expo-google-fonts/heebo/${style}`));
  const fileName = `heebo-${weight}.woff2`;
  const subset = await subsetFont(whole, charactersOf(hebrewAndLatin), {
    targetFormat: 'woff2',
    noHinting: true,
  });
  await writeFile(new URL(fileName, fontFolder), subset);
  entries.push({ fileName, family: 'Heebo', weight, unicodeRange: hebrewAndLatin });
}
await copyFile(resolve('@expo-google-fonts/heebo/LICENSE_FONT'), new URL('heebo-license.txt', fontFolder));

/** What Heebo has no letters for, in the parts that Fontsource cuts: each goes only where a document needs it. */
async function copyParts(
  name: string,
  family: string,
  parts: (part: string) => boolean,
  weights: readonly (readonly [file: string, cssWeight: string])[],
): Promise<void> {
  const ranges = JSON.parse(await readFile(resolve(`@fontsource/${name}/unicode.json`), 'utf8')) as Record<
    string,
    string
  >;
  for (const [part, unicodeRange] of Object.entries(ranges)) {
    if (!parts(part)) {
      continue;
    }
    for (const [weight, cssWeight] of weights) {
      const fileName = `${name}-${part.replace(/[[\]]/g, '')}-${weight}.woff2`;
      await copyFile(
        resolve(`@fontsource/${name}/files/${fileName.replace('.woff2', '-normal.woff2')}`),
        new URL(fileName, fontFolder),
      );
      entries.push({ fileName, family, weight: cssWeight, unicodeRange });
    }
  }
  await copyFile(resolve(`@fontsource/${name}/LICENSE`), new URL(`${name}-license.txt`, fontFolder));
}

await copyParts('rubik', 'Rubik', (part) => /^(arabic|cyrillic|cyrillic-ext)$/.test(part), [
  ['400', '400'],
  ['700', '700'],
]);
await copyParts('noto-emoji', 'Noto Emoji', (part) => part.startsWith('['), [['400', '400 700']]);

await writeFile(new URL('fonts.json', fontFolder), JSON.stringify(entries, null, 1));
