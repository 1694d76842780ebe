/** What a person should know of a document, though no rule refuses it: before it is issued, and once it is. */
export const previewWarningTexts = {
  number_not_connected: {
    message:
      'The document needs an allocation number, and the business is not connected to the tax authority: the buyer cannot deduct the VAT.',
    messageHe: 'המסמך מחייב מספר הקצאה, והעסק אינו מחובר לרשות המסים: הקונה לא יוכל לנכות את המע"מ.',
  },
  number_customer_tax_id_missing: {
    message:
      'The document needs an allocation number, and the customer has no tax id: none is asked for, and the buyer cannot deduct the VAT.',
    messageHe: 'המסמך מחייב מספר הקצאה, וללקוח אין מספר זיהוי: מספר לא יתבקש, והקונה לא יוכל לנכות את המע"מ.',
  },
  number_business_tax_id_missing: {
    message: 'The document needs an allocation number, and the business has no tax id in its profile.',
    messageHe: 'המסמך מחייב מספר הקצאה, ובפרופיל העסק חסר מספר הזיהוי.',
  },
  customer_tax_id_missing: {
    message:
      'The invoice is above 5,000 ILS before VAT and has no tax id of the customer, which the law wants on it: a dealer cannot deduct the VAT, and the detailed VAT report has no place for it.',
    messageHe:
      'החשבונית מעל 5,000 ₪ לפני מע"מ, ואין בה מספר זיהוי של הלקוח, כפי שהחוק דורש: עוסק לא יוכל לנכות את המע"מ, ואין לה מקום בדיווח המפורט.',
  },
  donation_not_connected: {
    message:
      'The donation has to be reported, and the institution is not connected to the tax authority: the donor gets no credit.',
    messageHe: 'התרומה מחויבת בדיווח, והמוסד אינו מחובר לרשות המסים: התורם לא יקבל זיכוי ממס.',
  },
  donation_donor_id_missing: {
    message: 'The donor has no id: the donation is reported as anonymous, and the donor gets no credit.',
    messageHe: 'לתורם אין מספר זהות: התרומה תדווח בעילום שם, והתורם לא יקבל זיכוי ממס.',
  },
  source_overpaid: {
    message: 'More is received than is left to pay of the source document.',
    messageHe: 'התקבול גדול מהיתרה לתשלום של מסמך המקור.',
  },
  source_overcredited: {
    message: 'More is credited than the source document comes to.',
    messageHe: 'הזיכוי גדול מסכום מסמך המקור.',
  },
  source_invoiced_twice: {
    message: 'The source document was already invoiced.',
    messageHe: 'כבר הופקה חשבונית על בסיס מסמך המקור.',
  },
  source_of_other_customer: {
    message: 'The source document is of another customer.',
    messageHe: 'מסמך המקור הוא של לקוח אחר.',
  },
  date_in_past: {
    message: 'The date of the document is in the past.',
    messageHe: 'תאריך המסמך הוא בעבר.',
  },
  due_date_passed: {
    message: 'The due date has passed.',
    messageHe: 'מועד התשלום כבר עבר.',
  },
  total_is_zero: {
    message: 'The total of the document is zero.',
    messageHe: 'סכום המסמך הוא אפס.',
  },
  payments_rounded: {
    message: 'The payments differ from the total by 0.01.',
    messageHe: 'סכום התשלומים שונה מסכום המסמך באגורה אחת.',
  },
  phone_unusable: {
    message:
      'Nothing can be sent to the phone number of the customer: it has fewer than seven digits, or is not one that begins with 0, 972 or + and a code.',
    messageHe:
      'אי אפשר לשלוח אל מספר הטלפון של הלקוח: יש בו פחות משבע ספרות, או שאינו מתחיל ב-0, ב-972 או ב-+ ובקידומת.',
  },
  recipient_missing: {
    message: 'The customer has no address for the channel of the business: the document is not sent.',
    messageHe: 'ללקוח אין כתובת לשליחה, ולכן המסמך לא יישלח.',
  },
  recipient_suppressed: {
    message: 'The address of the customer gets no messages any more: the document is not sent.',
    messageHe: 'הכתובת של הלקוח חסומה לשליחה: המסמך לא יישלח.',
  },
  sending_not_possible: {
    message: 'The document is to be sent by WhatsApp, and no account for it is configured.',
    messageHe: 'המסמך אמור להישלח ב-WhatsApp, ולא הוגדר חשבון לכך.',
  },
} as const satisfies Record<string, { readonly message: string; readonly messageHe: string }>;

/** A code of a warning. */
export type PreviewWarning = keyof typeof previewWarningTexts;

export const previewWarnings = Object.keys(previewWarningTexts) as readonly PreviewWarning[];

/** Those that were added since the first version of a reply: a set of values does not grow within it (ADR 0018). */
const furtherWarnings = ['customer_tax_id_missing', 'phone_unusable'] as const satisfies PreviewWarning[];
type FurtherWarning = (typeof furtherWarnings)[number];
const isFurther = (code: PreviewWarning): code is FurtherWarning =>
  (furtherWarnings as readonly PreviewWarning[]).includes(code);

/** Those that replies have had from their first version on. */
export const firstWarnings = previewWarnings.filter(
  (code): code is Exclude<PreviewWarning, FurtherWarning> => !isFurther(code),
);

/** The warnings of a reply, in the order of the catalogue, without those of a later release. */
export const warningsOf = (reply: {
  readonly warnings: readonly PreviewWarning[];
  readonly further_warnings?: readonly string[] | undefined;
}): PreviewWarning[] =>
  previewWarnings.filter((code) => [...reply.warnings, ...(reply.further_warnings ?? [])].includes(code));

/** Warnings as members of a reply. */
export const warningMembers = (codes: readonly PreviewWarning[]) => {
  const further = codes.filter(isFurther);
  return {
    warnings: firstWarnings.filter((code) => codes.includes(code)),
    ...(further.length > 0 && { further_warnings: further }),
  };
};
