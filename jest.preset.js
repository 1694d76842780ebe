import { fileURLToPath } from 'node:url';

/** `npm test` runs all but `*.system.spec.ts`, `npm run test:system` these, and `*.alone.system.spec.ts` after them; without a size all run. */
const size = process.env.PINKAS_TEST_SIZE;
const matches = { system: '**/*.system.spec.ts', alone: '**/*.alone.system.spec.ts' };
const ignored = { normal: ['\\.system\\.spec\\.ts$'], system: ['\\.alone\\.system\\.spec\\.ts$'] };

/** The one Jest preset: Node itself loads tests and sources, see the framework. */
export default {
  testRunner: fileURLToPath(new URL('packages/tools/testkit/jest/framework.mjs', import.meta.url)),
  // Real servers on a machine that other programs use as well: a bound, not a measure.
  testTimeout: 180_000,
  testMatch: [matches[size] ?? '**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...(ignored[size] ?? [])],
  modulePathIgnorePatterns: ['/dist/'],
  transform: {},
};
