import { type Call, commands } from '@pinkas/cli';
import {
  type BookEntry,
  type Business,
  getBookEnd,
  listSeries,
  printReport,
  type RequestOf,
  readBook,
  recordExport,
  showBusiness,
} from '@pinkas/contracts';

const pageSize = 50;

/** Services that have a book, and print blank reports. */
export function systemOf(business: Business, book: readonly BookEntry[]): Call {
  const places = new Map(book.map(({ document }, index) => [document.id, index]));
  return (async (contract, request) => {
    switch (contract.subject) {
      case showBusiness.subject:
        return { business, view_url_base: 'https://api.example.com/d', pdf_url_base: '' };
      case listSeries.subject:
        return { series: [] };
      case printReport.subject:
        return { pdf: '' };
      case getBookEnd.subject:
        return { position: book.length, next_issued_at: null };
      case recordExport.subject:
        return {};
      case readBook.subject: {
        const { after } = request as RequestOf<typeof readBook>;
        const first = after === null ? 0 : (places.get(after.id) ?? 0) + 1;
        const entries = book.slice(first, first + pageSize);
        const last = entries.at(-1)?.document;
        const hasMore = last !== undefined && first + pageSize < book.length;
        return {
          entries,
          next_after: hasMore ? { type: last.type, number: last.number, id: last.id } : null,
        };
      }
      default:
        throw new Error(`no reply to ${contract.subject}`);
    }
  }) as Call;
}

/** Runs `pinkas export VERB`, and returns its JSON value. */
export async function runExport(
  call: Call,
  verb: string,
  DIR: string,
  options: Record<string, string>,
): Promise<unknown> {
  const command = commands.find((candidate) => candidate.noun === 'export' && candidate.verb === verb);
  const progress = { show: () => {}, print: () => {} };
  const callEach = () => Promise.reject(new Error('every process was called'));
  const output = await command?.run({ arguments: { DIR }, options }, call, progress, callEach);
  return output?.json;
}

/** The means and the places of what the book lacks of its checks, which are mandatory in the uniform structure: `1307`. */
export const lackingOfChecks = (book: readonly BookEntry[]): number[] =>
  book.flatMap(({ document }) =>
    document.payments
      .filter(({ method }) => method === 'check')
      .flatMap(({ bank_code, branch, account, check_number }) =>
        [bank_code, branch, account, check_number].flatMap((value, index) =>
          /^0*$/.test(String(value ?? '').replaceAll(/\D/g, '')) ? [1307 + index] : [],
        ),
      ),
  );
