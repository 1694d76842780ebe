import type { Business, IssuedDocument } from '@pinkas/contracts';
import { type Agorot, fromShekels, sum, toShekels } from '@pinkas/domain';
import { ApiError, type Database, type Transaction } from '@pinkas/service-kit';
import { type DebtChange, debtChange } from '../account/debt-sums.js';
import {
  type DocumentRow,
  findById,
  lockByIds,
  reopenProformas,
  type SourceChange,
  updateSources,
} from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { checkSource, effectOnSource, type SourceEffect } from '../document/document-rules.js';
import { readSettling } from '../document/settlement.repository.js';

type SourceReference = NonNullable<IssuedDocument['based_on']>;

/** The document that a new one is based on, as it is in the book. */
export interface SourceDocument {
  readonly row: DocumentRow;
  readonly reference: SourceReference;
  /** In percent. */
  readonly vat_rate: number;
}

/**
 * Finds the document that a new one is based on.
 * @throws ApiError `based_on_not_found`, `based_on_type_not_allowed`, `based_on_cancelled`.
 */
export async function findSource(
  db: Database<IssuingTables>,
  business: Pick<Business, 'id'>,
  type: IssuedDocument['type'],
  id: string,
): Promise<SourceDocument> {
  const row = await findById(db, business.id, id);
  if (!row) {
    throw new ApiError('based_on_not_found');
  }
  checkSource(type, row);
  const reference = { id: row.id, type: row.type, number: row.number, date: row.dated_on };
  return { row, reference, vat_rate: Number(row.vat_rate) };
}

/**
 * Locks the sources of documents until the transaction ends, and with those of credit notes the proformas that may ask for their
 * payment again. @returns them by id, as they are now.
 */
export async function lockSources(
  trx: Transaction<IssuingTables>,
  businessId: string,
  documents: readonly Pick<IssuedDocument, 'type' | 'based_on'>[],
): Promise<Map<string, DocumentRow>> {
  const ids = new Set(documents.flatMap(({ based_on }) => based_on?.id ?? []));
  const credits = documents.some(({ type }) => type === 'credit_note');
  const rows = ids.size === 0 ? [] : await lockByIds(trx, businessId, [...ids], credits);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Checks the locked source of a document again: it may have been cancelled since `findSource`. */
export function checkLockedSource(
  { type, based_on }: Pick<IssuedDocument, 'type' | 'based_on'>,
  sources: ReadonlyMap<string, DocumentRow>,
): void {
  if (!based_on) {
    return;
  }
  checkSource(type, lockedSource(sources, based_on.id));
}

function lockedSource(sources: ReadonlyMap<string, DocumentRow>, id: string): DocumentRow {
  const source = sources.get(id);
  if (!source) {
    throw new Error('source document not found');
  }
  return source;
}

/**
 * Closes the locked sources of documents that are about to be inserted, or adds to what was paid of them. Documents of one type on
 * one source have the effect of one document with the sum of their amounts.
 * @returns those that they close, as they are afterwards, and what the changes of balances add to the debts.
 */
export async function settleSources(
  trx: Transaction<IssuingTables>,
  { business_id, type }: Pick<IssuedDocument, 'business_id' | 'type'>,
  sources: ReadonlyMap<string, DocumentRow>,
  documents: readonly { source_id: string | null; total: Agorot; paid: Agorot }[],
): Promise<{ closed: DocumentRow[]; debts: DebtChange[] }> {
  // What earlier credit notes have credited matters to a credit note alone.
  const credited = type === 'credit_note' ? await readSettling(trx, business_id, [...sources.keys()]) : null;
  const changes: SourceChange[] = [];
  const creditedInFull: string[] = [];
  const closed: DocumentRow[] = [];
  const debts: DebtChange[] = [];
  for (const source of sources.values()) {
    const based = documents.filter(({ source_id }) => source_id === source.id);
    if (based.length === 0) {
      continue;
    }
    const total = sum(based.map((document) => document.total));
    const sourceTotal = fromShekels(Number(source.total));
    const creditedBefore = fromShekels(credited?.get(source.id)?.credited ?? 0);
    const effect = effectOnSource(
      { type, total, paid: sum(based.map(({ paid }) => paid)) },
      {
        type: source.type,
        total: sourceTotal,
        settled: fromShekels(Number(source.paid)) + creditedBefore,
      },
    );
    changes.push(...changeOf(source, effect));
    debts.push(...debtOf(source, effect));
    if (effect.closes && source.status === 'open') {
      const paid = decimal(fromShekels(Number(source.paid)) + effect.pays);
      closed.push({ ...source, status: 'closed', paid });
    }
    if (credited !== null && creditedBefore + total >= sourceTotal) {
      creditedInFull.push(source.id);
    }
  }
  if (changes.length > 0) {
    await updateSources(trx, business_id, changes);
  }
  if (creditedInFull.some((id) => sources.get(id)?.source?.type === 'proforma')) {
    const reopened = await reopenProformas(trx, business_id, creditedInFull);
    for (const { id, balance } of reopened) {
      debts.push(debtChange(lockedSource(sources, id), fromShekels(Number(balance))));
    }
  }
  return { closed, debts };
}

/** The change of a source; none where a document has no effect on it. */
function changeOf({ id }: DocumentRow, { closes, pays, settles }: SourceEffect): SourceChange[] {
  return closes || pays !== 0n || settles !== 0n
    ? [{ id, closes, pays: decimal(pays), settles: settles === null ? null : decimal(settles) }]
    : [];
}

/** What it changes of the debts; nothing where the source asks for no payment. */
function debtOf(source: DocumentRow, { settles }: SourceEffect): DebtChange[] {
  const { balance } = source;
  return balance === null
    ? []
    : [debtChange(source, settles === null ? null : fromShekels(Number(balance)) - settles)];
}

const decimal = (amount: Agorot): string => toShekels(amount).toFixed(2);
