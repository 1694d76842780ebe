import { ExportRefusedError } from '@pinkas/exports';
import { RefusalError } from '../builder/usage-error.js';

/** Awaits an export, and throws a RefusalError that says what to do where it is refused. */
export async function refusalOf<T>(written: Promise<T>, businessId: string): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (!(error instanceof ExportRefusedError)) {
      throw error;
    }
    const remedies = {
      no_tax_id: `pinkas business update ${businessId} sets it`,
      folder_taken: 'name another folder with --out',
      not_months: 'name the first and the last day of it with --from and --to',
    };
    throw new RefusalError(`${error.message}: ${remedies[error.reason]}`);
  }
}
