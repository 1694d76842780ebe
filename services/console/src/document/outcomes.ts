import { type Language, type Markup, notice, type Words } from '@pinkas/ui';
import { noNumber } from '../frame/refusal-words.js';

/** What a form about a document has done, or why it has done nothing. */
const outcomes = {
  done: {
    sent: { he: 'ההודעה תישלח בדקות הקרובות.', en: 'The message will be sent within minutes.' },
    resent: { he: 'ההודעות יישלחו שוב.', en: 'The messages will be sent again.' },
    allowed: {
      he: 'החסימה בוטלה. הודעה שנכשלה אינה נשלחת מעצמה: לוחצים על שליחה חוזרת.',
      en: 'The address gets messages again. A message that has failed is not sent automatically: send it again.',
    },
    issued: { he: 'התקבל מספר מרשות המסים.', en: 'The number of the tax authority arrived.' },
    cancelled: { he: 'המסמך בוטל.', en: 'The document is cancelled.' },
    document_issued: { he: 'המסמך הופק.', en: 'The document is issued.' },
    donation_cancelled: { he: 'הדיווח על התרומה בוטל.', en: 'The report of the donation is cancelled.' },
    number_entered: { he: 'מספר ההקצאה נשמר.', en: 'The allocation number is saved.' },
    decision_taken: {
      he: 'ההחלטה נמסרה לרשות המסים.',
      en: 'The tax authority has taken the decision.',
    },
    credited: { he: 'חשבונית הזיכוי הופקה.', en: 'The credit note is issued.' },
  },
  info: {
    issued_before: {
      he: 'מהטופס הזה כבר הופק המסמך הזה. דבר לא הופק שוב.',
      en: 'This document was issued from that form already. Nothing was issued again.',
    },
    nothing: { he: 'אין הודעה שנכשלה.', en: 'There is no failed message.' },
    not_retryable: {
      he: 'אין צורך בבקשה לרשות המסים.',
      en: 'Nothing has to be requested of the tax authority.',
    },
    not_requested_has_number: {
      he: 'למסמך יש כבר מספר הקצאה.',
      en: 'The document has an allocation number already.',
    },
    decision_pending: {
      he: 'ההחלטה נרשמה; רשות המסים עדיין לא אישרה אותה, והמערכת תשלח אותה שוב.',
      en: 'The decision is recorded; the tax authority has not confirmed it yet, and the system sends it again.',
    },
    donation_reporting: {
      he: 'התרומה מדווחת לרשות המסים בדקות הקרובות.',
      en: 'The donation is being reported to the tax authority within minutes.',
    },
    donation_not_required: {
      he: 'התרומה אינה מדווחת גם עכשיו: המוסד לא היה מאושר ביום הקבלה, או אינו מחובר לרשות המסים.',
      en: 'The donation is not reported now either: the institution was not approved on the day of the receipt, or is not connected to the tax authority.',
    },
    donation_cancelling: {
      he: 'הביטול נרשם; רשות המסים עדיין לא אישרה אותו, והמערכת תנסה שוב.',
      en: 'The cancellation is recorded; the tax authority has not taken it yet, and the system will try again.',
    },
  },
  error: {
    suppressed: {
      he: 'לא נשלח דבר: הכתובת חסומה לשליחה. אפשר לבטל את החסימה או לשלוח לכתובת אחרת, תחת ״פעולות״ בדף הזה.',
      en: 'Nothing was sent: the address is blocked. Unblock it or send to another address, under Actions on this page.',
    },
    partly_resent: {
      he: 'חלק מההודעות יישלחו שוב. השאר לא: הכתובות שלהן חסומות לשליחה. אפשר לבטל את החסימה או לשלוח לכתובת אחרת, תחת ״פעולות״ בדף הזה.',
      en: 'Some messages will be sent again. The others will not: their addresses are blocked. Unblock them or send to another address, under Actions on this page.',
    },
    refused: { he: 'רשות המסים סירבה; הנימוק למטה.', en: 'The authority refused; its reason is below.' },
    decision_failed: {
      he: 'רשות המסים לא קיבלה את ההחלטה; הנימוק למטה.',
      en: 'The tax authority did not take the decision; its reason is below.',
    },
    not_given: {
      he: 'לא התקבל מספר; הנימוק למטה.',
      en: 'No number was given; the reason is below.',
    },
    not_requested_refused: {
      he: 'רשות המסים כבר סירבה לתת מספר למסמך הזה; קודם צריך להחליט מה לעשות.',
      en: 'The tax authority has refused a number of this document: decide first what to do about that.',
    },
    not_requested_not_connected: {
      he: 'העסק אינו מחובר לרשות המסים; קודם צריך להתחבר.',
      en: 'The business is not connected to the tax authority: connect it first.',
    },
    not_requested_type: noNumber.type,
    not_requested_age: noNumber.age,
    not_requested_no_vat: noNumber.no_vat,
    not_requested_no_tax_id: noNumber.no_tax_id,
    failed: {
      he: 'רשות המסים לא ענתה; המערכת תנסה שוב.',
      en: 'The authority did not answer; the system will try again.',
    },
  },
} as const satisfies Record<'done' | 'info' | 'error', Record<string, Words>>;

/** The sentence about what a form has done; null: none led here, or its page has words of its own. */
export function outcomeNotice(outcome: string | null, language: Language): Markup | null {
  for (const kind of ['done', 'info', 'error'] as const) {
    const found = Object.entries<Words>(outcomes[kind]).find(([name]) => name === outcome);
    if (found) {
      return notice(kind, found[1][language]);
    }
  }
  return null;
}
