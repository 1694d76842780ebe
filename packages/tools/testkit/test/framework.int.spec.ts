import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

/** Runs first: what it leaves behind is what a careless test leaves. */
const careless = `import { expect, it, jest } from '@jest/globals';
interface Thrown { readonly why: string }
const fail = ({ why }: Thrown): never => {
  throw new Error(why);
};
it('a test passes', () => expect([1, 'a']).toEqual([expect.any(Number), expect.any(String)]));
it('a test throws an error', () => fail({ why: 'thrown on line 4' }));
it('a value differs', () => expect({ a: 1 }).toEqual({ a: 2 }));
it('a test never ends', () => new Promise(() => {}), 200);
it('a test leaves a rejection', async () => {
  void Promise.reject(new Error('unhandled'));
  await new Promise((resolve) => setImmediate(resolve));
});
it('a test cleans nothing up', () => {
  jest.spyOn(Date, 'now').mockReturnValue(7);
  jest.useFakeTimers();
  jest.setTimeout(1);
  process.env.LEFT_BEHIND = 'yes';
  process.env.CHANGED = 'after';
  delete process.env.REMOVED;
});
`;

const next = `import { expect, it } from '@jest/globals';
it('a file finds nothing of the one before', async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(Date.now()).toBeGreaterThan(7);
  const { LEFT_BEHIND, CHANGED, REMOVED } = process.env;
  expect([LEFT_BEHIND, CHANGED, REMOVED]).toEqual([undefined, 'before', 'before']);
});
`;

/** Jest begins with the largest file otherwise. */
const byPath = `module.exports = class {
  sort(tests) {
    return tests.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }
  cacheResults() {}
};
`;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { title: string; status: string; failureMessages: string[] }[];
  }[];
}

describe('the test framework', () => {
  const results = new Map<string, { status: string; message: string }>();
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-framework-'));
    await writeFile(join(folder, '1.spec.ts'), careless);
    await writeFile(join(folder, '2.spec.ts'), next);
    const config = {
      rootDir: folder,
      testMatch: ['**/*.spec.ts'],
      testRunner: fileURLToPath(new URL('../jest/framework.mjs', import.meta.url)),
      testSequencer: join(folder, 'sequencer.cjs'),
      transform: {},
    };
    await writeFile(join(folder, 'sequencer.cjs'), byPath);
    const jest = join(dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin/jest.js');
    const report = join(folder, 'report.json');
    const args = ['--runInBand', '--config', JSON.stringify(config), '--json', `--outputFile=${report}`];
    const env = { ...process.env, CHANGED: 'before', REMOVED: 'before' };
    await run(process.execPath, [jest, ...args], { cwd: folder, env }).catch(() => undefined);
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
    for (const { title, status, failureMessages } of testResults.flatMap((file) => file.assertionResults)) {
      results.set(title, { status, message: failureMessages.join('\n') });
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('a failure names its line of the TypeScript source', () => {
    expect(results.get('a test passes')?.status).toBe('passed');
    expect(results.get('a test throws an error')?.message).toMatch(/thrown on line 4[\s\S]*1\.spec\.ts:4:9/);
    expect(results.get('a value differs')?.message).toContain('Expected');
  });

  it('a test that never ends and a rejection that no test handles are failures', () => {
    expect(results.get('a test never ends')?.message).toContain('Exceeded timeout of 200 ms');
    expect(results.get('a test leaves a rejection')?.message).toContain('unhandled');
  });

  it('mocks, timers, time limits and variables of a file do not reach the next', () => {
    expect(results.get('a test cleans nothing up')?.status).toBe('passed');
    expect(results.get('a file finds nothing of the one before')).toEqual({ status: 'passed', message: '' });
  });
});
