import { createKey, listKeys, revokeKey, scopes } from '@pinkas/contracts';
import { businessId, count, given, idFrom, modeOption, someOf } from '../builder/arguments.js';
import { noBusiness } from '../builder/calls.js';
import type { Command } from '../builder/command.js';
import { listed } from '../builder/table.js';
import { callVerb } from '../builder/verb.js';

const business = {
  value: 'ID',
  meaning: 'the business of the key',
  required: true,
  kind: businessId,
} as const;

/** `pinkas key …` */
export const keyCommands: readonly Command[] = [
  callVerb('key create', {
    summary: 'creates an API key and prints its value, once',
    options: {
      business,
      mode: modeOption,
      name: { value: 'N', meaning: 'a label; default "API key"' },
      scopes: { value: 'a,b', meaning: `default all: ${scopes.join(',')}`, kind: someOf(scopes) },
      'per-minute': { value: 'N', meaning: 'requests a minute; default 60', kind: count },
      daily: { value: 'N', meaning: 'documents a day; default 300', kind: count },
    },
    contract: createKey,
    request: ({ business: business_id, mode, name, scopes, daily, 'per-minute': per_minute }) => ({
      business_id,
      ...given({ mode, name, scopes, per_minute, daily_documents: daily }),
    }),
    missing: (values) => noBusiness(values.business),
    print: ({ key, id }) =>
      `${key}\n\nThis is the key. It is not shown again: store it now.\nTo revoke it: pinkas key revoke ${id}`,
  }),
  callVerb('key list', {
    summary: 'lists the keys of a business, without their values',
    options: { business },
    contract: listKeys,
    request: (values) => ({ business_id: values.business }),
    missing: (values) => noBusiness(values.business),
    print: ({ keys }, values) =>
      listed(
        keys,
        {
          id: ({ id }) => id,
          prefix: ({ prefix }) => prefix,
          requests: (key) => `${key.per_minute}/min`,
          documents: (key) => `${key.daily_documents}/day`,
          scopes: (key) => key.scopes.join(','),
          state: (key) => (key.revoked_at === null ? 'active' : `revoked ${key.revoked_at}`),
          name: ({ name }) => name,
        },
        `The business has no key: pinkas key create --business ${values.business} creates one`,
      ),
  }),
  callVerb('key revoke', {
    summary: 'revokes a key at once',
    arguments: { ID: idFrom('key list --business ID') },
    contract: revokeKey,
    request: ({ ID }) => ({ key_id: ID }),
    missing: ({ ID }) => `No key has the id ${ID}`,
    print: (key) => `Revoked ${key.prefix} (${key.name}) at ${key.revoked_at}`,
  }),
];
