import { amountMax, type CreateDocument, type IssuedDocument } from '@pinkas/contracts';
import { type Agorot, decimalPlaces, fromShekels, isBlank, toShekels } from '@pinkas/domain';
import {
  type FieldErrors,
  type Language,
  lengthErrors,
  numberError,
  readMoney,
  type Words,
} from '@pinkas/ui';
import { type FieldSpecs, readFields, type Values } from '../frame/form-fields.js';
import { expectedTotal, issueLimits, type Origin } from './issue-fields.js';

const badDescription: Words = { he: 'יש לכתוב עבור מה הזיכוי.', en: 'Say what the credit is for.' };
export const badAmount: Words = {
  he: 'סכום גדול מאפס, עד שתי ספרות אחרי הנקודה, ולא יותר ממה שנותר לזכות.',
  en: 'An amount above zero with at most two decimals, and no more than is left to credit.',
};

/** The fields of a part of an invoice. */
export const partFields = {
  amount: { word: { he: 'סכום לזיכוי, כולל מע"מ', en: 'Amount to credit, with VAT' }, type: 'money' },
  description: { word: { he: 'עבור מה', en: 'For what' } },
} as const satisfies FieldSpecs;

/** The fields of every credit note. */
export const creditFields = {
  notes: { word: { he: 'הערות במסמך (לא חובה)', en: 'Notes on the document (optional)' }, type: 'area' },
  send: { word: { he: 'לשלוח ללקוח', en: 'Send it to the customer' }, type: 'box' },
} as const satisfies FieldSpecs;

/** What the form asks for. */
export interface Credit {
  readonly isPart: boolean;
  readonly values: Values<keyof typeof partFields | keyof typeof creditFields>;
}

/** The invoice that a credit note is for. */
export interface Source {
  readonly document: IssuedDocument;
  readonly credited: Agorot;
  /** ILS: what other credit notes have left. */
  readonly left: number;
  /** What is paid, by receipts. */
  readonly paid: Agorot;
}

export function sourceOf({ document, state }: Origin): Source {
  if (state.credited === undefined) {
    throw new Error('a detailed state without what is credited');
  }
  const credited = fromShekels(state.credited);
  const left = toShekels(fromShekels(document.totals.total) - credited);
  return { document, credited, left, paid: fromShekels(state.paid) };
}

export function readCredit(form: URLSearchParams): Credit {
  return {
    isPart: form.get('extent') === 'part',
    values: readFields({ ...partFields, ...creditFields }, form),
  };
}

/** All of a document is credited where no part of it is. */
export const isCompleteLeft = ({ credited }: Source): boolean => credited === 0n;

export function creditErrors({ isPart, values }: Credit, { left }: Source, language: Language): FieldErrors {
  const { amount, description, notes } = values;
  const { texts } = issueLimits;
  if (!isPart) {
    return lengthErrors({ notes }, { notes: texts.notes ?? 0 }, language);
  }
  const value = readMoney(amount);
  const isAmount = value !== null && value > 0 && decimalPlaces(value) <= 2 && value <= left;
  const limits = { notes: texts.notes ?? 0, description: texts['items.description'] ?? 0 };
  return {
    ...(!isAmount && { amount: numberError(amount, badAmount, language) }),
    ...(isBlank(description) && { description: badDescription[language] }),
    ...lengthErrors({ notes, description }, limits, language),
  };
}

/**
 * The key is made of what the source was credited: what is sent twice, or by two people, or after a lost reply, is issued once. A
 * release that makes it in another way issues a second credit note.
 */
export const creditKey = ({ document, credited }: Source): string => `credit-${document.id}-${credited}`;

/** An amount as the prices of as many lines as it needs: an invoice may come to more than one price may be. */
function withinMax(amount: number): number[] {
  const more = fromShekels(amount) - fromShekels(amountMax);
  return more > 0n ? [amountMax, ...withinMax(toShekels(more))] : [amount];
}

export function creditBody({ isPart, values }: Credit, { document }: Source): CreateDocument {
  const { customer, discount } = document;
  // Its identity is that of the source. The customer is reached as the card states, which a person may have corrected since.
  const identity = {
    ...(customer.tax_id !== null && { tax_id: customer.tax_id }),
    ...(customer.legal_type !== null && { legal_type: customer.legal_type }),
  };
  const common = {
    type: 'credit_note' as const,
    customer: { id: customer.id, ...identity },
    based_on: document.id,
    send: values.send === 'yes',
    ...(values.notes !== '' && { notes: values.notes }),
  };
  if (isPart) {
    const { description } = values;
    const items = withinMax(readMoney(values.amount) ?? 0).map((unit_price) => ({
      ...{ description, quantity: 1, unit_price },
    }));
    return { ...common, items, prices_include_vat: true };
  }
  const items = document.items.map(({ description, quantity, unit_price, sku }) => ({
    description,
    quantity,
    unit_price,
    ...(sku !== null && { sku }),
  }));
  return {
    ...common,
    items,
    prices_include_vat: document.prices_include_vat,
    ...(discount && { discount }),
    ...expectedTotal(document.totals.total),
  };
}
