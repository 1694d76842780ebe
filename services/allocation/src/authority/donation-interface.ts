import type { Business, IssuedDocument } from '@pinkas/contracts';
import {
  type DonationReport,
  dayInIsrael,
  donationMeansCodes,
  donorOf,
  normaliseTaxId,
  toShekels,
} from '@pinkas/domain';
import { errorsOf, hasNoNumber, readAnswer, refusalOf } from './answer-object.js';
import { truncateUtf16 } from './truncate-utf16.js';

/*
 * Everything that is known, or assumed, of the authority's donations interface is in this file. No public document describes the
 * interface; when one does, or the authority's test environment is open, this is what is compared with it.
 *
 * | what                                   | here                                         | from                                        |
 * | -------------------------------------- | -------------------------------------------- | ------------------------------------------- |
 * | fields, their widths and codes         | `DonationRequest`                            | annex A of the authority's guide, June 2023 |
 * | ids of donors without one of their own | 999999999, 888888888                         | the same                                    |
 * | one means of payment for each report   | `donationReports` of the domain              | the same                                    |
 * | a cancellation is complete, and names  | 410 with `Base_document_number`              | the same                                    |
 * |   the number of the first report       |                                              |                                             |
 * | tokens, and the meaning of a status    | as for allocation numbers                    | assumed: both are behind one gateway        |
 * | base address                           | `DONATIONS_URL`, by default `Donations/v1`   | one public program; not confirmed           |
 * | paths                                  | `Report`, `confirmationNumber`               | the first as above; the second assumed      |
 * | a report may be looked up by its id    | `confirmationNumber`, 404 where there is none| assumed, as for allocation numbers          |
 * | a repeated `Donation_ID` is no second  | sent after a look-up alone                   | assumed: the field is 'our unique id'       |
 * |   donation                             |                                              |                                             |
 * | form of an answer                      | `approved`, `confirmation_number`, `message` | assumed, as for allocation numbers          |
 * | form of a number                       | 1 to 30 letters, digits, hyphens and slashes | `Base_document_number` is text of 30        |
 * | kind of a card payment                 | 5, other                                     | assumed: receipts do not record it          |
 * | date of a receipt                      | the date of the document, also of checks that| assumed: each check has its own date        |
 * |                                        |   are due later                              |                                             |
 */

/** Below the base address of the interface. */
export const donationPaths = { report: 'Report', find: 'confirmationNumber' } as const;

/** What a report is about: a receipt, or the cancellation of one that has a number. */
export type DonationDocument =
  | { readonly type: 'receipt' }
  | { readonly type: 'cancellation'; readonly baseNumber: string };

const documentCodes = { receipt: 405, cancellation: 410 } as const;

/** One check of a report. */
interface DonationCheck {
  Bank_number?: number;
  Bank_branch_number?: number;
  Bank_account_number?: number;
  Check_number?: number;
  Check_date: string;
  Check_amount: number;
}

/** The body of a report. Amounts are ILS, days YYYYMMDD. */
export interface DonationRequest {
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
  checks?: DonationCheck[];
}

/** The authority's field lengths. */
const lengths = { name: 64, bank: 2, branch: 3, account: 10, check: 10 } as const;
/** 'Other': whether a card was charged at once or in instalments is not known of a receipt. */
const otherCardTransaction = 5;
/** Who is not known has no name either: a name without an id is no donor to the authority. */
const anonymousName = 'תרומה בעילום שם';

type Payment = IssuedDocument['payments'][number];

/** Our id of a report, by which it is found again; a cancellation has one of its own. */
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
    ...(report.means === 'check' && { checks: report.payments.map(checkOf) }),
  };
}

function checkOf({
  bank_code,
  branch,
  account,
  check_number,
  check_date,
  date,
  amount,
}: Payment): DonationCheck {
  return {
    ...numeric('Bank_number', bank_code === null ? null : String(bank_code), lengths.bank),
    ...numeric('Bank_branch_number', branch, lengths.branch),
    ...numeric('Bank_account_number', account, lengths.account),
    ...numeric('Check_number', check_number, lengths.check),
    Check_date: compactDay(check_date ?? date),
    Check_amount: amount,
  };
}

/** A member of digits alone; absent where the text has none, or more than the field. */
function numeric<Name extends keyof DonationCheck>(
  name: Name,
  text: string | null,
  digitsMax: number,
): Pick<DonationCheck, never> | Record<Name, number> {
  const digits = (text ?? '').replaceAll(/\D/g, '');
  return digits === '' || digits.length > digitsMax
    ? {}
    : ({ [name]: Number(digits) } as Record<Name, number>);
}

const compactDay = (day: string): string => day.replaceAll('-', '');

/** The authority has taken a report, and given it a number. */
export interface ReportedAnswer {
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

/** Reads what a look-up with HTTP status 200 found: a number, or explicitly none. @throws like `readReportAnswer`. */
export function readFoundReport(body: string, id: string): ReportedAnswer | { readonly kind: 'none' } {
  const answer = readAnswer(body, { name: idName, value: id });
  const given = answer.get('confirmation_number');
  if (!hasNoNumber(given)) {
    return reported(given);
  }
  if (!answer.has('confirmation_number') || errorsOf(answer.get('message')).length > 0) {
    throw new Error('the answer does not say whether there is a number');
  }
  return { kind: 'none' };
}
