/**
 * Why totals were refused; stable, safe to branch on.
 *
 * - `discount_above_sum`: the discount is larger than the sum of the lines.
 * - `percent_above_100`: a percent discount above 100.
 * - `amount_above_limit`: an amount of the document exceeds `AMOUNT_MAX_AGOROT`.
 */
export type TotalsRefusal = 'discount_above_sum' | 'percent_above_100' | 'amount_above_limit';

/** Well-formed items and discount whose totals no document may show. The message is safe to show to the caller. */
export class TotalsError extends Error {
  override readonly name = 'TotalsError';
  readonly reason: TotalsRefusal;
  /** JSON Pointer (RFC 6901) to the member of the request that is at fault, such as `/discount/value`. */
  readonly path: string;

  constructor(reason: TotalsRefusal, path: string, message: string) {
    super(message);
    this.reason = reason;
    this.path = path;
  }
}
