import { isTestBook } from '@pinkas/domain';
import type { ClaimedRow } from '../attempt/allocation.repository.js';
import { TaxAuthority } from '../attempt/tax-authority.js';
import type { AttemptOutcome } from '../authority/attempt-outcome.js';
import { testAnswer } from './test-answer.js';

/** The tax authority for the documents of live books, and the product itself for those of test books. */
export class BookAuthority extends TaxAuthority {
  override async requestNumber(row: ClaimedRow): Promise<AttemptOutcome> {
    return isTestBook(row.business_id)
      ? testAnswer(row.facts.document, row.attempts)
      : super.requestNumber(row);
  }
}
