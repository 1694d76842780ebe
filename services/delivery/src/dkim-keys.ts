import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@pinkas/service-kit/config';

/** The key that signs the emails of a domain. */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly privateKey: string;
}

/** The keys by their domains, in ASCII and lower case. */
export type DkimKeys = ReadonlyMap<string, DkimKey>;

/** RFC 8301: signers must not use fewer than 1024 bits and should use 2048. */
const modulusBitsMin = 2048;
/** The name in the DNS under which the public key is published (RFC 6376, 3.6.2.1). */
const fileName = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)\._domainkey\.([a-z0-9-]+(?:\.[a-z0-9-]+)+)\.pem$/;

/**
 * Reads the keys of a folder, each in a file `<selector>._domainkey.<domain>.pem`.
 * @throws ConfigError where a key cannot sign. The mail library would send such an email without a signature.
 */
export function readDkimKeys(folder: string): DkimKeys {
  const fail = (what: string, cause?: unknown) =>
    new ConfigError(`DKIM_KEY_FOLDER (${folder}) ${what}.`, { cause });
  const keys = new Map<string, DkimKey>();
  for (const name of namesOf(folder, fail)) {
    const [, selector, domain] = fileName.exec(name) ?? [];
    if (selector === undefined || domain === undefined) {
      throw fail(`has ${name}: name it <selector>._domainkey.<domain>.pem, in lower case`);
    }
    if (keys.has(domain)) {
      throw fail(`has two keys for ${domain}: one signs, the other's public key may stay in the DNS`);
    }
    keys.set(domain, { domain, selector, privateKey: privateKeyOf(folder, name, fail) });
  }
  if (keys.size === 0) {
    throw fail('has no key <selector>._domainkey.<domain>.pem');
  }
  return keys;
}

type Fail = (what: string, cause?: unknown) => ConfigError;

function namesOf(folder: string, fail: Fail): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.pem'));
  } catch (error) {
    throw fail(`cannot be read: ${(error as Error).message}`, error);
  }
}

function privateKeyOf(folder: string, name: string, fail: Fail): string {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(join(folder, name)));
  } catch (error) {
    throw fail(`has ${name}, which is not a private key in PEM without a password`, error);
  }
  if (key.asymmetricKeyType !== 'rsa') {
    throw fail(
      `has ${name} with a key of type ${key.asymmetricKeyType}: emails are signed with RSA keys only (docs/adr/0040-dkim.md)`,
    );
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < modulusBitsMin) {
    throw fail(`has ${name} with ${bits} bits: an RSA key needs ${modulusBitsMin} at least`);
  }
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
