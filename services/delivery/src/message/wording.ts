import { documentTypeRules } from '@pinkas/domain';
import type { DeliveryFacts } from '../db/delivery.tables.js';

/** What a message states of the tax authority's number of its document: of an invoice, or of a donation. */
export interface AllocationState {
  /** The printed one; null: there is none. */
  readonly number: string | null;
  /** Whether it is still being obtained. */
  readonly isPending: boolean;
  /** Whether the report of the donation was cancelled. */
  readonly reportCancelled?: boolean;
  /** Whether its PDF states that no input VAT is deducted by it. */
  readonly notDeductible?: boolean;
}

/** That the report of a donation was cancelled, as its receipt states it. */
export const reportCancelledWords = { he: 'דיווח בוטל', en: 'Report cancelled' } as const;

/** That no input VAT is deducted by an invoice: the sentence that the tax authority prescribes, and what it means. */
export const notDeductibleWords = {
  he: 'אין לנכות מס תשומות בגין חשבונית זו',
  en: 'Input VAT must not be deducted on this invoice (אין לנכות מס תשומות בגין חשבונית זו)',
} as const;

const locales = { he: 'he-IL', en: 'en-IL' } as const;

/** A name on a single line, without control characters, which could add a header, and direction controls. */
export const singleLine = (text: string): string =>
  text
    .replaceAll(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();

/** A text as a sentence: one that ends with a sign of its own, as the name of a company may, gets no second. */
export const asSentence = (text: string): string => (/[.!?…]\u2069?$/u.test(text) ? text : `${text}.`);

/** The kind of a document as its messages name it, in the language of the business. */
export function typeName({ document, business }: DeliveryFacts): string {
  const rules = documentTypeRules[document.type];
  return business.language === 'he' ? rules.nameHe : rules.name;
}

/** The total as it is written in the language of the business, with the sign of the shekel. */
export function totalText({ document, business }: DeliveryFacts): string {
  return amountText(document.total, business.language);
}

/** An amount, ILS, as it is written in a language, with the sign of the shekel. */
export function amountText(amount: number, language: 'he' | 'en'): string {
  return new Intl.NumberFormat(locales[language], { style: 'currency', currency: 'ILS' }).format(amount);
}
