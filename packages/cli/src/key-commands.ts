import { createKey, listKeys, revokeKey, type Scope, scopes } from '@pinkas/contracts';
import { modeOption, notFoundAs, readCount, readId, readMode } from './arguments.js';
import type { Command } from './command.js';
import { table } from './table.js';
import { UsageError } from './usage-error.js';

const business = { value: 'ID', meaning: 'the business of the key', required: true } as const;
const noBusiness = (id: string) => `No business has the id ${id}: pinkas business list shows them`;

function readScopes(text: string | undefined): Scope[] | undefined {
  if (text === undefined) {
    return undefined;
  }
  const known: readonly string[] = scopes;
  const requested = [...new Set(text.split(',').map((scope) => scope.trim()))];
  const unknown = requested.filter((scope) => !known.includes(scope));
  if (unknown.length > 0) {
    throw new UsageError(`--scopes takes ${scopes.join(',')} or some of them, not "${unknown.join(',')}"`);
  }
  return requested as Scope[];
}

/** `pinkas key …` */
export const keyCommands: readonly Command[] = [
  {
    noun: 'key',
    verb: 'create',
    summary: 'creates an API key and prints its value, once',
    arguments: [],
    options: {
      business,
      mode: modeOption,
      name: { value: 'N', meaning: 'a label; default "API key"' },
      scopes: { value: 'a,b', meaning: `default all: ${scopes.join(',')}` },
      'per-minute': { value: 'N', meaning: 'requests a minute; default 60' },
      daily: { value: 'N', meaning: 'documents a day; default 300' },
    },
    run: async ({ options }, call) => {
      const id = readId(options.business, 'business list');
      const mode = readMode(options.mode);
      const requestedScopes = readScopes(options.scopes);
      const perMinute = readCount(options['per-minute'], 'per-minute');
      const daily = readCount(options.daily, 'daily');
      const request = {
        business_id: id,
        ...(mode === undefined ? {} : { mode }),
        ...(options.name === undefined ? {} : { name: options.name }),
        ...(requestedScopes === undefined ? {} : { scopes: requestedScopes }),
        ...(perMinute === undefined ? {} : { per_minute: perMinute }),
        ...(daily === undefined ? {} : { daily_documents: daily }),
      };
      const created = await notFoundAs(call(createKey, request), noBusiness(id));
      return {
        json: created,
        text: `${created.key}\n\nThis is the key. It is not shown again: store it now.\nTo revoke it: pinkas key revoke ${created.id}`,
      };
    },
  },
  {
    noun: 'key',
    verb: 'list',
    summary: 'lists the keys of a business, without their values',
    arguments: [],
    options: { business },
    run: async ({ options }, call) => {
      const id = readId(options.business, 'business list');
      const { keys } = await notFoundAs(call(listKeys, { business_id: id }), noBusiness(id));
      const rows = keys.map((key) => [
        key.id,
        key.prefix,
        `${key.per_minute}/min`,
        `${key.daily_documents}/day`,
        key.scopes.join(','),
        key.revoked_at === null ? 'active' : `revoked ${key.revoked_at}`,
        key.name,
      ]);
      return {
        json: keys,
        text:
          rows.length === 0
            ? `The business has no key: pinkas key create --business ${id} creates one`
            : table(['id', 'prefix', 'requests', 'documents', 'scopes', 'state', 'name'], rows),
      };
    },
  },
  {
    noun: 'key',
    verb: 'revoke',
    summary: 'revokes a key at once',
    arguments: ['ID'],
    options: {},
    run: async ({ arguments: { ID } }, call) => {
      const id = readId(ID, 'key list --business ID');
      const key = await notFoundAs(call(revokeKey, { key_id: id }), `No key has the id ${id}`);
      return { json: key, text: `Revoked ${key.prefix} (${key.name}) at ${key.revoked_at}` };
    },
  },
];
