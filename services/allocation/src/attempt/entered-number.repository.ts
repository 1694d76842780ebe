import { advisoryLock, type Transaction } from '@pinkas/service-kit';
import type { AllocationTables } from '../db/allocation.tables.js';
import type { AllocationRow } from './allocation.repository.js';

/**
 * Another document of the business that has a printed number. From here to the end of the transaction no other one gets it, typed in or
 * granted: called before the row of a document is locked.
 */
export async function findNumberOfBusiness(
  trx: Transaction<AllocationTables>,
  { business_id, document_id: id }: Pick<AllocationRow, 'business_id' | 'document_id'>,
  number: string,
): Promise<Pick<AllocationRow, 'document_id' | 'entered_at' | 'facts'> | undefined> {
  await advisoryLock(trx, business_id, number);
  return trx
    .selectFrom('allocation')
    .select(['document_id', 'entered_at', 'facts'])
    .where('business_id', '=', business_id)
    .where('number', '=', number)
    .where('document_id', '<>', id)
    .limit(1)
    .executeTakeFirst();
}

/** Stores a number that a person has typed in; nothing is requested any more. @param granted all digits, where the authority gave them. */
export async function storeEntered(
  trx: Transaction<AllocationTables>,
  { business_id, document_id }: AllocationRow,
  { number, granted, actor, now }: { number: string; granted: string | null; actor: string; now: Date },
): Promise<void> {
  await trx
    .updateTable('allocation')
    .set({
      state: 'issued',
      reason: null,
      number,
      // Nine digits are one business's alone; mostly no more of the authority's number is known.
      confirmation_number: granted ?? `entered-${business_id}-${number}`,
      next_attempt_at: null,
      claimed_until: null,
      settled_at: now,
      outcome_unknown: false,
      awaiting_connection: false,
      awaiting_operator: false,
      is_final: false,
      dead_lettered_at: null,
      entered_at: now,
      entered_by: actor,
    })
    .where('business_id', '=', business_id)
    .where('document_id', '=', document_id)
    .execute();
}
