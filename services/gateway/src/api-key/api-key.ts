import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type ApiKey, keyLimitDefaults, scopes } from '@pinkas/contracts';
import { type Mode, modes } from '@pinkas/domain';
import type { Selectable } from 'kysely';
import type { ApiKeyTable } from '../db/gateway.tables.js';

/** Of a new key (interface, sections 5 and 8). */
export const keyDefaults = {
  name: 'API key',
  scopes: [...scopes],
  ...keyLimitDefaults,
};

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefixLength = 8;
/** 43 of 62 characters carry 256 random bits. */
const secretLength = 43;
/** 6 of 62 characters hold 32 bits. */
const checksumLength = 6;
const shape = new RegExp(
  `^pk_(?:${modes.join('|')})_[0-9A-Za-z]{${prefixLength}}_[0-9A-Za-z]{${secretLength + checksumLength}}$`,
);

const randomText = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** The CRC-32 of a text in base 62: it finds mistyped and truncated keys, and proves nothing. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < checksumLength) {
    digits = `${alphabet[rest % alphabet.length]}${digits}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** A new key's value, and the leading characters that identify it to people. */
export function makeKeyValue(mode: Mode): { value: string; prefix: string } {
  const prefix = `pk_${mode}_${randomText(prefixLength)}`;
  const text = `${prefix}_${randomText(secretLength)}`;
  return { value: `${text}${checksumOf(text)}`, prefix };
}

/** Whether a text has the form of a key, with the right checksum: no other can be a key. */
export function isWellFormedKey(text: string): boolean {
  return shape.test(text) && text.endsWith(checksumOf(text.slice(0, -checksumLength)));
}

/** The stored form of a key: useless without the pepper. */
export function hashKey(pepper: Buffer, value: string): Buffer {
  return createHmac('sha256', pepper).update(value).digest();
}

/** A row as the operator sees it, without its hash. */
export function toApiKey(row: Selectable<ApiKeyTable>): ApiKey {
  return {
    id: row.id,
    business_id: row.business_id,
    mode: row.mode,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    per_minute: row.per_minute,
    daily_documents: row.daily_documents,
    created_at: row.created_at.toISOString(),
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
