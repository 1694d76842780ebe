import { fileURLToPath } from 'node:url';
import { libraryMapper } from './packages/tools/testkit/jest/libraries.mjs';

/** `npm test` runs all but `*.system.spec.ts`, `npm run test:system` these, and `*.alone.system.spec.ts` after them; without a size all run. */
const size = process.env.PINKAS_TEST_SIZE;
const matches = { system: '**/*.system.spec.ts', alone: '**/*.alone.system.spec.ts' };
const ignored = { normal: ['\\.system\\.spec\\.ts$'], system: ['\\.alone\\.system\\.spec\\.ts$'] };

/** The one Jest preset: ES modules through SWC, workspace packages read from their sources. */
export default {
  testEnvironment: fileURLToPath(new URL('packages/tools/testkit/jest/environment.mjs', import.meta.url)),
  // Real servers on a machine that other programs use as well: a bound, not a measure.
  testTimeout: 180_000,
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { ...libraryMapper, '^(\\.{1,2}/.*)\\.js$': '$1' },
  testMatch: [matches[size] ?? '**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...(ignored[size] ?? [])],
  modulePathIgnorePatterns: ['/dist/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
