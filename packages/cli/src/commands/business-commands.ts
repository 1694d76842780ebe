import {
  type Business,
  type BusinessChange,
  createBusiness,
  listBusinesses,
  showBusiness,
  updateBusiness,
} from '@pinkas/contracts';
import { allOf } from '@pinkas/exports/verify';
import { businessId } from '../builder/arguments.js';
import { noBusiness } from '../builder/calls.js';
import type { Call, Command, Output } from '../builder/command.js';
import { columns, listed } from '../builder/table.js';
import { callVerb, verb } from '../builder/verb.js';
import { readSettings } from './settings-file.js';
import { withLogo } from './settings-logo.js';

const file = {
  value: 'F',
  meaning:
    'the settings as a JSON object (- reads standard input); logo is the path of a PNG or SVG file, relative to F',
  required: true,
} as const;

/** The settings of a file, with the logo that they name. */
async function settingsOfFile(name: string): Promise<BusinessChange> {
  return (await withLogo(await readSettings(name), name)) as BusinessChange;
}

/** A setting on one line; objects as JSON. */
function shown(value: unknown): string {
  if (value === null) {
    return '–';
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function settingsOf(business: Business): Output {
  const rows = Object.entries(business).map(([field, value]) => [field, shown(value)]);
  return { json: business, text: columns(rows) };
}

/** Every business, the oldest first. */
export const listAllBusinesses = (call: Call): Promise<Business[]> =>
  allOf(call, listBusinesses, {}, ({ businesses }) => businesses);

/** Whether a business can issue, or why not. */
function stateOf(business: Business): string {
  if (business.archived) {
    return 'archived';
  }
  if (business.provider === 'external') {
    return 'external provider';
  }
  if (business.legal_type === null) {
    return 'profile incomplete';
  }
  if (business.subscription === 'inactive') {
    return 'no subscription';
  }
  return business.track === 'full' ? 'active' : 'expenses only';
}

/** `pinkas business …` */
export const businessCommands: readonly Command[] = [
  callVerb('business create', {
    summary:
      'creates a business; a minimal file is {"name": "…", "legal_type": "osek_murshe", "tax_id": "…"}',
    options: { file },
    contract: createBusiness,
    // The gateway validates it and reports every validation error.
    request: async (values) => ({ business: await settingsOfFile(values.file) }),
    print: ({ business }) => ({
      json: business,
      text: `Created the business ${business.name}: ${business.id}\nTo create its first key: pinkas key create --business ${business.id}`,
    }),
  }),
  callVerb('business update', {
    summary: 'updates any part of the settings; the rest is unchanged',
    arguments: { ID: businessId },
    options: { file },
    contract: updateBusiness,
    request: async ({ ID, ...values }) => ({ business_id: ID, change: await settingsOfFile(values.file) }),
    missing: ({ ID }) => noBusiness(ID),
    print: ({ business }) => settingsOf(business),
  }),
  callVerb('business show', {
    summary: 'shows all settings of a business',
    arguments: { ID: businessId },
    contract: showBusiness,
    request: ({ ID }) => ({ business_id: ID }),
    missing: ({ ID }) => noBusiness(ID),
    print: ({ business }) => settingsOf(business),
  }),
  verb('business list', {
    summary: 'lists all businesses, the oldest first',
    run: async (_values, call) =>
      listed(
        await listAllBusinesses(call),
        {
          id: ({ id }) => id,
          'legal type': (business) => business.legal_type ?? '–',
          'tax id': (business) => business.tax_id ?? '–',
          state: stateOf,
          name: ({ name }) => name,
        },
        'There is no business: pinkas business create --file F creates one',
      ),
  }),
];
