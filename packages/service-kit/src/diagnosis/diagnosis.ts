import type { Check, CheckArea } from '@pinkas/contracts';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { withTimeout } from '../concurrency/with-timeout.js';
import { isOnThisMachine } from '../process/env-field.js';

/** Checks what one part of a process knows. It changes nothing, and every wait in it ends within `check`. */
export type CheckSource = () => Promise<readonly Check[]> | readonly Check[];

/** What this process reports to `pinkas doctor`; each part of it adds its own checks in its constructor. */
export class Diagnosis {
  readonly #sources: { readonly area: CheckArea; readonly source: CheckSource }[] = [];

  /** @param service whose process it is, for checks that do not end. */
  constructor(private readonly service: string) {}

  add(area: CheckArea, source: CheckSource): void {
    this.#sources.push({ area, source });
  }

  /** The checks of all parts, at the same time. Never rejects. */
  async run(): Promise<Check[]> {
    const results = this.#sources.map(({ area, source }) => {
      const checks = Promise.resolve().then(source);
      const failed = (finding: string) => [
        notChecked(area, `${area} of ${this.service}`, finding, 'Correct the failures first, and look again'),
      ];
      return withTimeout(
        checks.catch((error: Error) => failed(`the check failed: ${error.message}`)),
        timeLimitsMs.check,
        () => failed(`the check did not end within ${timeLimitsMs.check / 1_000} s`),
      );
    });
    return (await Promise.all(results)).flat();
  }
}

export const ok = (area: CheckArea, subject: string, finding: string): Check => ({
  ...{ area, subject, state: 'ok', finding, remedy: null },
});

export const warning = (area: CheckArea, subject: string, finding: string, remedy: string): Check => ({
  ...{ area, subject, state: 'warning', finding, remedy },
});

export const failure = (area: CheckArea, subject: string, finding: string, remedy: string): Check => ({
  ...{ area, subject, state: 'failure', finding, remedy },
});

export const notChecked = (area: CheckArea, subject: string, finding: string, remedy: string): Check => ({
  ...{ area, subject, state: 'not_checked', finding, remedy },
});

/**
 * A finding that is wrong where real documents are issued, and to be known where the system is tried out: with PRODUCTION=false,
 * or where only this machine reaches it.
 * @param publicAddress one that callers or customers open.
 */
export const wrongInProduction = (production: boolean, publicAddress: string) =>
  production && !isOnThisMachine(publicAddress) ? failure : warning;

/** Top-level names that the DNS never has, and the names of examples (RFC 2606, RFC 6761). */
export const isReservedName = (host: string): boolean =>
  /(^|\.)(test|example|invalid|localhost|local|internal)$|(^|\.)example\.(com|net|org)$/i.test(host);

/** Addresses that callers, customers and owners open. @param addresses by the names of their variables. */
export function checkPublicAddresses(
  production: boolean,
  addresses: Readonly<Record<string, string>>,
): Check[] {
  const all = Object.entries(addresses);
  if (all.every(([, address]) => isOnThisMachine(address))) {
    return [
      ...all.map(([name, address]) => ok('configuration', name, address)),
      warning(
        'configuration',
        'public addresses',
        'lead to this machine: the system is for trying out',
        'Set BASE_URL and the others to addresses that others reach: docs/operating/install.md',
      ),
    ];
  }
  return all.map(([name, address]) => {
    const weakness = weaknessOf(address);
    const remedy = `Set ${name} to the public address, which begins with https:`;
    return weakness === null
      ? ok('configuration', name, address)
      : (production ? failure : warning)('configuration', name, `${address} ${weakness}`, remedy);
  });
}

function weaknessOf(address: string): string | null {
  if (isOnThisMachine(address)) {
    return 'is reached from this machine only';
  }
  if (isReservedName(new URL(address).hostname)) {
    return 'has a name that no public DNS has';
  }
  return address.startsWith('http:') ? 'has no TLS' : null;
}
