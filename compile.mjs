/**
 * Compiles a workspace, `src` to `dist`: `node ../../compile.mjs`. The same compiler with the same options gives tests their sources
 * (ADR 0082); types are checked for all workspaces at once. Only what is published has declarations, by `tsc`.
 */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { transform } from '@swc/core';

/** Those of `tsconfig.base.json`, as SWC names them. */
export const compilerOptions = {
  swcrc: false,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    experimental: { keepImportAttributes: true },
  },
  module: { type: 'es6' },
};

async function compile(source, target) {
  const { code, map } = await transform(await readFile(source, 'utf8'), {
    ...compilerOptions,
    filename: source,
    sourceFileName: relative(dirname(target), source),
    sourceMaps: true,
    inlineSourcesContent: false,
  });
  await writeFile(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
  await writeFile(`${target}.map`, map);
}

if (import.meta.main) {
  const paths = await readdir('src', { recursive: true });
  const sources = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'));
  const data = paths.filter((path) => path.endsWith('.json'));
  for (const folder of new Set([...sources, ...data].map((path) => dirname(join('dist', path))))) {
    await mkdir(folder, { recursive: true });
  }
  await Promise.all([
    ...sources.map((path) => compile(join('src', path), join('dist', path.replace(/\.ts$/, '.js')))),
    ...data.map((path) => copyFile(join('src', path), join('dist', path))),
  ]);
}
