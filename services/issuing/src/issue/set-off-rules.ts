import type { SetOffAmount } from '@pinkas/contracts';
import { fromShekels } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import type { DocumentRow } from '../document/document.repository.js';
import { paymentsSum } from '../document/document-rules.js';
import type { Draft } from './draft.js';
import type { SetOffEffect } from './source-document.js';

const refused = (message: string): ApiError => ApiError.invalid([{ path: '/amounts', message }]);

/** @throws ApiError `validation_error` where more is set off than there is. @param onAccount agorot. */
export function checkOnAccount(setOffs: readonly SetOffEffect[], onAccount: bigint): void {
  if (setOffs.reduce((sum, { amount }) => sum + amount, 0n) > onAccount) {
    throw refused('are more than what is on account');
  }
}

/**
 * What amounts set against locked documents.
 * @param left what is left to pay of those that something was set against before, in agorot; it is reduced.
 * @throws ApiError `validation_error` where a document is not on the account, or has less left to pay.
 */
export function setOffEffects(
  amounts: readonly SetOffAmount[],
  accountId: string,
  documents: ReadonlyMap<string, DocumentRow>,
  left = new Map<string, bigint>(),
): SetOffEffect[] {
  if (new Set(amounts.map(({ document_id }) => document_id.toLowerCase())).size < amounts.length) {
    throw refused('has a document more than once');
  }
  return amounts.map((given) => {
    const document_id = given.document_id.toLowerCase();
    const amount = fromShekels(given.amount);
    const document = documents.get(document_id);
    if (document?.account_id !== accountId) {
      throw refused('has a document that is not on the account of the customer');
    }
    const balance = leftOf(document, left);
    if (amount <= 0n || amount > balance) {
      throw refused('has more than what is left to pay of a document, or nothing');
    }
    left.set(document_id, balance - amount);
    return { document_id, amount };
  });
}

const leftOf = ({ id, balance }: DocumentRow, left: ReadonlyMap<string, bigint>): bigint =>
  left.get(id) ?? fromShekels(Number(balance ?? 0));

/**
 * What a receipt sets at once against locked documents, of its payments.
 * @param left what is left to pay of those that drafts before it settle; it is reduced by what this one sets off, or pays of its source.
 * @throws ApiError `validation_error`.
 */
export function checkedSetOffs(
  { document, request }: Draft,
  documents: ReadonlyMap<string, DocumentRow>,
  left: Map<string, bigint>,
): SetOffEffect[] {
  const { body, set_offs: amounts } = request;
  const source = document.based_on && documents.get(document.based_on.id);
  if (source && body.type === 'receipt') {
    left.set(source.id, leftOf(source, left) - paymentsSum(body));
  }
  if (amounts === undefined) {
    return [];
  }
  if (body.type !== 'receipt' || body.based_on !== undefined) {
    throw refused('are of a receipt that is based on no document');
  }
  const effects = setOffEffects(amounts, document.customer.id, documents, left);
  checkOnAccount(effects, paymentsSum(body));
  return effects;
}
