import { readFile } from 'node:fs/promises';
import { UsageError } from './usage-error.js';

/**
 * The URL of NATS: `NATS_URL`, else that in the `stack.json` of `PINKAS_HOME`, which `npm run pinkas` sets where it is not set.
 * @throws UsageError when there is neither.
 */
export async function findNatsUrl(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  if (env.NATS_URL) {
    return env.NATS_URL;
  }
  const home = env.PINKAS_HOME;
  if (!home) {
    throw new UsageError('NATS_URL is not set, nor PINKAS_HOME, the folder of a local system');
  }
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
