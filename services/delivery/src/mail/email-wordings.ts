import { type TotalRowKind } from '@pinkas/domain';
import { asSentence } from '../message/wording.js';

export interface Wording {
  subject(type: string, number: number, business: string): string;
  accountantSubject(type: string, number: number, business: string): string;
  greeting(customer: string): string;
  intro(type: string, business: string): string;
  accountantIntro(type: string, business: string, customer: string): string;
  followUpSubject(type: string, number: number, business: string): string;
  accountantFollowUpSubject(type: string, number: number, business: string): string;
  followUpIntro(type: string, number: number, business: string): string;
  accountantFollowUpIntro(type: string, number: number, business: string, customer: string): string;
  /** A follow-up brings no other document: it must not be entered in the books twice. */
  readonly sameDocument: string;
  readonly allocationNumber: string;
  readonly allocationPending: string;
  readonly number: string;
  readonly date: string;
  readonly total: string;
  readonly amountDue: string;
  readonly balance: string;
  readonly inCredit: string;
  readonly dueDate: string;
  readonly figures: Readonly<Record<TotalRowKind, string>>;
  readonly withoutVat: string;
  readonly view: string;
  readonly attached: string;
}

export const wordings: Readonly<Record<'he' | 'en', Wording>> = {
  he: {
    subject: (type, number, business) => `${type} ${number} מאת ${business}`,
    accountantSubject: (type, number, business) => `עותק לרואה החשבון: ${type} ${number}, ${business}`,
    greeting: (customer) => `שלום ${customer},`,
    intro: (type, business) => asSentence(`קיבלת ${type} מאת ${business}`),
    accountantIntro: (type, business, customer) =>
      asSentence(`עותק של ${type} מאת ${business} עבור ${customer}`),
    followUpSubject: (type, number, business) => `התקבל מספר הקצאה: ${type} ${number} מאת ${business}`,
    accountantFollowUpSubject: (type, number, business) =>
      `עותק לרואה החשבון: התקבל מספר הקצאה, ${type} ${number}, ${business}`,
    followUpIntro: (type, number, business) =>
      `התקבל מספר הקצאה מרשות המסים עבור ${type} ${number} מאת ${business}, שנשלחה אליך קודם לכן ללא המספר.`,
    accountantFollowUpIntro: (type, number, business, customer) =>
      `התקבל מספר הקצאה מרשות המסים עבור ${type} ${number} מאת ${business} עבור ${customer}, שעותק שלה נשלח אליך קודם לכן ללא המספר.`,
    sameDocument: 'מצורף אותו מסמך, הפעם עם מספר ההקצאה; אין זה מסמך נוסף.',
    allocationNumber: 'מספר הקצאה',
    allocationPending: 'מספר ההקצאה בתהליך קבלה מרשות המסים. עם קבלתו יישלח אליך המסמך עם המספר.',
    number: 'מספר',
    date: 'תאריך',
    total: 'סה"כ',
    amountDue: 'סכום לתשלום',
    balance: 'יתרה לתשלום',
    inCredit: 'יתרת זכות',
    dueDate: 'לתשלום עד',
    figures: {
      gross_lines: 'סכום ביניים כולל מע"מ',
      lines: 'סכום ביניים',
      discount: 'הנחה',
      net: 'סה"כ לפני מע"מ',
      vat: 'מס ערך מוסף (מע"מ)',
    },
    withoutVat: 'ללא מע"מ',
    view: 'צפייה במסמך',
    attached: 'המסמך החתום מצורף כקובץ PDF.',
  },
  en: {
    subject: (type, number, business) => `${type} ${number} from ${business}`,
    accountantSubject: (type, number, business) => `Copy for your books: ${type} ${number}, ${business}`,
    greeting: (customer) => `Dear ${customer},`,
    intro: (type, business) => asSentence(`Please find attached your ${type.toLowerCase()} from ${business}`),
    accountantIntro: (type, business, customer) =>
      asSentence(`A copy of the ${type.toLowerCase()} that ${business} issued to ${customer}`),
    followUpSubject: (type, number, business) => `Allocation number for ${type} ${number} from ${business}`,
    accountantFollowUpSubject: (type, number, business) =>
      `Copy for your books: allocation number for ${type} ${number}, ${business}`,
    followUpIntro: (type, number, business) =>
      `The document now has an allocation number of the tax authority: ${type.toLowerCase()} ${number} from ${business}, which you were sent without it.`,
    accountantFollowUpIntro: (type, number, business, customer) =>
      `The document now has an allocation number of the tax authority: ${type.toLowerCase()} ${number} that ${business} issued to ${customer}, of which you were sent a copy without it.`,
    sameDocument: 'Attached is the same document, now with the number; it is not a further one.',
    allocationNumber: 'Allocation number',
    allocationPending:
      'The allocation number is being obtained from the tax authority. Once it is there, you will be sent the document with it.',
    number: 'Number',
    date: 'Date',
    total: 'Total',
    amountDue: 'Amount due',
    balance: 'Balance due',
    inCredit: 'In credit',
    dueDate: 'Due date',
    figures: {
      gross_lines: 'Subtotal incl. VAT',
      lines: 'Subtotal',
      discount: 'Discount',
      net: 'Total before VAT',
      vat: 'VAT',
    },
    withoutVat: 'excl. VAT',
    view: 'View the document',
    attached: 'The signed document is attached as a PDF.',
  },
};

/** The words for the number of a donation report in place of an allocation number. */
export const donationWordings: Readonly<Record<'he' | 'en', Partial<Wording>>> = {
  he: {
    followUpSubject: (type, number, business) => `התקבל מספר דיווח: ${type} ${number} מאת ${business}`,
    accountantFollowUpSubject: (type, number, business) =>
      `עותק לרואה החשבון: התקבל מספר דיווח, ${type} ${number}, ${business}`,
    followUpIntro: (type, number, business) =>
      `התרומה דווחה לרשות המסים, והתקבל מספר דיווח עבור ${type} ${number} מאת ${business}, שנשלחה אליך קודם לכן ללא המספר.`,
    accountantFollowUpIntro: (type, number, business, customer) =>
      `התרומה דווחה לרשות המסים, והתקבל מספר דיווח עבור ${type} ${number} מאת ${business} עבור ${customer}, שעותק שלה נשלח אליך קודם לכן ללא המספר.`,
    sameDocument: 'מצורפת אותה קבלה, הפעם עם מספר הדיווח; אין זו קבלה נוספת.',
    allocationNumber: 'מספר דיווח לרשות המסים',
    allocationPending:
      'הדיווח על התרומה לרשות המסים טרם הושלם. עם קבלת מספר הדיווח תישלח אליך הקבלה עם המספר.',
  },
  en: {
    followUpSubject: (type, number, business) => `Report number for ${type} ${number} from ${business}`,
    accountantFollowUpSubject: (type, number, business) =>
      `Copy for your books: report number for ${type} ${number}, ${business}`,
    followUpIntro: (type, number, business) =>
      `The donation is reported to the tax authority, and its receipt now has the number of the report: ${type.toLowerCase()} ${number} from ${business}, which you were sent without it.`,
    accountantFollowUpIntro: (type, number, business, customer) =>
      `The donation is reported to the tax authority, and its receipt now has the number of the report: ${type.toLowerCase()} ${number} that ${business} issued to ${customer}, of which you were sent a copy without it.`,
    sameDocument: 'Attached is the same receipt, now with the number; it is not a further one.',
    allocationNumber: 'Tax authority report no.',
    allocationPending:
      'The donation is being reported to the tax authority. Once the number of the report is there, you will be sent the receipt with it.',
  },
};
