import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pageTokens } from '@pinkas/ui';
import { build, transform } from 'esbuild';
import subsetFont from 'subset-font';
import { assetFolder } from './asset-files.js';

/*
 * The last step of the build: the style, the scripts and the typeface of the pages, as files that are served as they are. What they
 * are made from is needed here alone.
 */
const { resolve } = createRequire(import.meta.url);
const workspace = new URL('../../', import.meta.url);

/** The color of the console: brighter than that of documents, which look like paper. */
const consoleAccent = '#1b57b8';

/** Hebrew with its points, Latin, and the signs of amounts and lists. */
const characters = [
  [0x20, 0x7e],
  [0xa0, 0xff],
  [0x590, 0x5ff],
  [0x2010, 0x2027],
  [0x20aa, 0x20aa],
  [0x2190, 0x2193],
  [0x2212, 0x2212],
  [0x2713, 0x2713],
] as const;
const text = characters
  .flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  )
  .join('');

await rm(assetFolder, { recursive: true, force: true });
await mkdir(assetFolder, { recursive: true });
for (const [weight, file] of [
  ['400', '400Regular/Heebo_400Regular.ttf'],
  ['700', '700Bold/Heebo_700Bold.ttf'],
] as const) {
  const whole = await readFile(resolve(`@expo-google-fonts/heebo/${file}`));
  const subset = await subsetFont(whole, text, { targetFormat: 'woff2', noHinting: true });
  await writeFile(new URL(`heebo-${weight}.woff2`, assetFolder), subset);
}
await copyFile(resolve('@expo-google-fonts/heebo/LICENSE_FONT'), new URL('heebo-license.txt', assetFolder));
const parts = await readFile(resolve('@pinkas/ui/parts.css'), 'utf8');
const style = await readFile(new URL('src/assets/console.css', workspace), 'utf8');
const { code } = await transform(`${pageTokens(consoleAccent)}\n${parts}\n${style}`, {
  loader: 'css',
  minify: true,
});
await writeFile(new URL('console.css', assetFolder), code);
await copyFile(new URL('src/assets/icon.svg', workspace), new URL('icon.svg', assetFolder));
await build({
  entryPoints: {
    console: new URL('browser/console.ts', workspace).pathname,
    'sign-in': new URL('browser/sign-in.ts', workspace).pathname,
  },
  outdir: assetFolder.pathname,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
});
