import { readFile } from 'node:fs/promises';
import type { UniformSoftware } from '@pinkas/domain/uniform';
import { describeSoftware, unregisteredSoftware } from '@pinkas/exports';
import { RefusalError } from './builder/usage-error.js';

/**
 * What the files of the uniform structure say of the software: `ACCOUNTING_SOFTWARE_NUMBER`, `SOFTWARE_VENDOR_TAX_ID` and
 * `SOFTWARE_VENDOR_NAME`. A business that runs the software for itself is its own vendor.
 * @throws RefusalError for a number that the authority's fields cannot hold.
 */
export function readSoftware(
  business: { name: string; tax_id: string | null },
  env: NodeJS.ProcessEnv = process.env,
): UniformSoftware {
  const registration = env.ACCOUNTING_SOFTWARE_NUMBER || unregisteredSoftware;
  const software = describeSoftware(
    {
      registration,
      vendorTaxId: env.SOFTWARE_VENDOR_TAX_ID ?? '',
      vendorName: env.SOFTWARE_VENDOR_NAME ?? '',
    },
    business,
  );
  if (!/^\d{1,8}$/.test(registration)) {
    throw new RefusalError('ACCOUNTING_SOFTWARE_NUMBER must be a number of at most 8 digits');
  }
  if (!/^\d{0,9}$/.test(software.vendorTaxId)) {
    throw new RefusalError('SOFTWARE_VENDOR_TAX_ID must be a number of at most 9 digits');
  }
  return software;
}

/** The URL of NATS. */
export interface NatsUrl {
  readonly url: string;
  /** Whether it is that of a system that `npm run up` has started. */
  readonly local: boolean;
}

/** The folder of the local system that the command reaches; null where `NATS_URL` names another. */
export const localHome = (env: NodeJS.ProcessEnv = process.env): string | null =>
  env.NATS_URL ? null : env.PINKAS_HOME || null;

/**
 * The URL of NATS: `NATS_URL`, else that in the `stack.json` of `PINKAS_HOME`, which `npm run pinkas` sets where it is not set.
 * @throws RefusalError when there is neither.
 */
export async function findNatsUrl(env: NodeJS.ProcessEnv = process.env): Promise<NatsUrl> {
  if (env.NATS_URL) {
    return { url: env.NATS_URL, local: false };
  }
  const home = env.PINKAS_HOME;
  if (!home) {
    throw new RefusalError('NATS_URL is not set, nor PINKAS_HOME, the folder of a local system');
  }
  try {
    const stack = JSON.parse(await readFile(`${home}/stack.json`, 'utf8')) as { nats_url?: unknown };
    if (typeof stack.nats_url === 'string') {
      return { url: stack.nats_url, local: true };
    }
  } catch {
    // A missing file and an incomplete one have the same remedy.
  }
  throw new RefusalError(`No running system found in ${home}: start it with npm run up, or set NATS_URL`);
}
