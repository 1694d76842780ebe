import { createKey, listKeys, revokeKey, type Scope, scopes } from '@pinkas/contracts';
import type { Command } from './command.js';
import { orMissing, readCount, readId } from './given-values.js';
import { Refusal } from './refusal.js';
import { table } from './table.js';

const business = { value: 'ID', meaning: 'the business that the key speaks for', required: true } as const;
const noBusiness = (id: string) => `No business has the id ${id}: pinkas business list shows them`;

function readScopes(text: string | undefined): Scope[] | undefined {
  if (text === undefined) return undefined;
  const known: readonly string[] = scopes;
  const wanted = [...new Set(text.split(',').map((one) => one.trim()))];
  const unknown = wanted.filter((one) => !known.includes(one));
  if (unknown.length > 0) {
    throw new Refusal(`--scopes takes ${scopes.join(',')} or some of them, not "${unknown.join(',')}"`);
  }
  return wanted as Scope[];
}

/** `pinkas key …` */
export const keyCommands: readonly Command[] = [
  {
    noun: 'key',
    verb: 'create',
    does: 'makes an API key and shows its value, this once',
    arguments: [],
    options: {
      business,
      name: { value: 'N', meaning: 'a label; default "API key"' },
      scopes: { value: 'a,b', meaning: `default all: ${scopes.join(',')}` },
      'per-minute': { value: 'N', meaning: 'requests a minute; default 60' },
      daily: { value: 'N', meaning: 'documents a day; default 300' },
    },
    run: async ({ options }, ask) => {
      const id = readId(options.business, 'business list');
      const wantedScopes = readScopes(options.scopes);
      const perMinute = readCount(options['per-minute'], 'per-minute');
      const daily = readCount(options.daily, 'daily');
      const request = {
        business_id: id,
        ...(options.name === undefined ? {} : { name: options.name }),
        ...(wantedScopes === undefined ? {} : { scopes: wantedScopes }),
        ...(perMinute === undefined ? {} : { per_minute: perMinute }),
        ...(daily === undefined ? {} : { daily_documents: daily }),
      };
      const made = await orMissing(ask(createKey, request), noBusiness(id));
      return {
        json: made,
        text: `${made.key}\n\nThat is the whole key, shown this once: store it now.\nIts id, to revoke it: ${made.id}`,
      };
    },
  },
  {
    noun: 'key',
    verb: 'list',
    does: 'lists the keys of a business, without their values',
    arguments: [],
    options: { business },
    run: async ({ options }, ask) => {
      const id = readId(options.business, 'business list');
      const { keys } = await orMissing(ask(listKeys, { business_id: id }), noBusiness(id));
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
            ? `There is no key yet: pinkas key create --business ${id} makes one`
            : table(['id', 'prefix', 'requests', 'documents', 'scopes', 'state', 'name'], rows),
      };
    },
  },
  {
    noun: 'key',
    verb: 'revoke',
    does: 'ends a key at once',
    arguments: ['ID'],
    options: {},
    run: async ({ arguments: { ID } }, ask) => {
      const id = readId(ID, 'key list --business ID');
      const key = await orMissing(ask(revokeKey, { key_id: id }), `No key has the id ${id}`);
      return { json: key, text: `Revoked ${key.prefix} (${key.name}) at ${key.revoked_at}` };
    },
  },
];
