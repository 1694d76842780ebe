import type { EnvField } from './config.js';
import { readNatsAddress } from './nats-connection.js';

/**
 * Words of which documentation and example files make what stands for a secret. The whole text has to consist of
 * them: one that only begins so may be random, and random secrets are never to be refused.
 */
const placeholders =
  /^(?:(?:your|my|own|the|a|some|this|it|me|here|with|please|real|new|insert|replace|change|secret|password|passw0rd|pass|key|token|pepper|value|placeholder|example|default|test|admin|root|postgres|nats|user|none|null|todo)+\d{0,4}|x+|0+)$/;
const digitsInOrder = '1234567890'.repeat(8);
/** Fewer different characters than this are no random text. */
const differentCharactersMin = 6;

/** The secret in a variable's text: the password of an address, or all of it. */
function secretIn(text: string): string {
  const passwords = text
    .split(',')
    .map((part) => /^[a-z]+:\/\/[^:@/]*:([^@/]*)@/.exec(part)?.[1])
    .filter((password) => password !== undefined);
  if (passwords.length > 0) return passwords[0] ?? '';
  return /^[a-z]+:\/\//.test(text) ? '' : text;
}

/** Whether somebody put a text there until a real secret would be made, as far as a text can show it. */
export function isPlaceholder(text: string, example: string): boolean {
  const secret = secretIn(text);
  // An address without a password: whether it needs one is for whoever is reached there.
  if (secret === '') return false;
  const plain = secret.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return (
    secret === secretIn(example) ||
    placeholders.test(plain) ||
    digitsInOrder.startsWith(plain) ||
    new Set(secret).size < differentCharactersMin
  );
}

/** What is wrong with an environment that real documents are issued in, beside what is wrong anywhere. */
export function productionFaults(
  fields: readonly EnvField<unknown>[],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const faults = fields
    .filter((field) => field.secret && isPlaceholder(env[field.name] ?? '', field.example))
    .map(
      (field) =>
        `${field.name} is a placeholder: make a secret of its own, such as with openssl rand -hex 32`,
    );
  if (fields.some((field) => field.name === 'NATS_URL') && env.NATS_URL && !namesUser(env.NATS_URL))
    faults.push('NATS_URL names no user: every service has one of its own, with a password');
  return faults;
}

function namesUser(address: string): boolean {
  try {
    return Boolean(readNatsAddress(address).password);
  } catch {
    // That it is no address at all is a fault of its own.
    return true;
  }
}
