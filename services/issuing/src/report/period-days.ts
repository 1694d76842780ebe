import { addDays } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';

/** A leap year. */
const daysMax = 366;

/** @throws ApiError `validation_error` for a period of more than a year. */
export function checkPeriod({ from, to }: { from: string; to: string }): void {
  if (to >= addDays(from, daysMax)) {
    throw ApiError.invalid([{ path: '/to', message: `must be within ${daysMax} days from the first date` }]);
  }
}
