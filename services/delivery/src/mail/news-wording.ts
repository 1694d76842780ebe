import type { DeliveryFacts } from '../db/delivery.tables.js';
import { type AllocationState, notDeductibleWords, reportCancelledWords } from '../message/wording.js';

/** The words for a donation whose report was cancelled. */
const cancelledWordings = {
  he: {
    subject: (type: string, number: number, business: string) =>
      `דיווח בוטל: ${type} ${number} מאת ${business}`,
    accountantSubject: (type: string, number: number, business: string) =>
      `עותק לרואה החשבון: דיווח בוטל, ${type} ${number}, ${business}`,
    intro: (type: string, number: number, business: string) =>
      `הדיווח לרשות המסים על התרומה שבגינה הופקה ${type} ${number} מאת ${business} בוטל. התרומה אינה מזכה בזיכוי ממס.`,
    attached: 'מצורפת הקבלה, ובה צוין שהדיווח בוטל.',
    row: 'דיווח לרשות המסים',
  },
  en: {
    subject: (type: string, number: number, business: string) =>
      `Report cancelled: ${type} ${number} from ${business}`,
    accountantSubject: (type: string, number: number, business: string) =>
      `Copy for your books: report cancelled, ${type} ${number}, ${business}`,
    intro: (type: string, number: number, business: string) =>
      `The report to the tax authority of the donation of ${type.toLowerCase()} ${number} from ${business} was cancelled. The donation gives no tax credit.`,
    attached: 'Attached is the receipt, which says that the report is cancelled.',
    row: 'Report to the tax authority',
  },
} as const;

/** The words for an invoice whose owner goes on without the number that the authority refused. */
const notDeductibleWordings = {
  he: {
    subject: (type: string, number: number, business: string) =>
      `אין לנכות מס תשומות: ${type} ${number} מאת ${business}`,
    accountantSubject: (type: string, number: number, business: string) =>
      `עותק לרואה החשבון: אין לנכות מס תשומות, ${type} ${number}, ${business}`,
    intro: (type: string, number: number, business: string) =>
      `רשות המסים לא נתנה מספר הקצאה עבור ${type} ${number} מאת ${business}. החשבונית בתוקף, ואין לנכות בגינה מס תשומות.`,
    attached: 'מצורף אותו מסמך, ובו צוין הדבר; אין זה מסמך נוסף.',
    row: 'מספר הקצאה',
  },
  en: {
    subject: (type: string, number: number, business: string) =>
      `No input VAT: ${type} ${number} from ${business}`,
    accountantSubject: (type: string, number: number, business: string) =>
      `Copy for your books: no input VAT, ${type} ${number}, ${business}`,
    intro: (type: string, number: number, business: string) =>
      `The tax authority gave no allocation number for ${type.toLowerCase()} ${number} from ${business}. The invoice is valid, and input VAT must not be deducted on it.`,
    attached: 'Attached is the same document, which says so; it is not a further one.',
    row: 'Allocation number',
  },
} as const;

/** The words of news that a document states. */
export interface NewsWording {
  subject(type: string, number: number, business: string): string;
  accountantSubject(type: string, number: number, business: string): string;
  intro(type: string, number: number, business: string): string;
  readonly attached: string;
  /** The name of the fact in the table. */
  readonly row: string;
}

/** What a message states of news, and the fact that it names; null: its document states none. */
export function newsOf(
  { reportCancelled, notDeductible }: AllocationState,
  language: DeliveryFacts['business']['language'],
): { readonly wording: NewsWording; readonly value: string } | null {
  if (reportCancelled) {
    return { wording: cancelledWordings[language], value: reportCancelledWords[language] };
  }
  return notDeductible
    ? { wording: notDeductibleWordings[language], value: notDeductibleWords[language] }
    : null;
}
