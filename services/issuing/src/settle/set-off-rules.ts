import type { IssuedDocument, issueDocument, RequestOf, SetOffAmount } from '@pinkas/contracts';
import { type Agorot, fromShekels, sum } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import { agorotOf } from '../document/amounts.js';
import type { DocumentRow } from '../document/document.repository.js';
import type { SetOffKind } from '../document/document.tables.js';
import { paymentsSum } from '../document/document-rules.js';
import type { SetOffEffect } from './source-document.js';

/** What is left to pay of locked documents, in agorot, while acts of one transaction settle them; null: nothing is asked for. */
export type LeftToPay = ReadonlyMap<string, Agorot>;

/** What is left to pay of documents that nothing has settled since they were locked. */
export const leftToPayOf = (documents: ReadonlyMap<string, DocumentRow>): LeftToPay =>
  new Map([...documents].map(([id, { balance }]) => [id, agorotOf(balance ?? '0')]));

export const refusedAt = (path: string, message: string): ApiError => ApiError.invalid([{ path, message }]);

/** @throws ApiError `validation_error` where more is set off than there is. @param onAccount agorot. */
export function checkOnAccount(setOffs: readonly SetOffEffect[], onAccount: bigint): void {
  if (sum(setOffs.map(({ amount }) => amount)) > onAccount) {
    throw refusedAt('/amounts', 'are more than what is on account');
  }
}

/**
 * What amounts set against locked documents.
 * @param path what a refusal names.
 * @param isMeant whether a document may be settled.
 * @throws ApiError `validation_error` where one may not be, or has less left to pay.
 */
export function setOffEffects(
  amounts: readonly SetOffAmount[],
  given: {
    readonly kind: SetOffKind;
    readonly path: string;
    readonly left: LeftToPay;
    readonly isMeant: (id: string) => boolean;
  },
): SetOffEffect[] {
  const { kind, path, left, isMeant } = given;
  if (new Set(amounts.map(({ document_id }) => document_id.toLowerCase())).size < amounts.length) {
    throw refusedAt(path, 'has a document more than once');
  }
  return amounts.map((row) => {
    const document_id = row.document_id.toLowerCase();
    const amount = fromShekels(row.amount);
    if (!isMeant(document_id)) {
      throw refusedAt(path, 'has a document that is not on the account of the customer');
    }
    if (amount <= 0n || amount > (left.get(document_id) ?? 0n)) {
      throw refusedAt(path, 'has more than what is left to pay of a document, or nothing');
    }
    return { document_id, amount, kind };
  });
}

/** The same, less what was settled. */
function lessSettled(left: LeftToPay, settled: readonly Pick<SetOffEffect, 'document_id' | 'amount'>[]) {
  const rest = new Map(left);
  for (const { document_id, amount } of settled) {
    rest.set(document_id, (rest.get(document_id) ?? 0n) - amount);
  }
  return rest;
}

/**
 * What a receipt sets at once against locked documents, of its payments and as withheld.
 * @param left what those before it in its transaction have left to pay.
 * @returns it with what is left to pay behind the receipt. @throws ApiError `validation_error`.
 */
export function settledWith(
  {
    document,
    request,
  }: {
    readonly document: Pick<IssuedDocument, 'based_on' | 'customer'>;
    readonly request: Pick<RequestOf<typeof issueDocument>, 'body' | 'set_offs' | 'withheld'>;
  },
  documents: ReadonlyMap<string, DocumentRow>,
  left: LeftToPay,
): { setOffs: SetOffEffect[]; left: LeftToPay } {
  const { body, set_offs, withheld } = request;
  const sourceId = document.based_on?.id;
  if (set_offs !== undefined && (body.type !== 'receipt' || sourceId !== undefined)) {
    throw refusedAt('/amounts', 'are of a receipt that is based on no document');
  }
  if (withheld !== undefined && body.type !== 'receipt') {
    throw refusedAt('/withheld/amounts', 'are of a receipt');
  }
  const paid = paymentsSum(body);
  const isOnAccount = (id: string) => documents.get(id)?.account_id === document.customer.id;
  const credit = setOffEffects(set_offs ?? [], {
    ...{ kind: 'credit', path: '/amounts', left, isMeant: isOnAccount },
  });
  checkOnAccount(credit, paid);
  const pays =
    body.type === 'receipt' && sourceId !== undefined ? [{ document_id: sourceId, amount: paid }] : [];
  const unpaid = lessSettled(left, [...pays, ...credit]);
  const isMeant = (id: string) => (sourceId === undefined ? isOnAccount(id) : id === sourceId);
  const taken = setOffEffects(withheld?.amounts ?? [], {
    ...{ kind: 'withheld', path: '/withheld/amounts', left: unpaid, isMeant },
  });
  return { setOffs: [...credit, ...taken], left: lessSettled(unpaid, taken) };
}
