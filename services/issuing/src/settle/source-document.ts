import type { Business, IssuedDocument, issueDocument, RequestOf } from '@pinkas/contracts';
import { type Agorot, fromShekels, settlementOf, settlesSource, sum, toShekels } from '@pinkas/domain';
import { ApiError, type Database, type Transaction } from '@pinkas/service-kit';
import { agorotOf, decimalOf } from '../document/amounts.js';
import { type DebtChange, debtChange } from '../document/debt-sums.js';
import {
  type DocumentRow,
  findById,
  lockByIds,
  reopenedProformas,
  type SourceChange,
  updateSources,
} from '../document/document.repository.js';
import type { IssuingTables, SetOffKind } from '../document/document.tables.js';
import { checkSource, closesSource } from '../document/document-rules.js';
import { readSettling, type SettlingDocuments } from '../document/settlement.repository.js';

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
 * Locks the sources of documents, and what they set off against, until the transaction ends. With the sources of credit notes it locks
 * the proformas that may ask for their payment again.
 * @returns them by id, as they are now.
 */
export async function lockSources(
  trx: Transaction<IssuingTables>,
  businessId: string,
  documents: readonly (Pick<IssuedDocument, 'type' | 'based_on'> & {
    readonly settles?: Pick<RequestOf<typeof issueDocument>, 'set_offs' | 'withheld'>;
  })[],
): Promise<Map<string, DocumentRow>> {
  const ids = new Set([
    ...documents.flatMap(({ based_on }) => based_on?.id ?? []),
    ...documents.flatMap(({ settles: { set_offs = [], withheld } = {} }) =>
      [...set_offs, ...(withheld?.amounts ?? [])].map(({ document_id }) => document_id.toLowerCase()),
    ),
  ]);
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

/** What documents of one type that are about to be inserted do to a source. */
interface SourceEffect {
  readonly closes: boolean;
  /** What is added to what was paid of it. */
  readonly pays: Agorot;
  /** What is added to what is set against it, and what of it is withheld. */
  readonly setsOff: Agorot;
  readonly withholds: Agorot;
  /** What is paid, set off and credited of it before and afterwards. */
  readonly settled: { readonly before: Agorot; readonly after: Agorot };
  /** What is left to pay of it afterwards; null where it asks for no payment. */
  readonly balance: Agorot | null;
  readonly isCreditedInFull: boolean;
}

/** What a document that is about to be inserted does to others. */
interface SettlingEffects {
  readonly source_id: string | null;
  readonly total: Agorot;
  readonly paid: Agorot;
  /** What is set against others, of the money on the account of their customer or as withheld. */
  readonly setOffs?: readonly SetOffEffect[];
}

/** What is set against a document; negative where that is removed. */
export interface SetOffEffect {
  readonly document_id: string;
  readonly amount: Agorot;
  readonly kind: SetOffKind;
}

/**
 * Closes the locked sources of documents that are about to be inserted, or adds to what was paid of them or is set against them.
 * Documents of one type on one source have the effect of one document with the sum of their amounts.
 * @returns those that they close, as they are afterwards, and what the changes of balances add to the debts.
 */
export async function settleSources(
  trx: Transaction<IssuingTables>,
  { business_id, type }: Pick<IssuedDocument, 'business_id' | 'type'>,
  sources: ReadonlyMap<string, DocumentRow>,
  documents: readonly SettlingEffects[],
): Promise<{ closed: DocumentRow[]; debts: DebtChange[] }> {
  const settling = settlesSource(type) ? await readSettling(trx, business_id, [...sources.keys()]) : null;
  const changes: SourceChange[] = [];
  const creditedInFull: string[] = [];
  const closed: DocumentRow[] = [];
  const debts: DebtChange[] = [];
  const change = (source: DocumentRow, effect: Omit<SourceEffect, 'isCreditedInFull'>) => {
    const { id } = source;
    const { closes, pays, setsOff, withholds, settled, balance } = effect;
    const left = balance === null ? null : decimalOf(balance);
    const settles = { sets_off: decimalOf(setsOff), withholds: decimalOf(withholds) };
    changes.push({ id, closes, pays: decimalOf(pays), ...settles, balance: left });
    if (source.balance !== null || balance !== null || withholds !== 0n) {
      debts.push(debtChange(source, balance, settled, withholds));
    }
  };
  for (const source of sources.values()) {
    const amounts = amountsOn(source.id, documents);
    if (amounts === null) {
      continue;
    }
    const effect = effectOn(source, { type, ...amounts }, settling?.get(source.id));
    if (effect.closes || settling !== null) {
      change(source, effect);
    }
    if (effect.closes && source.status === 'open') {
      closed.push({ ...source, status: 'closed', paid: decimalOf(agorotOf(source.paid) + effect.pays) });
    }
    if (effect.isCreditedInFull) {
      creditedInFull.push(source.id);
    }
  }
  const ofProformas = creditedInFull.filter((id) => sources.get(id)?.source?.type === 'proforma');
  const reopened = ofProformas.length > 0 ? await reopenedProformas(trx, business_id, creditedInFull) : [];
  for (const id of reopened) {
    const proforma = lockedSource(sources, id);
    const paid = agorotOf(proforma.paid);
    const settled = { before: paid + agorotOf(proforma.set_off), after: paid + agorotOf(proforma.set_off) };
    change(proforma, {
      closes: false,
      ...{ pays: 0n, setsOff: 0n, withholds: 0n },
      settled,
      balance: balanceOf(proforma, { paid }),
    });
  }
  if (changes.length > 0) {
    await updateSources(trx, business_id, changes);
  }
  return { closed, debts };
}

/** What documents amount to that are based on a source, and what they set against it; null: nothing is. */
function amountsOn(id: string, documents: readonly SettlingEffects[]) {
  const based = documents.filter(({ source_id }) => source_id === id);
  const setOffs = documents.flatMap(({ setOffs: all = [] }) => all.filter((row) => row.document_id === id));
  return based.length === 0 && setOffs.length === 0
    ? null
    : {
        total: sum(based.map((document) => document.total)),
        paid: sum(based.map((document) => document.paid)),
        setsOff: sum(setOffs.map(({ amount }) => amount)),
        withholds: sum(setOffs.filter(({ kind }) => kind === 'withheld').map(({ amount }) => amount)),
      };
}

/** @param settling what is based on the source already; absent where the type of the document settles nothing of it. */
function effectOn(
  source: DocumentRow,
  {
    type,
    total,
    paid,
    setsOff,
    withholds,
  }: { type: IssuedDocument['type'] } & Record<'total' | 'paid' | 'setsOff' | 'withholds', Agorot>,
  settling: SettlingDocuments | undefined,
): SourceEffect {
  const isCredit = type === 'credit_note';
  const pays = type === 'receipt' ? paid : 0n;
  const credited = fromShekels(settling?.credited ?? 0) + (isCredit ? total : 0n);
  const sourceTotal = agorotOf(source.total);
  const received = agorotOf(source.paid) + fromShekels(settling?.credited ?? 0);
  const settled = received + agorotOf(source.set_off);
  const setOff = agorotOf(source.set_off) + setsOff;
  const facts = { paid: agorotOf(source.paid) + pays, credited, setOff, invoices: settling?.invoices ?? 0 };
  return {
    closes: closesSource({ type, total, paid }, { type: source.type, total: sourceTotal, settled: received }),
    ...{ pays, setsOff, withholds },
    settled: { before: settled, after: settled + pays + setsOff + (isCredit ? total : 0n) },
    // An invoice asks for the payment of its source.
    balance: settling ? balanceOf(source, facts) : null,
    isCreditedInFull: isCredit && credited >= sourceTotal,
  };
}

/** What is left to pay of a locked source, of which so much is paid, credited and set off. */
function balanceOf(
  source: DocumentRow,
  given: { paid: Agorot; credited?: Agorot; setOff?: Agorot; invoices?: number },
): Agorot | null {
  const { paid, credited = 0n, setOff = agorotOf(source.set_off), invoices = 0 } = given;
  const facts = {
    ...{ status: source.status, invoices, paid: toShekels(paid) },
    ...{ credited: toShekels(credited), set_off: toShekels(setOff) },
  };
  return settlementOf({ type: source.type, totals: { total: Number(source.total) } }, facts).balance;
}
