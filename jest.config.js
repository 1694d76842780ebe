import preset from './jest.preset.js';

/** Every workspace is one Jest project, so that one run and one report cover all tests. */
export default {
  // Jest takes these from the root alone.
  testTimeout: preset.testTimeout,
  // More than the cores of CI: for most of their time the tests of what hangs or is taken away wait.
  maxWorkers: 5,
  // Every test file loads its modules anew, and Node keeps them: the more there are, the longer each collection of garbage.
  workerIdleMemoryLimit: '1GB',
  testSequencer: '<rootDir>/packages/tools/testkit/jest/longest-first.mjs',
  projects: [
    '<rootDir>/packages/*/jest.config.js',
    '<rootDir>/packages/tools/*/jest.config.js',
    '<rootDir>/services/*/jest.config.js',
    '<rootDir>/test/jest.config.js',
  ],
  globalSetup: '<rootDir>/packages/tools/testkit/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/packages/tools/testkit/jest/global-teardown.mjs',
};
