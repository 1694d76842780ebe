import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { expectVerified } from '../book.js';
import { invoice, RunningStack, sendsMail } from '../running-stack.js';
import { repositoryRoot } from '../sources.js';

const run = promisify(execFile);
const fetchTimeoutMs = 120_000;

const read = (file: string) => readFileSync(join(repositoryRoot, file), 'utf8');
const oldest = /"node": ">=(\d+\.\d+)"/.exec(read('package.json'))?.[1];
const inImages = /^ARG NODE_IMAGE=node:(\d+)/m.exec(read('deploy/Dockerfile'))?.[1];

/** Path of a Node from npm's package of that name, which npm keeps for the next time. */
async function nodeOf(version: string): Promise<string> {
  const { stdout } = await run(
    'npm',
    ['exec', '--yes', `--package=node@${version}`, '--', 'node', '-p', 'process.execPath'],
    { timeout: fetchTimeoutMs },
  );
  return stdout.trim();
}

describe('the whole system', () => {
  let stack: RunningStack | undefined;
  afterEach(async () => {
    await stack?.stop();
    stack = undefined;
  }, 60_000);

  it.each([
    ['the oldest Node that package.json allows', `${oldest}.0`],
    ['the Node of the images', `${inImages}`],
  ])(
    'issues, signs and delivers on %s',
    async (_which, version) => {
      const node = await nodeOf(version);
      expect((await run(node, ['--version'])).stdout).toMatch(
        new RegExp(`^v${version.replaceAll('.', '\\.')}(\\.|$)`, 'm'),
      );
      stack = await RunningStack.start({}, node);
      const issuer = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
      const document = await stack.issueUntilAnswered(issuer.key, invoice(6000));
      const client = await stack.client(issuer.key);
      await eventually('the document has its allocation number', async () => {
        const { allocation_number } = await client.getDocument(document.id);
        return /^\d{9}$/.test(allocation_number ?? '');
      });
      await expectVerified(stack);
      // A message that is being sent is no pending work.
      await eventually('the mail has arrived', async () => {
        return (await stack?.mailsTo('customer@example.com'))?.length === 1;
      });
    },
    300_000,
  );
});
