import {
  type CustomerDetail,
  type CustomerDetails,
  type CustomerMember,
  contactDetails,
  createCustomer,
  customerDetails,
  customerMembers,
  type PaymentTerms,
  perDetail,
  updateCustomer,
} from '@pinkas/contracts';
import type { CustomerLegalType } from '@pinkas/domain';
import type { ApiError } from '@pinkas/service-kit';
import { type FieldErrors, type Language, type Words } from '@pinkas/ui';
import { type FieldSpec, type FieldSpecs, refusedFields, type Values } from '../frame/form-fields.js';
import { limitsOf } from '../http/form-limits.js';

/** What a customer is to the tax authority. */
export const customerTypeNames = {
  hevra_baam: { he: 'חברה בע"מ', en: 'Company' },
  osek_murshe: { he: 'עוסק מורשה', en: 'VAT-registered business' },
  osek_patur: { he: 'עוסק פטור', en: 'Exempt dealer' },
  amuta: { he: 'עמותה', en: 'Non-profit' },
  private: { he: 'פרטי', en: 'Private' },
} as const satisfies Record<CustomerLegalType, Words>;

/** The field of a detail. */
function fieldOf(detail: CustomerDetail): FieldSpec {
  const { word, kind, refused }: CustomerMember = customerMembers[detail];
  return {
    word,
    ...((kind === 'email' || kind === 'tel') && { type: kind }),
    ...(refused && { refused }),
  };
}

/** What a person writes of a customer, in the order of the form. */
export const customerFields = {
  name: {
    word: { he: 'שם', en: 'Name' },
    refused: {
      he: 'שם של 2 עד 120 תווים, שאין ללקוח אחר.',
      en: 'A name of 2 to 120 characters that no other customer has.',
    },
    more: { required: true },
  },
  ...perDetail(contactDetails, fieldOf),
  terms_days: {
    word: { he: 'תנאי תשלום (ימים)', en: 'Payment terms (days)' },
    hint: { he: 'ריק: לפי הגדרות העסק.', en: 'Empty: those of the business.' },
    type: 'number',
    at: 'payment_terms.days',
    refused: { he: 'מספר שלם של ימים, מ-0 עד 365.', en: 'A whole number of days, from 0 to 365.' },
    more: { min: '0', max: '365' },
  },
  terms_from: {
    word: { he: 'הימים נספרים', en: 'Counted from' },
    at: 'payment_terms.from',
    options: {
      date: { he: 'מתאריך המסמך', en: 'The document date' },
      end_of_month: { he: 'מסוף החודש (שוטף +)', en: 'The end of the month (EOM +)' },
    },
  },
} as const satisfies FieldSpecs;

/** What is fixed once a document has it, and is written with a new customer only. */
export const newCustomerFields = {
  name: customerFields.name,
  ...perDetail(customerDetails, fieldOf),
  legal_type: {
    ...fieldOf('legal_type'),
    options: { '': { he: 'לא ידוע', en: 'Not known' }, ...customerTypeNames },
  },
  terms_days: customerFields.terms_days,
  terms_from: customerFields.terms_from,
} as const satisfies FieldSpecs;

export type CustomerValues = Values<keyof typeof customerFields>;

/** A customer as the form shows it. */
export const customerValues = (customer: CustomerDetails): CustomerValues => ({
  name: customer.name,
  ...perDetail(contactDetails, (detail) => customer[detail] ?? ''),
  terms_days: customer.payment_terms ? String(customer.payment_terms.days) : '',
  terms_from: customer.payment_terms?.from ?? 'date',
});

/** The terms that a form names; null: those of the business. What is no number of days is refused by the contract. */
export const termsOf = ({
  terms_days: days,
  terms_from: from,
}: Values<'terms_days' | 'terms_from'>): PaymentTerms | null =>
  days === ''
    ? null
    : {
        days: /^\d{1,3}$/.test(days) ? Number(days) : -1,
        from: from === 'end_of_month' ? 'end_of_month' : 'date',
      };

const lengthsBelow = (schema: object, member: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(limitsOf(schema).texts).flatMap(([path, length]) =>
      path.startsWith(`${member}.`) ? [[path.slice(member.length + 1), length] as const] : [],
    ),
  );
const limits = {
  change: lengthsBelow(updateCustomer.request, 'change'),
  customer: lengthsBelow(createCustomer.request, 'customer'),
};

/** What is wrong with a form that the customer service has refused. @param below what the contract calls what it fills in. */
export function customerErrors(
  error: ApiError,
  { below, values, language }: { below: 'change' | 'customer'; values: Values; language: Language },
): FieldErrors {
  const specs = below === 'change' ? customerFields : newCustomerFields;
  return refusedFields(specs, error, { language, below: `/${below}`, values, limits: limits[below] });
}
