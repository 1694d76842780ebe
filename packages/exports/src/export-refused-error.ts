/**
 * Why an export cannot be made, whatever is attempted. `folder_taken`: the folder has something else; `not_months`: the dates are not
 * one or two complete months.
 */
export type RefusalReason = 'no_tax_id' | 'folder_taken' | 'not_months';

/** An export that no attempt can make as it is. Its message says why, but not what to do: that depends on who asks. */
export class ExportRefusedError extends Error {
  override readonly name = 'ExportRefusedError';

  constructor(
    readonly reason: RefusalReason,
    message: string,
  ) {
    super(message);
  }
}
