/** Writes one entry for each bundled library, which exports what the library exports; `bundle.mjs` joins them. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundledLibraries, entryOf } from './libraries.mjs';

/** What Node adds to the exports of a CommonJS package. */
const added = ['module.exports', '__esModule'];

// The entries of libraries that are no longer in the list.
await rm('dist/libraries', { recursive: true, force: true });
for (const library of bundledLibraries) {
  const names = Object.keys(await import(library)).filter((name) => !added.includes(name));
  const entry = join('dist', entryOf(library));
  await mkdir(dirname(entry), { recursive: true });
  await writeFile(
    entry,
    names.length > 0 ? `export { ${names.join(', ')} } from '${library}';\n` : `import '${library}';\n`,
  );
}
