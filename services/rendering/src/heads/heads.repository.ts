import { type ServiceName, type SignedEnd, signedHeadsPageMax } from '@pinkas/contracts';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import { advisoryLock, type Database, type Transaction } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type {
  HeadsCertificateTable,
  HeadsTables,
  SignedHeadsTable,
  StatedHeadTable,
} from '../db/heads.tables.js';

/** Less than half of the message limit of NATS (1 MB): quotes and base64 make it longer. */
const pageBytesMax = 400 * 1024;

type Reader = Database<HeadsTables> | Transaction<HeadsTables>;

/** One statement is signed at a time. */
export async function lockSignedHeads(trx: Transaction<HeadsTables>): Promise<void> {
  await advisoryLock(trx, 'signed heads');
}

export function lastSignedHeads(db: Reader): Promise<SignedHeadsTable | undefined> {
  return db
    .selectFrom('signed_heads')
    .select(['n', 'signed_at', 'statement', 'signature', 'certificate_sha256'])
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The statements after a number, as many as fit into one message, or one. */
export async function signedHeadsAfter(db: Reader, n: number): Promise<SignedHeadsTable[]> {
  const { rows } = await sql<SignedHeadsTable>`
    select n, signed_at, statement, signature, certificate_sha256
    from (
      select *, row_number() over (order by n) as place,
        sum(octet_length(statement) + octet_length(signature)) over (order by n) as bytes
      from (
        select * from signed_heads where n > ${n} order by n limit ${signedHeadsPageMax}
      ) as page
    ) as measured
    where place = 1 or bytes <= ${pageBytesMax}
    order by n`.execute(db);
  return rows;
}

export async function insertSignedHeads(trx: Transaction<HeadsTables>, row: SignedHeadsTable): Promise<void> {
  await trx.insertInto('signed_heads').values(row).execute();
}

/** Stores certificates; those that are stored already stay as they are. */
export async function insertCertificates(
  trx: Transaction<HeadsTables>,
  rows: readonly HeadsCertificateTable[],
): Promise<void> {
  await trx
    .insertInto('heads_certificate')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function storedCertificates(db: Reader): Promise<Pick<HeadsCertificateTable, 'sha256' | 'purpose'>[]> {
  return db.selectFrom('heads_certificate').select(['sha256', 'purpose']).execute();
}

/** The end of each chain as it was stated last, by its name. */
export async function statedHeads(trx: Transaction<HeadsTables>): Promise<Map<string, StatedHeadTable>> {
  const rows = await trx.selectFrom('stated_head').select(['chain', 'n', 'hash', 'stated_at']).execute();
  return new Map(rows.map((row) => [row.chain, row]));
}

export async function updateStated(
  trx: Transaction<HeadsTables>,
  rows: readonly StatedHeadTable[],
): Promise<void> {
  if (rows.length > 0) {
    await trx
      .insertInto('stated_head')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('chain').doUpdateSet((set) => ({
          n: set.ref('excluded.n'),
          hash: set.ref('excluded.hash'),
          stated_at: set.ref('excluded.stated_at'),
        })),
      )
      .execute();
  }
}

/** The last signed ends of the series of a business. */
export async function signedEndsOf(db: Reader, businessId: string): Promise<SignedEnd[]> {
  const rows = await db
    .selectFrom('stated_head')
    .select(['chain', 'n', 'hash', 'stated_at'])
    .where(
      'chain',
      'in',
      documentTypes.map((type) => chainName({ service: 'issuing', business_id: businessId, type })),
    )
    .execute();
  return rows.flatMap(({ chain, n, hash, stated_at }) => {
    const type = documentTypes.find((item) => chain.endsWith(` ${item}`));
    return type ? [{ type, n, hash, at: stated_at?.toISOString() ?? null }] : [];
  });
}

/** The key under which a chain is stored. */
export const chainName = ({
  service,
  business_id,
  type,
}: {
  readonly service: ServiceName;
  readonly business_id: string;
  readonly type: DocumentType | null;
}): string => [service, business_id, type ?? 'trail'].join(' ');
