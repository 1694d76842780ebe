import { type Answer, answer, type DataError, longNumber, notApproved, withErrorId } from './answer.js';
import type { Book, Invoice } from './book.js';
import type { Clock } from './clock.js';
import { dataError } from './data-errors.js';
import type { Fault } from './faults.js';
import { isValidIsraeliId } from './israeli-id.js';
import type { Options } from './options.js';

interface ApprovalContext {
  readonly book: Book;
  readonly clock: Clock;
  readonly options: Options;
  readonly fault: Fault;
}

/** A request of many. */
export interface Batch {
  readonly vat_number: number;
  readonly union_vat_number?: number | null;
  readonly user_id?: number | null;
  readonly user_name?: string | null;
  readonly invoices_amount: number;
  readonly invoices_payment_amount: number;
  readonly invoices_vat_amount: number;
  readonly invoices_list: readonly Invoice[];
}

/** What becomes of one invoice. */
type Verdict =
  | { readonly kind: 'granted'; readonly number: string; readonly source: string }
  | { readonly kind: 'none'; readonly source: string }
  | { readonly kind: 'failed'; readonly source: string }
  | {
      readonly kind: 'errors';
      readonly status: 200 | 400;
      readonly errors: readonly DataError[];
      readonly source: string;
    };

/** Sellers of the sandbox whose answer is fixed: [A] OA. */
const sandbox: Readonly<Record<number, 'grant' | 460 | 461 | 462>> = {
  777777715: 'grant',
  777777723: 460,
  777777731: 461,
  777777749: 462,
};

const noNumberTypes = [300, 330];
const halfAgora = 0.005;

/** Approval of one invoice. */
export function approve(invoice: Invoice, context: ApprovalContext): Answer {
  const verdict = judge(invoice, context);
  switch (verdict.kind) {
    case 'granted': {
      const body = {
        status: 200,
        message: 'Invoice approved',
        confirmation_number: verdict.number,
        approved: true,
      };
      return answer(200, body, verdict.source);
    }
    case 'none': {
      const body = {
        status: 200,
        message: 'Invoice not approved',
        confirmation_number: '0',
        approved: false,
      };
      return answer(200, body, verdict.source);
    }
    case 'failed':
      return withErrorId(500, context.clock.now(), verdict.source);
    case 'errors':
      return notApproved(verdict.status, verdict.errors, verdict.source);
  }
}

/** Approval of many: [A] EX, pp. 18–22. Each is judged separately, unless the head does not match the list. */
export function approveAll(batch: Batch, context: ApprovalContext): Answer {
  const head = {
    transaction_id: longNumber(context.clock.now()),
    vat_number: batch.vat_number,
    union_vat_number: batch.union_vat_number ?? 0,
  };
  const mismatches = headErrors(batch);
  if (mismatches.length > 0) {
    const errors = [notInBatch('0', mismatches)];
    const body = { status: 400, ...head, is_error_in_main: true, message: { errors } };
    return answer(400, body, "[A] EX (438); the sums' texts [C]");
  }
  const issuer = { user_id: batch.user_id ?? null, user_name: batch.user_name ?? null };
  const judged = batch.invoices_list.map((invoice) => {
    context.book.ask(invoice.invoice_id, invoice);
    return { invoice_id: invoice.invoice_id, verdict: judge({ ...issuer, ...invoice }, context) };
  });
  const success = judged.flatMap(({ invoice_id, verdict }) =>
    verdict.kind === 'granted' ? [{ invoice_id, confirmation_number: verdict.number, approved: true }] : [],
  );
  const errors = judged
    .filter(({ verdict }) => verdict.kind !== 'granted')
    .map(({ invoice_id, verdict }) =>
      notInBatch(invoice_id, verdict.kind === 'errors' ? verdict.errors : []),
    );
  const isWrong = ({ verdict }: { verdict: Verdict }) => verdict.kind === 'errors' && verdict.status === 400;
  const status = judged.every(isWrong) ? 400 : 200;
  const message = { ...(errors.length > 0 && { errors }), ...(success.length > 0 && { success }) };
  return answer(status, { status, ...head, is_error_in_main: false, message }, '[A] EX');
}

function notInBatch(invoiceId: string, errors: readonly DataError[]): object {
  return { invoice_id: invoiceId, message: { errors }, confirmation_number: '0', approved: false };
}

function headErrors(batch: Batch): DataError[] {
  const list = batch.invoices_list;
  const sum = (of: (invoice: Invoice) => number) => list.reduce((total, invoice) => total + of(invoice), 0);
  const net = sum(({ payment_amount }) => payment_amount);
  const vat = sum(({ vat_amount }) => vat_amount);
  const mismatches: readonly (readonly [boolean, string])[] = [
    [batch.invoices_amount !== list.length, 'invoices_amount'],
    [!areEqual(batch.invoices_payment_amount, net), 'invoices_payment_amount'],
    [!areEqual(batch.invoices_vat_amount, vat), 'invoices_vat_amount'],
  ];
  return mismatches.filter(([differs]) => differs).map(([, param]) => dataError(438, param));
}

/** Whether two amounts are equal to the agora. */
export function areEqual(shekels: number, others: number): boolean {
  return Math.abs(shekels - others) < halfAgora;
}

function judge(invoice: Invoice, context: ApprovalContext): Verdict {
  const { fault, options } = context;
  const isSandboxSeller = Object.hasOwn(sandbox, invoice.vat_number);
  if (!isSandboxSeller && options.otherSellers === 500) {
    return { kind: 'failed', source: '[A] PF (v1)' };
  }
  const errors = dataErrors(invoice, context);
  if (errors.length > 0) {
    return { kind: 'errors', status: 400, errors, source: '[A] EX' };
  }
  if (fault.mode === 'refuse' && (fault.code < 460 || fault.code > 462)) {
    return { kind: 'errors', status: 400, errors: [dataError(fault.code)], source: '[C] a code on request' };
  }
  if (invoice.action === 3) {
    return reverseCharge(invoice, context);
  }
  if (invoice.action === 4) {
    return afterProforma(invoice, context);
  }
  if (noNumberTypes.includes(invoice.invoice_type) && options.noNumber !== 'grant') {
    return withoutNumber(options.noNumber);
  }
  return refusedOf(invoice, context) ?? granted(invoice, context);
}

/** [A] EX: data errors; several may come at once. */
function dataErrors(invoice: Invoice, { clock, options }: ApprovalContext): DataError[] {
  const isUnknown = (number: number) =>
    (options.checkDigits && !isValidIsraeliId(String(number))) ||
    (options.unknownVats?.includes(number) ?? false);
  const age = clock.daysSince(invoice.invoice_date);
  return [
    ...(isUnknown(invoice.vat_number) ? [dataError(431)] : []),
    ...(isUnknown(invoice.customer_vat_number) ? [dataError(431, 'customer_vat_number')] : []),
    ...(age > options.oldestDays ? [dataError(434)] : []),
    ...(-age > options.aheadDays ? [dataError(435)] : []),
    ...(isBlank(invoice.user_id) && isBlank(invoice.user_name) ? [dataError(446)] : []),
  ];
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** The refusal of this invoice, where it was refused before, is refused now, or is of a seller of the sandbox. */
function refusedOf(invoice: Invoice, { book, fault }: ApprovalContext): Verdict | undefined {
  const { invoice_id, vat_number } = invoice;
  const refusal = book.refusalOf(invoice_id);
  if (refusal?.won) {
    return undefined;
  }
  if (refusal) {
    return refusedWith(refusal.decisions.length > 0 ? 462 : 461);
  }
  if (book.grantsOf(invoice_id).length > 0) {
    return undefined;
  }
  const code = fault.mode === 'refuse' ? fault.code : (sandbox[vat_number] ?? 'grant');
  if (code === 'grant') {
    return undefined;
  }
  book.remember({ invoice_id, vat_number, decisions: code === 462 ? ['Continue'] : [], won: false });
  return refusedWith(code);
}

function refusedWith(code: number): Verdict {
  return { kind: 'errors', status: 200, errors: [dataError(code)], source: '[A] OA, EX' };
}

function granted(invoice: Invoice, { book, fault, options }: ApprovalContext): Verdict {
  const earlier = book.grantsOf(invoice.invoice_id)[0];
  if (fault.mode === 'foreign') {
    const { confirmation_number } = book.another(invoice.invoice_id);
    return { kind: 'granted', number: confirmation_number, source: '[C] a mix-up, on request' };
  }
  if (earlier && options.repeat === 'error') {
    // No code is published; 471 is in no source.
    return { kind: 'errors', status: 400, errors: [dataError(471, 'invoice_id')], source: '[C] repeat' };
  }
  const isRepeated = earlier !== undefined && options.repeat === 'same';
  const { confirmation_number } = isRepeated ? earlier : book.grant(invoice.invoice_id, invoice);
  return { kind: 'granted', number: confirmation_number, source: earlier ? '[C] repeat' : '[A] OA, EX' };
}

/** Action 3, after a refusal, under the same id: [A] OL, HI. */
function reverseCharge(invoice: Invoice, { book, options }: ApprovalContext): Verdict {
  if (invoice.vat_amount > 0) {
    const { vatWithReverseCharge: status } = options;
    const location = status === 200 ? 'approval' : 'request';
    const errors = [dataError(437, 'vat_amount', location)];
    return { kind: 'errors', status, errors, source: '[A] P1 (v1); v2 [C]' };
  }
  const refusal = book.refusalOf(invoice.invoice_id);
  if (!refusal && options.reverseChargeUnrefused === 463) {
    return { kind: 'errors', status: 400, errors: [dataError(463)], source: '[C] reverseChargeUnrefused' };
  }
  const earlier = book.grantsOf(invoice.invoice_id).find(({ action }) => action === 3);
  if (earlier) {
    return { kind: 'granted', number: earlier.confirmation_number, source: '[C] repeat' };
  }
  if (refusal) {
    book.remember({ ...refusal, decisions: [...refusal.decisions, 'ReverseCharge'] });
  }
  const { confirmation_number } = book.grant(invoice.invoice_id, invoice);
  return { kind: 'granted', number: confirmation_number, source: '[A] OL, HI' };
}

/** Action 4: an invoice that follows a 332 under its id; the sum of all is bounded by what was granted ([A] P1 2.4). */
function afterProforma(invoice: Invoice, { book, options }: ApprovalContext): Verdict {
  const grants = book.grantsOf(invoice.invoice_id);
  const repeated = grants.find(
    (grant) =>
      grant.action === 4 && grant.invoice?.invoice_reference_number === invoice.invoice_reference_number,
  );
  if (repeated) {
    return { kind: 'granted', number: repeated.confirmation_number, source: '[C] repeat' };
  }
  const total = (action: number) =>
    grants
      .filter((grant) => grant.action === action)
      .reduce((sum, grant) => sum + (grant.invoice?.payment_amount ?? 0), 0);
  const isOverdrawn = total(4) + invoice.payment_amount > total(0) + halfAgora;
  if (isOverdrawn && options.overdrawnProforma === 460) {
    const errors = [dataError(460, 'payment_amount')];
    return { kind: 'errors', status: 200, errors, source: '[C] overdrawnProforma' };
  }
  const { confirmation_number } = book.grant(invoice.invoice_id, invoice);
  return { kind: 'granted', number: confirmation_number, source: '[A] P1 2.4' };
}

/** Table 2.5 of v2 has no number for the type; the answer is in no paper. */
function withoutNumber(how: 'none' | 460 | 400): Verdict {
  const source = '[C] noNumber';
  if (how === 'none') {
    return { kind: 'none', source };
  }
  const errors = [dataError(how === 460 ? 460 : 471, 'invoice_type')];
  return { kind: 'errors', status: how === 460 ? 200 : 400, errors, source };
}
