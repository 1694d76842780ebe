import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { UsageError } from './usage-error.js';

const repositoryHome = fileURLToPath(new URL('../../../.pinkas', import.meta.url));

/**
 * The URL of NATS: `NATS_URL`, else that in the `stack.json` of `PINKAS_HOME` (by default `.pinkas` in the repository).
 * @throws UsageError when there is neither.
 */
export async function findNatsUrl(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  if (env.NATS_URL) {
    return env.NATS_URL;
  }
  const home = env.PINKAS_HOME || repositoryHome;
  try {
    const stack = JSON.parse(await readFile(`${home}/stack.json`, 'utf8')) as { nats_url?: unknown };
    if (typeof stack.nats_url === 'string') {
      return stack.nats_url;
    }
  } catch {
    // A missing file and an incomplete one have the same remedy.
  }
  throw new UsageError(`No running system found in ${home}: start it with npm run up, or set NATS_URL`);
}
