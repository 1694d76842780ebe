/**
 * Lets Node load the tests and sources of all workspaces as they are: compiled by SWC, workspaces from their sources, `@jest/globals`
 * with what Jest's framework gives. A module is loaded once in a process, not once for each test file (ADR 0028).
 */
import { readFileSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';
import { compilerOptions } from '../../../../compile.mjs';

const jestGlobals = new URL('./globals.mjs', import.meta.url).href;
/** A test file has a query besides. */
const typescript = /\.ts(\?|$)/;

/** `./x.js` of a TypeScript file is `./x.ts` in the sources, and `./x.js` where there is one. */
function resolve(specifier, context, nextResolve) {
  if (specifier === '@jest/globals') {
    return { url: jestGlobals, format: 'module', shortCircuit: true };
  }
  const withSources = { ...context, conditions: ['source', ...context.conditions] };
  if (typescript.test(context.parentURL ?? '') && /^\.{1,2}\/.*\.js$/.test(specifier)) {
    try {
      return nextResolve(specifier.replace(/\.js$/, '.ts'), withSources);
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') {
        throw error;
      }
    }
  }
  return nextResolve(specifier, withSources);
}

function load(url, context, nextLoad) {
  if (!typescript.test(url)) {
    return nextLoad(url, context);
  }
  const filename = fileURLToPath(url);
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    ...compilerOptions,
    filename,
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}

enableCompileCache();
process.setSourceMapsEnabled(true);
registerHooks({ resolve, load });

let loads = 0;

/** Loads a test file, also where this process has loaded it before. */
export function loadTestFile(path) {
  loads += 1;
  return import(`${pathToFileURL(path).href}?load=${loads}`);
}
