import { isCalendarDate } from '@pinkas/domain';
import { UsageError } from '../builder/usage-error.js';

/** The options that name a range of document dates. */
export const rangeOptions = {
  year: { value: 'Y', meaning: 'the documents dated in this year, in place of --from and --to' },
  from: { value: 'D', meaning: 'the first document date, YYYY-MM-DD' },
  to: { value: 'D', meaning: 'the last document date, YYYY-MM-DD' },
} as const;

interface RangeValues {
  readonly year?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * The first and the last document date of an export.
 * @throws UsageError unless the options name a year, or both days in their order.
 */
export function readRange({ year, from, to }: RangeValues): { from: string; to: string } {
  if (year !== undefined) {
    const range = { from: `${year}-01-01`, to: `${year}-12-31` };
    if (!isCalendarDate(range.from) || !isCalendarDate(range.to) || from !== undefined || to !== undefined) {
      throw new UsageError(
        '--year takes four digits, 1900 or later, such as 2026, and replaces --from and --to',
      );
    }
    return range;
  }
  if (from === undefined || to === undefined || !isCalendarDate(from) || !isCalendarDate(to) || from > to) {
    throw new UsageError(
      'Name the dates: --year Y, or --from and --to with the first and the last document date, each as YYYY-MM-DD',
    );
  }
  return { from, to };
}
