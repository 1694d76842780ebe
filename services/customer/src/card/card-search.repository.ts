import { type CustomerCard, listedDetails } from '@pinkas/contracts';
import type { Database } from '@pinkas/service-kit';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CustomerTables } from './card.tables.js';

/** A search text, folded by `nameKey` and as `namesAsTyped`, and the tax id, address or phone number that it may be. */
export interface SearchTerm {
  part: string;
  /** Both are empty where the text is nothing but signs: then they are what is searched. */
  joined: string;
  spaced: string;
  /** Nine digits. */
  taxId: string | null;
  /** In lower case. */
  email: string | null;
  /** As a person writes it. */
  phone: string | null;
}

/** The length of each suffix, in characters. */
const suffixLength = 32;
/**
 * Up to this many matches, their cards are fetched and sorted; beyond, the index of names is scanned in order. Fetching 300
 * cards and scanning 50,000 names until 20 of 300 match cost about the same.
 */
const matchesMax = 300;

/** Code points, the same on every server: digits, Latin, Hebrew, each by its alphabet. A folded name is its own tie-break. */
const byName = sql`name_key collate "C"`;
const columns = ['id', 'name', ...listedDetails] as const;

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

/** The first customers by name that contain the text, or have the tax id, address or phone number. */
export async function findCustomers(
  db: Database<CustomerTables>,
  businessId: string,
  term: SearchTerm,
  limit: number,
): Promise<CustomerCard[]> {
  const matches = await findMatches(db, businessId, term);
  const exact = exactConditions(term);
  const ids =
    matches.length <= matchesMax ? matches : await firstByName(db, businessId, contains(term), limit);
  for (const condition of exact) {
    ids.push(...(await firstByName(db, businessId, condition, limit)));
  }
  if (ids.length === 0) {
    return [];
  }
  return (
    db
      .selectFrom('card')
      .select(columns)
      .where('business_id', '=', businessId)
      .where('id', '=', sql<string>`any(${[...new Set(ids)]}::uuid[])`)
      // A text longer than the suffixes is only known to begin as they do.
      .where((where) => where.or([contains(term), ...exact]))
      .orderBy(byName)
      .limit(limit)
      .execute()
  );
}

/** What the term may be in addition to a part of a name. */
const exactConditions = ({ taxId, email, phone }: SearchTerm): RawBuilder<SqlBool>[] => [
  ...(taxId === null ? [] : [sql<SqlBool>`tax_id = ${taxId}`]),
  ...(email === null ? [] : [sql<SqlBool>`email_key = ${email}`]),
  ...(phone === null ? [] : [sql<SqlBool>`phone_key = phone_key(${phone})`]),
];

/** No character sorts behind it. */
const last = '\u{10ffff}';

/** Cards in whose names the text occurs, one more than `matchesMax` where there are more. */
async function findMatches(
  db: Database<CustomerTables>,
  businessId: string,
  { part, joined, spaced }: SearchTerm,
): Promise<string[]> {
  const ids = new Set<string>();
  for (const form of joined === '' ? [part] : new Set([joined, spaced])) {
    const start = [...form].slice(0, suffixLength).join('');
    const found = await db
      .selectFrom('card_name_suffix')
      .select('card_id')
      .where('business_id', '=', businessId)
      // Comparisons, unlike LIKE, may use the index although the policy hides rows.
      .where('suffix', '>=', start)
      .where('suffix', '<', start + last)
      // In the order of the index, so that a frequent text is not looked up to its last place.
      .orderBy('suffix')
      .limit(matchesMax + 1)
      .execute();
    for (const { card_id } of found) {
      ids.add(card_id);
    }
    if (found.length > matchesMax) {
      // Several positions of one name: still more than are fetched.
      return found.map(({ card_id }) => card_id);
    }
  }
  return [...ids];
}

/** The first cards, by name, that meet a condition. A condition on names reads nothing but their index until it has them. */
async function firstByName(
  db: Database<CustomerTables>,
  businessId: string,
  condition: RawBuilder<SqlBool>,
  limit: number,
): Promise<string[]> {
  const found = await db
    .selectFrom('card')
    .select('id')
    .where('business_id', '=', businessId)
    .where('confirmed_at', 'is not', null)
    .where(condition)
    .orderBy(byName)
    .limit(limit)
    .execute();
  return found.map((row) => row.id);
}

const contains = ({ part, joined, spaced }: SearchTerm) =>
  joined === ''
    ? sql<boolean>`strpos(name_key, ${part}) > 0`
    : sql<boolean>`(strpos(name_joined(name_key), ${joined}) > 0 or strpos(name_spaced(name_key), ${spaced}) > 0)`;
