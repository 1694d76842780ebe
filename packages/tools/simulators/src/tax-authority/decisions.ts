import { type Answer, answer, rejected } from './answer.js';
import type { Book, Decision } from './book.js';
import { dataError } from './data-errors.js';
import type { Options } from './options.js';

/** The body of the three decisions. */
export interface DecisionBody {
  readonly invoice_id: string;
  readonly vat_number: number;
  readonly user_id?: number | null;
  readonly user_name?: string | null;
}

/** The invoices of these sellers of the sandbox were refused before anything was asked ([A] OA). */
const refusedInSandbox: Readonly<Record<number, readonly Decision[]>> = {
  777777723: [],
  777777731: [],
  777777749: ['Continue'],
};

/** A decision about a refused invoice: [A] EX, DU, SO, OL, HI. */
export function decide(decision: Decision, body: DecisionBody, book: Book, options: Options): Answer {
  const { invoice_id, vat_number } = body;
  if (!body.user_id && !body.user_name) {
    return rejected([dataError(446)], '[A] DU');
  }
  const sandboxDecisions = refusedInSandbox[vat_number];
  const refusal =
    book.refusalOf(invoice_id) ??
    (sandboxDecisions && { invoice_id, vat_number, decisions: sandboxDecisions, won: false });
  if (!refusal || refusal.vat_number !== vat_number) {
    return rejected([dataError(463)], '[A] EX');
  }
  const { decisions } = refusal;
  const isObjection =
    decision === 'FurtherObjection' &&
    decisions.at(-1) === 'Continue' &&
    options.objectionAfterContinue === 'accept';
  if (decisions.length > 0 && !isObjection) {
    return rejected([dataError(462, 'invoice_id', 'request')], '[B] DU');
  }
  book.remember({ ...refusal, decisions: [...decisions, decision] });
  const source = decisions.length > 0 ? '[C] objectionAfterContinue' : '[A] EX, DU';
  return answer(200, { status: 200, message: 'Decision accepted' }, source);
}
