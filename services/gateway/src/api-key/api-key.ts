import { createHmac, randomInt } from 'node:crypto';
import { type ApiKey, scopes } from '@pinkas/contracts';
import type { Selectable } from 'kysely';
import type { ApiKeyTable } from './api-key.tables.js';

/** What a new key may do where its operator says nothing (interface, sections 5 and 8). */
export const keyDefaults = {
  name: 'API key',
  scopes: [...scopes],
  perMinute: 60,
  dailyDocuments: 300,
};

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefixLength = 8;
/** 43 of 62 characters carry 256 random bits. */
const secretLength = 43;
const shape = new RegExp(`^pk_live_[0-9A-Za-z]{${prefixLength}}_[0-9A-Za-z]{${secretLength}}$`);

const randomText = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** A new key's value, and the leading characters by which people tell it from others. */
export function makeKeyValue(): { value: string; prefix: string } {
  const prefix = `pk_live_${randomText(prefixLength)}`;
  return { value: `${prefix}_${randomText(secretLength)}`, prefix };
}

/** Whether a text could be a key at all. */
export function looksLikeKey(text: string): boolean {
  return shape.test(text);
}

/** What is stored of a key: without the pepper, a copy of the table is worth nothing. */
export function hashKey(pepper: Buffer, value: string): Buffer {
  return createHmac('sha256', pepper).update(value).digest();
}

/** A row as its operator sees it. */
export function toApiKey(row: Selectable<ApiKeyTable>): ApiKey {
  return {
    id: row.id,
    business_id: row.business_id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    per_minute: row.per_minute,
    daily_documents: row.daily_documents,
    created_at: row.created_at.toISOString(),
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
