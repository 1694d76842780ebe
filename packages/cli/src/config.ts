import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Refusal } from './refusal.js';

const repositoryHome = fileURLToPath(new URL('../../../.pinkas', import.meta.url));

/**
 * Where NATS listens: `NATS_URL`, else what the local stack of `PINKAS_HOME` (by default `.pinkas` in the repository) wrote
 * into its `stack.json`.
 * @throws Refusal when neither is there.
 */
export async function findNatsUrl(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  if (env.NATS_URL) return env.NATS_URL;
  const home = env.PINKAS_HOME || repositoryHome;
  try {
    const stack = JSON.parse(await readFile(`${home}/stack.json`, 'utf8')) as { nats_url?: unknown };
    if (typeof stack.nats_url === 'string') return stack.nats_url;
  } catch {
    // No file, or half of one: the same advice helps.
  }
  throw new Refusal(`No system is known in ${home}: start it with npm run up, or set NATS_URL`);
}
