import {
  type Business,
  type BusinessChange,
  createBusiness,
  listBusinesses,
  showBusiness,
  updateBusiness,
} from '@pinkas/contracts';
import type { Ask, Command, Output } from './command.js';
import { orMissing, readId } from './given-values.js';
import { readSettings } from './settings-file.js';
import { withPicture } from './settings-picture.js';
import { columns, table } from './table.js';

const file = {
  value: 'F',
  meaning: 'the settings as a JSON object; logo names a PNG or SVG file beside it; - reads standard input',
  required: true,
} as const;

/** The settings of a file, with the picture that they name. */
async function settingsOfFile(name: string): Promise<BusinessChange> {
  return (await withPicture(await readSettings(name), name)) as BusinessChange;
}

/** A setting as one line; nested ones as JSON. */
const shown = (value: unknown): string =>
  value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value);

function settingsOf(business: Business): Output {
  const rows = Object.entries(business).map(([field, value]) => [field, shown(value)]);
  return { json: business, text: columns(rows) };
}

const missing = (id: string) => `No business has the id ${id}: pinkas business list shows them`;

/** Every business, page after page, the oldest first. */
export async function everyBusiness(ask: Ask): Promise<Business[]> {
  const found: Business[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof ask<typeof listBusinesses>>> = await ask(
      listBusinesses,
      after === null ? {} : { after },
    );
    found.push(...page.businesses);
    after = page.next_after;
  } while (after !== null);
  return found;
}

/** Why a business cannot issue, or that it can. */
function stateOf(business: Business): string {
  if (business.archived) return 'archived';
  if (business.provider === 'external') return 'external provider';
  if (business.legal_type === null) return 'profile incomplete';
  if (business.subscription === 'inactive') return 'no subscription';
  return business.track === 'full' ? 'active' : 'expenses only';
}

/** `pinkas business …` */
export const businessCommands: readonly Command[] = [
  {
    noun: 'business',
    verb: 'create',
    does: 'makes a business; the least is {"name": "…", "legal_type": "osek_murshe", "tax_id": "…"}',
    arguments: [],
    options: { file },
    run: async ({ options }, ask) => {
      // The gateway holds it against the schema and names every fault.
      const settings = await settingsOfFile(options.file ?? '');
      const { business } = await ask(createBusiness, { business: settings });
      return {
        json: business,
        text: `Made the business ${business.name}: ${business.id}\nIts first key: pinkas key create --business ${business.id}`,
      };
    },
  },
  {
    noun: 'business',
    verb: 'update',
    does: 'changes any part of the settings; the rest stays',
    arguments: ['ID'],
    options: { file },
    run: async ({ arguments: { ID }, options }, ask) => {
      const id = readId(ID, 'business list');
      const change = await settingsOfFile(options.file ?? '');
      const { business } = await orMissing(ask(updateBusiness, { business_id: id, change }), missing(id));
      return settingsOf(business);
    },
  },
  {
    noun: 'business',
    verb: 'show',
    does: 'shows all settings of a business',
    arguments: ['ID'],
    options: {},
    run: async ({ arguments: { ID } }, ask) => {
      const id = readId(ID, 'business list');
      return settingsOf((await orMissing(ask(showBusiness, { business_id: id }), missing(id))).business);
    },
  },
  {
    noun: 'business',
    verb: 'list',
    does: 'lists all businesses, the oldest first',
    arguments: [],
    options: {},
    run: async (_given, ask) => {
      const businesses = await everyBusiness(ask);
      const rows = businesses.map((one) => [
        one.id,
        one.legal_type ?? '–',
        one.tax_id ?? '–',
        stateOf(one),
        one.name,
      ]);
      return {
        json: businesses,
        text:
          rows.length === 0
            ? 'There is no business yet: pinkas business create --file F makes one'
            : table(['id', 'legal type', 'tax id', 'state', 'name'], rows),
      };
    },
  },
];
