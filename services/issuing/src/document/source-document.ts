import type { Business, IssuedDocument } from '@pinkas/contracts';
import { type Agorot, fromShekels, toShekels } from '@pinkas/domain';
import { ApiError, type Database, type Transaction } from '@pinkas/service-kit';
import { creditedTotal, type DocumentRow, findById, lockById, updateSource } from './document.repository.js';
import type { IssuingTables } from './document.tables.js';
import { checkSource, effectOnSource } from './document-rules.js';

type SourceReference = NonNullable<IssuedDocument['based_on']>;

/**
 * Finds the document that a new one is based on.
 * @throws ApiError `based_on_not_found`, `based_on_type_not_allowed`, `based_on_cancelled`.
 */
export async function findSource(
  db: Database<IssuingTables>,
  business: Pick<Business, 'id'>,
  type: IssuedDocument['type'],
  id: string,
): Promise<SourceReference> {
  const row = await findById(db, business.id, id);
  if (!row) {
    throw new ApiError('based_on_not_found');
  }
  checkSource(type, row);
  return { id: row.id, type: row.type, number: row.number, date: row.dated_on };
}

/**
 * Locks the source of a document until the transaction ends, and checks it again: it may have been cancelled since `findSource`.
 * @returns null for a document that is based on no other.
 */
export async function lockSource(
  trx: Transaction<IssuingTables>,
  document: Pick<IssuedDocument, 'business_id' | 'type' | 'based_on'>,
): Promise<DocumentRow | null> {
  if (!document.based_on) {
    return null;
  }
  const source = await lockById(trx, document.business_id, document.based_on.id);
  if (!source) {
    throw new Error('source document not found');
  }
  checkSource(document.type, source);
  return source;
}

/** Closes the locked source of a document that is about to be inserted, or adds to what was paid of it. */
export async function settleSource(
  trx: Transaction<IssuingTables>,
  source: DocumentRow,
  document: { type: IssuedDocument['type']; total: Agorot; paid: Agorot },
): Promise<void> {
  const effect = effectOnSource(document, {
    type: source.type,
    total: fromShekels(Number(source.total)),
    settled: fromShekels(Number(source.paid)) + (await earlierCredits(trx, source, document.type)),
  });
  if (!effect.closes && effect.pays === 0n) {
    return;
  }
  await updateSource(trx, source, { closes: effect.closes, paysShekels: toShekels(effect.pays).toFixed(2) });
}

/** What earlier credit notes have credited of the source; it matters to a credit note alone. */
async function earlierCredits(
  trx: Transaction<IssuingTables>,
  source: DocumentRow,
  type: IssuedDocument['type'],
): Promise<Agorot> {
  return type === 'credit_note'
    ? fromShekels(Number(await creditedTotal(trx, source.business_id, source.id)))
    : 0n;
}
