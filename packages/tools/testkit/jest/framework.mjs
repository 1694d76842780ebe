/**
 * Jest's test framework (jest-circus) for files that Node itself loads, instead of a new module registry for each file in a context of
 * its own: in a worker the libraries and sources are loaded once. What Jest isolates otherwise is put back here after each file:
 * mocks, timers and the environment.
 */
import { createRequire } from 'node:module';
import { ModernFakeTimers } from '@jest/fake-timers';
import circus from 'jest-circus/runner';
import { ModuleMocker } from 'jest-mock';
import { setGlobals } from './globals.mjs';
import { loadTestFile } from './typescript.mjs';

const require = createRequire(import.meta.url);

/** Where Jest's framework looks for what `jest.setTimeout` was given. */
const testTimeout = Symbol.for('TEST_TIMEOUT_SYMBOL');

const mocker = new ModuleMocker(globalThis);

/** The part of Jest's object that needs no registry of modules. */
function jestObject(config) {
  const timers = new ModernFakeTimers({ config, global: globalThis });
  return {
    fn: mocker.fn.bind(mocker),
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: () => mocker.restoreAllMocks(),
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
    runOnlyPendingTimers: () => timers.runOnlyPendingTimers(),
    setTimeout: (ms) => {
      globalThis[testTimeout] = ms;
    },
  };
}

/** Runs one test file; the shape is that of Jest's option `testRunner`. */
export default async function runTestFile(
  globalConfig,
  config,
  _environment,
  _runtime,
  testPath,
  sendMessage,
) {
  // Jest's own stack traces would look for maps that only its transformers have.
  Error.prepareStackTrace = undefined;
  const variables = { ...process.env };
  const jest = jestObject(config);
  const native = {
    requireInternalModule: (path) => {
      // The state of a file is in this module.
      delete require.cache[path];
      return require(path);
    },
    requireModule: require,
    setGlobalsForRuntime: (globals) => setGlobals({ ...globals, jest }),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: loadTestFile,
    enterTestCode: () => {},
    leaveTestCode: () => {},
  };
  try {
    return await circus.default(globalConfig, config, { global: globalThis }, native, testPath, sendMessage);
  } finally {
    mocker.restoreAllMocks();
    jest.useRealTimers();
    delete globalThis[testTimeout];
    for (const name of Object.keys(process.env)) {
      if (!(name in variables)) {
        delete process.env[name];
      }
    }
    Object.assign(process.env, variables);
  }
}
