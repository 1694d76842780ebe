import { type CreateDocument, errorCatalogue } from '@pinkas/contracts';
import { cashToState, fromShekels, toShekels } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';

/** The same answer; where cash was only rounded, the hint of a refusal of payments also names the amount to state. */
export async function withCashHint<T>({ payments = [] }: CreateDocument, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'payments_total_mismatch') {
      throw error;
    }
    const total = error.details?.total;
    const cash = typeof total === 'number' ? cashToState(payments, fromShekels(total)) : null;
    if (cash === null) {
      throw error;
    }
    const amount = toShekels(cash).toFixed(2);
    const hint = `${errorCatalogue[error.code].hint} Cash is rounded when it is paid, not on the document: state ${amount} as the amount in cash.`;
    throw new ApiError(error.code, {
      ...(error.details && { details: { ...error.details } }),
      cause: error,
      hint,
    });
  }
}
