import type { Debt } from '@pinkas/contracts';
import {
  documentTypeRules,
  fieldDirection,
  formatDay,
  fromShekels,
  isolatedText,
  sum,
  toShekels,
} from '@pinkas/domain';
import type { DeliveryFacts, Reminder } from '../db/delivery.tables.js';
import { amountText, singleLine } from '../message/wording.js';
import {
  type Email,
  type EmailLogo,
  lookOf,
  paymentOf,
  type Row,
  toHtml,
  toText,
  viewUrl,
} from './compose-email.js';

const wordings = {
  he: {
    subject: (business: string) => `תזכורת לתשלום מאת ${business}`,
    text: (customer: string, business: string) =>
      `שלום ${customer},\n\nלפי הרישומים שלנו, הסכומים המפורטים למטה עדיין לא שולמו. נודה על הסדרת התשלום.\n\nאם התשלום כבר בוצע, אפשר להתעלם מהודעה זו.\n\nבברכה,\n${business}`,
    due: (day: string) => `לתשלום עד ${day}`,
    onAccount: 'זכות בחשבון שלך',
    total: 'סך הכול לתשלום',
    view: 'צפייה במסמך',
    viewFirst: 'צפייה במסמך הראשון',
    balance: (day: string) => `יתרה ליום ${day}`,
    inCredit: (day: string) => `יתרת זכות ליום ${day}`,
    file: 'כרטסת',
    attached: 'הכרטסת מצורפת כקובץ PDF.',
  },
  en: {
    subject: (business: string) => `Payment reminder from ${business}`,
    text: (customer: string, business: string) =>
      `Dear ${customer},\n\nAccording to our records the amounts below are still to be paid. Please arrange the payment.\n\nIf you have paid already, please disregard this message.\n\nKind regards,\n${business}`,
    due: (day: string) => `due ${day}`,
    onAccount: 'Your credit on account',
    total: 'Total due',
    view: 'View the document',
    viewFirst: 'View the first document',
    balance: (day: string) => `Balance on ${day}`,
    inCredit: (day: string) => `In credit on ${day}`,
    file: 'statement',
    attached: 'The statement is attached as a PDF.',
  },
} as const;

/** The default text of a reminder. */
export function defaultReminder(
  business: { readonly name: string; readonly language: 'he' | 'en' },
  customerName: string,
): Pick<Reminder, 'subject' | 'text'> {
  const wording = wordings[business.language];
  const name = singleLine(business.name);
  return {
    subject: wording.subject(name),
    text: wording.text(singleLine(customerName), name),
  };
}

/** Composes the email of a reminder: the text of a person, and below it what is open now; of a statement, its balance. */
export function composeReminder(
  facts: DeliveryFacts,
  reminder: Reminder,
  {
    debts,
    onAccount,
    logo,
  }: { readonly debts: readonly Debt[]; readonly onAccount: number; readonly logo: EmailLogo | null },
  viewUrlBase: string,
): Email {
  const { language } = facts.business;
  const wording = wordings[language];
  const name = singleLine(facts.business.name);
  const subject = singleLine(reminder.subject);
  const [first] = debts;
  const { statement } = reminder;
  const lines = {
    type: subject,
    opening: paragraphsOf(reminder.text).map((paragraph) => isolatedText(paragraph, language)),
    rows: statement ? [balanceRow(statement, language)] : rowsOf(debts, onAccount, language),
    payment: statement && statement.closing <= 0 ? null : paymentOf(facts),
    // A statement is on no page.
    link: statement ? null : viewUrl(viewUrlBase, first?.document.public_id ?? facts.document.public_id),
    view: debts.length > 1 ? wording.viewFirst : wording.view,
    closing: statement ? wording.attached : null,
    business: name,
    businessDirection: fieldDirection(name, language),
  };
  return {
    subject,
    text: toText({ ...lines, opening: [reminder.text.trim()] }),
    html: toHtml(lines, language, lookOf(facts, logo)),
    fileName: statement ? `${wording.file}-${statement.as_of}.pdf` : '',
    language,
  };
}

function balanceRow({ as_of, closing }: NonNullable<Reminder['statement']>, language: 'he' | 'en'): Row {
  const wording = wordings[language];
  const day = isolatedText(formatDay(as_of, language), language);
  return {
    name: (closing < 0 ? wording.inCredit : wording.balance)(day),
    value: amountText(Math.abs(closing), language),
    isStrong: true,
  };
}

function rowsOf(debts: readonly Debt[], onAccount: number, language: 'he' | 'en'): Row[] {
  const wording = wordings[language];
  const rows = debts.map(({ document, balance, due_on }) => {
    const rules = documentTypeRules[document.type];
    const type = language === 'he' ? rules.nameHe : rules.name;
    const due = isolatedText(formatDay(due_on, language), language);
    return {
      name: `${type} ${document.number}, ${wording.due(due)}`,
      value: amountText(balance, language),
      isStrong: debts.length === 1 && onAccount === 0,
    };
  });
  const credit = fromShekels(onAccount);
  const left = toShekels(sum(debts.map(({ balance }) => fromShekels(balance))) - credit);
  const deducted = { name: wording.onAccount, value: amountText(-onAccount, language), isStrong: false };
  return debts.length > 1 || credit > 0n
    ? [
        ...rows,
        ...(credit > 0n ? [deducted] : []),
        { name: wording.total, value: amountText(left, language), isStrong: true },
      ]
    : rows;
}

/** The lines of a text that has something in them. */
const paragraphsOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => singleLine(line))
    .filter((line) => line !== '');
