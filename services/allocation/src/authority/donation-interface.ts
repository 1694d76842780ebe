import type { Business, IssuedDocument } from '@pinkas/contracts';
import {
  type DonationMeans,
  type DonationReport,
  dayInIsrael,
  donationMeansCodes,
  donorOf,
  normaliseTaxId,
  toShekels,
} from '@pinkas/domain';
import { hasNoNumber, membersOf, readAnswer, refusalOf } from './answer-object.js';
import { truncateUtf16 } from './truncate-utf16.js';

/*
 * Everything that is known, or assumed, of the authority's donations interface is in this file. Fields and codes are public (its guide
 * for software houses, June 2023, annex A), and so is the path (its slides for software houses, November 2023); the service was live then
 * (letter D160 of 21 November 2023). Not public: the form of an answer, its codes, a look-up, and what a repeated id does. Instruction
 * 11/2025 has a report sent again until its number comes.
 *
 * | what                                   | here                                         | from                                        |
 * | -------------------------------------- | -------------------------------------------- | ------------------------------------------- |
 * | fields, their widths and codes         | `DonationRequest`                            | annex A                                     |
 * | ids of donors without one of their own | 999999999, 888888888                         | annex A                                     |
 * | one means of payment for each report   | `donationReports` of the domain              | annex A                                     |
 * | rows with the bank for checks and bank | `rows`, which annex A does not name          | annex A; the name is assumed                |
 * |   transfers                            |                                              |                                             |
 * | bank, branch and account of a transfer | 0                                            | assumed: receipts do not record them        |
 * | a cancellation is complete, and names  | 410 with `Base_document_number`              | annex A                                     |
 * |   the number of the first report       |                                              |                                             |
 * | path                                   | `Donations/v1/Report`, or `DONATIONS_URL`    | the slides, of the test environment         |
 * | tokens, and the meaning of a status    | as for allocation numbers                    | assumed: both are behind one gateway        |
 * | a repeated `Donation_ID` is no second  | the same bytes are sent until a number comes | assumed: the field is 'our unique id'       |
 * |   donation                             |                                              |                                             |
 * | form of an answer                      | `approved`, `confirmation_number`, `message` | assumed, as for allocation numbers; a       |
 * |                                        |                                              |   refusal may have the status 200 or 400    |
 * | form of a number                       | 1 to 30 letters, digits, hyphens and slashes | `Base_document_number` is text of 30        |
 * | what a number is unique among          | the reports of one institution               | assumed                                     |
 * | kind of a card payment                 | 5, other                                     | assumed: receipts do not record it          |
 * | date of a receipt                      | the date of the document, also of checks that| assumed: each check has its own date        |
 * |                                        |   are due later                              |                                             |
 * | an id of the donor that comes later    | cancelled, and a receipt with it issued      | a supplement exists in the portal alone     |
 */

/** Below the base address of the interface. */
export const reportPath = 'Report';

/** The subject of a report: a receipt, or the cancellation of one that has a number. */
export type DonationDocument =
  | { readonly type: 'receipt' }
  | { readonly type: 'cancellation'; readonly baseNumber: string };

const documentCodes = { receipt: 405, cancellation: 410 } as const;

/** One payment by check or bank transfer of a report. */
interface DonationRow {
  Bank_number: number;
  Bank_branch_number: number;
  Bank_account_number: number;
  /** The next three of a check alone. */
  Check_number?: number;
  Check_date?: string;
  Check_amount?: number;
}

/** The body of a report. Amounts are ILS, days YYYYMMDD. */
interface DonationRequest {
  Charity_association_number: number;
  /** At most 50 characters, the same on every attempt. */
  Donation_ID: string;
  Receipt_number: string;
  Donor_identity: number;
  Passport_number?: string;
  Standard_country_code?: string;
  Donor_name: string;
  Receipt_date: string;
  Receipt_issuance_date: string;
  Amount_in_NIS: number;
  Document_type: number;
  Base_document_number?: string;
  Payment_method: number;
  Credit_transaction_type?: number;
  Last_4_credit_card_digits?: string;
  Accounting_software_number: number;
  rows?: DonationRow[];
}

/** The authority's field lengths. */
const lengths = { name: 64, bank: 2, branch: 3, account: 10, check: 10 } as const;
/** 'Other': whether a card was charged at once or in instalments is not known of a receipt. */
const otherCardTransaction = 5;
/** Who is not known has no name either: a name without an id is no donor to the authority. */
const anonymousName = 'תרומה בעילום שם';

type Payment = IssuedDocument['payments'][number];

/** Our id of a report, the same on every attempt; a cancellation has one of its own. */
export function donationId(documentId: string, index: number, type: DonationDocument['type']): string {
  return `${documentId}-${index}${type === 'cancellation' ? '-c' : ''}`;
}

/**
 * What the authority is sent for one report of a receipt. The same report always gives the same request, under the same `Donation_ID`.
 * @throws Error when the institution has no tax id: the decision asks only where it has one.
 */
export function donationRequest(
  document: IssuedDocument,
  business: Business,
  report: DonationReport<Payment>,
  parts: { subject: DonationDocument; accountingSoftwareNumber: number },
): DonationRequest {
  if (business.tax_id === null) {
    throw new Error('a tax id is missing');
  }
  const donor = donorOf(document);
  const { subject } = parts;
  const { foreign_donor: foreign } = document;
  return {
    Charity_association_number: Number(normaliseTaxId(business.tax_id)),
    Donation_ID: donationId(document.id, report.index, subject.type),
    Receipt_number: String(document.number),
    Donor_identity: Number(donor.id),
    ...(foreign?.passport !== undefined && { Passport_number: foreign.passport }),
    ...(foreign && { Standard_country_code: foreign.country }),
    Donor_name:
      donor.kind === 'anonymous' ? anonymousName : truncateUtf16(document.customer.name, lengths.name),
    Receipt_date: compactDay(document.date),
    Receipt_issuance_date: compactDay(dayInIsrael(new Date(document.issued_at))),
    Amount_in_NIS: toShekels(report.amount),
    Document_type: documentCodes[subject.type],
    ...(subject.type === 'cancellation' && { Base_document_number: subject.baseNumber }),
    Payment_method: donationMeansCodes[report.means],
    ...(report.means === 'credit_card' && { Credit_transaction_type: otherCardTransaction }),
    ...(report.cardLastDigits !== null && { Last_4_credit_card_digits: report.cardLastDigits }),
    Accounting_software_number: parts.accountingSoftwareNumber,
    ...(hasRows(report.means) && { rows: report.payments.map((payment) => rowOf(payment, report.means)) }),
  };
}

const hasRows = (means: DonationMeans): boolean => means === 'check' || means === 'bank_transfer';

function rowOf(payment: Payment, means: DonationMeans): DonationRow {
  const bank = {
    Bank_number: numberOf(String(payment.bank_code ?? ''), lengths.bank),
    Bank_branch_number: numberOf(payment.branch, lengths.branch),
    Bank_account_number: numberOf(payment.account, lengths.account),
  };
  return means === 'check'
    ? {
        ...bank,
        Check_number: numberOf(payment.check_number, lengths.check),
        Check_date: compactDay(payment.check_date ?? payment.date),
        Check_amount: payment.amount,
      }
    : bank;
}

/** The digits of a text; 0 where it has none, or more than the field. */
function numberOf(text: string | null, digitsMax: number): number {
  const digits = (text ?? '').replaceAll(/\D/g, '');
  return digits.length > digitsMax ? 0 : Number(digits);
}

const compactDay = (day: string): string => day.replaceAll('-', '');

/** The authority has taken a report, and given it a number. */
interface ReportedAnswer {
  readonly kind: 'reported';
  readonly number: string;
}

/** The authority's decision about one report. */
export type ReportAnswer =
  | ReportedAnswer
  | { readonly kind: 'refused'; readonly codes: readonly string[]; readonly message: string };

/** The name by which an answer repeats the id, in lower case. */
const idName = 'donation_id';

function reported(given: unknown): ReportedAnswer {
  if (typeof given !== 'string' || !/^[0-9A-Za-z/-]{1,30}$/.test(given) || /^0+$/.test(given)) {
    throw new Error('the answer has no usable number');
  }
  return { kind: 'reported', number: given };
}

/** Whether an answer refuses a report, whatever its HTTP status. */
export function isRefusedReport(body: string): boolean {
  try {
    return membersOf(JSON.parse(body))?.get('approved') === false;
  } catch {
    return false;
  }
}

/**
 * Reads an answer with HTTP status 200, which may be a refusal. Strict, since a number is printed on a legal document.
 * @throws Error that states what is wrong with an answer that is neither; ForeignAnswer.
 */
export function readReportAnswer(body: string, id: string): ReportAnswer {
  const answer = readAnswer(body, { name: idName, value: id });
  const approved = answer.get('approved');
  const given = answer.get('confirmation_number');
  if (approved === true) {
    return reported(given);
  }
  if (approved === false && hasNoNumber(given)) {
    return { kind: 'refused', ...refusalOf(answer.get('message')) };
  }
  throw new Error('the answer neither approves nor refuses');
}
