import {
  type Business,
  type BusinessChange,
  createBusiness,
  listBusinesses,
  showBusiness,
  updateBusiness,
} from '@pinkas/contracts';
import { notFoundAs, readId } from './arguments.js';
import type { Call, Command, Output } from './command.js';
import { readSettings } from './settings-file.js';
import { withLogo } from './settings-logo.js';
import { columns, table } from './table.js';

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

const missing = (id: string) => `No business has the id ${id}: pinkas business list shows them`;

/** Every business, page after page, the oldest first. */
export async function listAllBusinesses(call: Call): Promise<Business[]> {
  const found: Business[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof call<typeof listBusinesses>>> = await call(
      listBusinesses,
      after === null ? {} : { after },
    );
    found.push(...page.businesses);
    after = page.next_after;
  } while (after !== null);
  return found;
}

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
  {
    noun: 'business',
    verb: 'create',
    summary:
      'creates a business; a minimal file is {"name": "…", "legal_type": "osek_murshe", "tax_id": "…"}',
    arguments: [],
    options: { file },
    run: async ({ options }, call) => {
      // The gateway validates it and reports every validation error.
      const settings = await settingsOfFile(options.file ?? '');
      const { business } = await call(createBusiness, { business: settings });
      return {
        json: business,
        text: `Created the business ${business.name}: ${business.id}\nTo create its first key: pinkas key create --business ${business.id}`,
      };
    },
  },
  {
    noun: 'business',
    verb: 'update',
    summary: 'updates any part of the settings; the rest is unchanged',
    arguments: ['ID'],
    options: { file },
    run: async ({ arguments: { ID }, options }, call) => {
      const id = readId(ID, 'business list');
      const change = await settingsOfFile(options.file ?? '');
      const { business } = await notFoundAs(call(updateBusiness, { business_id: id, change }), missing(id));
      return settingsOf(business);
    },
  },
  {
    noun: 'business',
    verb: 'show',
    summary: 'shows all settings of a business',
    arguments: ['ID'],
    options: {},
    run: async ({ arguments: { ID } }, call) => {
      const id = readId(ID, 'business list');
      return settingsOf((await notFoundAs(call(showBusiness, { business_id: id }), missing(id))).business);
    },
  },
  {
    noun: 'business',
    verb: 'list',
    summary: 'lists all businesses, the oldest first',
    arguments: [],
    options: {},
    run: async (_input, call) => {
      const businesses = await listAllBusinesses(call);
      const rows = businesses.map((business) => [
        business.id,
        business.legal_type ?? '–',
        business.tax_id ?? '–',
        stateOf(business),
        business.name,
      ]);
      return {
        json: businesses,
        text:
          rows.length === 0
            ? 'There is no business: pinkas business create --file F creates one'
            : table(['id', 'legal type', 'tax id', 'state', 'name'], rows),
      };
    },
  },
];
