import { type EnvField, isOnThisMachine } from './env-field.js';
import { readNatsAddress } from './nats-connection.js';

/**
 * Words that documentation and example files use in place of a secret. The complete text must consist of them: one that only begins so
 * may be random, and random secrets must never be rejected.
 */
const placeholders =
  /^(?:(?:your|my|own|the|a|some|this|it|me|here|with|please|real|new|insert|replace|change|secret|password|passw0rd|pass|key|token|pepper|value|placeholder|example|default|test|admin|root|postgres|nats|user|none|null|todo)+\d{0,4}|x+|0+)$/;
const digitsInOrder = '1234567890'.repeat(8);
/** A random text has at least so many different characters. */
const differentCharactersMin = 6;

/** The secret in a variable's text: the password of an address, or all of it. */
function secretIn(text: string): string {
  const passwords = text
    .split(',')
    .map((part) => /^[a-z]+:\/\/[^:@/]*:([^@/]*)@/.exec(part)?.[1])
    .filter((password) => password !== undefined);
  if (passwords.length > 0) {
    return passwords[0] ?? '';
  }
  return /^[a-z]+:\/\//.test(text) ? '' : text;
}

/** Whether a text is a placeholder for a secret, as far as a text can show it. */
export function isPlaceholder(text: string, example: string): boolean {
  const secret = secretIn(text);
  // An address without a password: its server decides whether it needs one.
  if (secret === '') {
    return false;
  }
  const plain = secret.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return (
    secret === secretIn(example) ||
    placeholders.test(plain) ||
    digitsInOrder.startsWith(plain) ||
    new Set(secret).size < differentCharactersMin
  );
}

/** What makes an environment unsafe for real documents, besides what is invalid anywhere. */
export function productionFindings(
  fields: readonly EnvField<unknown>[],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const findings = fields
    .filter((field) => field.secret && isPlaceholder(env[field.name] ?? '', field.example))
    .map(
      (field) =>
        `${field.name} is a placeholder: set what its server has given, or generate a secret, such as with openssl rand -hex 32`,
    );
  const plain = fields.filter(({ name, tls }) => tls && isWithoutTls(env[name] ?? ''));
  findings.push(
    ...plain.map(
      ({ name }) =>
        `${name} begins with http:, so that cookies and tokens can be read on the way: set an address that begins with https:`,
    ),
  );
  if (fields.some((field) => field.name === 'NATS_URL') && env.NATS_URL && !namesUser(env.NATS_URL)) {
    findings.push('NATS_URL has no user: every service has its own, with a password');
  }
  return findings;
}

const isWithoutTls = (address: string): boolean =>
  /^http:/i.test(address) && URL.canParse(address) && !isOnThisMachine(address);

function namesUser(address: string): boolean {
  try {
    return Boolean(readNatsAddress(address).password);
  } catch {
    // That it is malformed is reported separately.
    return true;
  }
}
