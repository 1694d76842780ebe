import type { CustomerCard } from '@pinkas/contracts';
import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { CustomerTables } from './card.tables.js';

/** What is looked for, as `nameKey` folds it, and the tax id that it may be. */
export interface Sought {
  part: string;
  /** Nine digits. */
  taxId: string | null;
}

/** How much of the name each suffix keeps, in characters. */
const suffixLength = 32;
/**
 * Up to so many places where the text occurs, their cards are fetched and sorted; of a text that occurs more often, enough
 * cards are soon met in the order of names. Fetching 300 cards, and passing the names of 50,000 until 20 of 300 are met,
 * cost about the same.
 */
const placesMax = 300;

/** Code points, the same on every server: digits, Latin, Hebrew, each by its alphabet. A folded name is its own tie-break. */
const byName = sql`name_key collate "C"`;
const columns = ['id', 'name', 'tax_id', 'legal_type', 'email', 'phone', 'city'] as const;

/** The first customers in the order of their names. */
export async function listCustomers(
  db: Database<CustomerTables>,
  businessId: string,
  limit: number,
): Promise<CustomerCard[]> {
  return db
    .selectFrom('card')
    .select(columns)
    .where('business_id', '=', businessId)
    .where('confirmed_at', 'is not', null)
    .orderBy(byName)
    .limit(limit)
    .execute();
}

/** The customers whose name contains the text or who bear the tax id, the first ones in the order of their names. */
export async function findByNameOrTaxId(
  db: Database<CustomerTables>,
  businessId: string,
  sought: Sought,
  limit: number,
): Promise<CustomerCard[]> {
  const places = await findPlaces(db, businessId, sought.part);
  const ids = [
    ...(places.length <= placesMax ? places : await walkNames(db, businessId, sought.part, limit)),
    ...(sought.taxId === null ? [] : await findBearers(db, businessId, sought.taxId, limit)),
  ];
  if (ids.length === 0) return [];
  return db
    .selectFrom('card')
    .select(columns)
    .where('business_id', '=', businessId)
    .where('id', '=', sql<string>`any(${[...new Set(ids)]}::uuid[])`)
    .where((where) =>
      // A text longer than the suffixes is only known to begin as they do.
      where.or([contains(sought.part), where('tax_id', '=', sought.taxId)]),
    )
    .orderBy(byName)
    .limit(limit)
    .execute();
}

/** No character sorts behind it. */
const last = '\u{10ffff}';

/** Cards in whose names the text occurs, one more than `placesMax` where there are more. */
async function findPlaces(db: Database<CustomerTables>, businessId: string, part: string): Promise<string[]> {
  const start = [...part].slice(0, suffixLength).join('');
  const found = await db
    .selectFrom('card_name_suffix')
    .select('card_id')
    .where('business_id', '=', businessId)
    // Comparisons, unlike LIKE, may use the index although the policy hides rows.
    .where('suffix', '>=', start)
    .where('suffix', '<', start + last)
    // In the order of the index, so that a frequent text is not looked up to its last place.
    .orderBy('suffix')
    .limit(placesMax + 1)
    .execute();
  return found.map((row) => row.card_id);
}

/** The first cards whose names contain the text; reads nothing but the index of names until it has them. */
async function walkNames(
  db: Database<CustomerTables>,
  businessId: string,
  part: string,
  limit: number,
): Promise<string[]> {
  const found = await db
    .selectFrom('card')
    .select('id')
    .where('business_id', '=', businessId)
    .where('confirmed_at', 'is not', null)
    .where(contains(part))
    .orderBy(byName)
    .limit(limit)
    .execute();
  return found.map((row) => row.id);
}

async function findBearers(
  db: Database<CustomerTables>,
  businessId: string,
  taxId: string,
  limit: number,
): Promise<string[]> {
  const found = await db
    .selectFrom('card')
    .select('id')
    .where('business_id', '=', businessId)
    .where('tax_id', '=', taxId)
    .where('confirmed_at', 'is not', null)
    .orderBy(byName)
    .limit(limit)
    .execute();
  return found.map((row) => row.id);
}

const contains = (part: string) => sql<boolean>`strpos(name_key, ${part}) > 0`;
