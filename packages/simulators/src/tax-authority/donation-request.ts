import {
  type ApprovalError,
  type ApprovalVerdict,
  amount,
  checkFields,
  type Field,
  fault,
  must,
  text,
  whole,
} from './approval-request.js';
import { isValidIsraeliId } from './israeli-id.js';

const day: Field = {
  wants: 'a day YYYYMMDD',
  holds: (value) =>
    typeof value === 'string' && /^\d{8}$/.test(value) && !Number.isNaN(Date.parse(dashed(value))),
};
const oneOf = (values: readonly number[]): Field => ({
  wants: `one of ${values.join(', ')}`,
  holds: (value) => values.includes(value as number),
});

/** The fields of a report, as the annex of the authority's guide has them. */
const fields: Readonly<Record<string, Field>> = {
  Charity_association_number: must(whole(9)),
  Donation_ID: must(text(50)),
  Receipt_number: must(text(20)),
  Donor_identity: must(whole(9)),
  Passport_number: text(20),
  Standard_country_code: text(3),
  Donor_name: must(text(64)),
  Receipt_date: must(day),
  Receipt_issuance_date: must(day),
  Amount_in_NIS: must(amount),
  Foreign_currency_code: text(3),
  Amount_in_Foreign_Exchange: amount,
  Document_type: must(oneOf([405, 410])),
  Base_document_number: text(30),
  Payment_method: must(oneOf([1, 2, 3, 4, 8, 10, 11])),
  Credit_transaction_type: oneOf([1, 2, 3, 4, 5, 6]),
  Last_4_credit_card_digits: text(4),
  Accounting_software_number: must(whole(9)),
  checks: { wants: 'a list', holds: (value) => Array.isArray(value) },
};

const checkFieldsOf: Readonly<Record<string, Field>> = {
  Bank_number: whole(2),
  Bank_branch_number: whole(3),
  Bank_account_number: whole(10),
  Check_number: whole(10),
  Check_date: must(day),
  Check_amount: must(amount),
};

const placeholderDonors: readonly unknown[] = [999_999_999, 888_888_888];

/**
 * Checks the body of a report as the authority's schema and its rules do; the codes of content are the simulator's own.
 * @param isReported whether a number is that of a report that can be cancelled.
 */
export function checkDonation(
  body: Readonly<Record<string, unknown>>,
  isReported: (number: string) => boolean,
): ApprovalVerdict {
  const shape = [...checkFields(body, fields, '')];
  for (const [index, item] of (Array.isArray(body.checks) ? body.checks : []).entries()) {
    const at = `checks[${index}]`;
    if (typeof item !== 'object' || item === null) {
      shape.push(fault(422, `${at} must be an object`, at));
    } else {
      shape.push(...checkFields(item as Record<string, unknown>, checkFieldsOf, `${at}.`));
    }
  }
  return { shape, content: shape.length > 0 ? [] : [...checkRules(body, isReported)] };
}

function* checkRules(
  body: Readonly<Record<string, unknown>>,
  isReported: (number: string) => boolean,
): Generator<ApprovalError> {
  const donor = body.Donor_identity;
  if (!placeholderDonors.includes(donor) && !isValidIsraeliId(String(donor))) {
    yield fault(431, 'Donor_identity is not a valid id', 'Donor_identity');
  }
  if (donor === 888_888_888 && body.Standard_country_code === undefined) {
    yield fault(432, 'a foreign donor has a country', 'Standard_country_code');
  }
  if ((body.Payment_method === 2) !== (body.checks !== undefined)) {
    yield fault(433, 'checks belong to a payment by check', 'checks');
  }
  if (body.Document_type === 410 && !isReported(String(body.Base_document_number))) {
    yield fault(434, 'Base_document_number is no report', 'Base_document_number');
  }
}

const dashed = (value: string): string => `${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)}`;
