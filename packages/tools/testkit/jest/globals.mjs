/** `@jest/globals` of the test files that Node loads. Its names are those of the file that runs. */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

/** Called by the framework before it loads a test file. */
export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
