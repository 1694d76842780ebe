import type { DecideRefusal } from '@pinkas/contracts';
import type { NoNumberReason, RefusalDecision } from '@pinkas/domain';
import type { Words } from '@pinkas/ui';

/** What is said of a refused number, and of what can be done about it. */
export const refusalWords = {
  badge: { he: 'מספר הקצאה: סירוב', en: 'Number refused' },
  fact: { he: 'רשות המסים סירבה לתת מספר', en: 'refused by the tax authority' },
  banner: {
    he: 'רשות המסים סירבה לתת מספר הקצאה לחשבונית הזאת. הלקוח אינו יכול לנכות את המע"מ שבה,',
    en: 'The tax authority refused an allocation number for this invoice. Its buyer cannot deduct its VAT of',
  },
  reason: { he: 'הנימוק של רשות המסים', en: "The authority's reason" },
  ways: { he: 'מה אפשר לעשות', en: 'What can be done' },
  ownerOnly: {
    he: 'רק בעלים של העסק יכולים להחליט.',
    en: 'Only owners of the business can decide.',
  },
  noReverseCharge: {
    he: 'דרך נוספת בחוק, חיוב הפוך שבו הלקוח מדווח על חשבונית עצמית, אינה זמינה כאן.',
    en: 'A further way of the law, reverse charge with a self-invoice of the buyer, is not available here.',
  },
  until: { he: 'עד', en: 'Until' },
  hearing: { he: 'לשימוע', en: 'for a hearing' },
  objection: { he: 'להשגה', en: 'for an objection' },
  pending: {
    he: 'ההחלטה נרשמה, ורשות המסים עדיין לא אישרה שקיבלה אותה. המערכת תשלח אותה שוב.',
    en: 'The decision is recorded, and the tax authority has not confirmed it yet. The system sends it again.',
  },
  notTaken: {
    he: 'ההחלטה האחרונה לא התקבלה ברשות המסים:',
    en: 'The tax authority did not take the last decision:',
  },
  sendAgain: { he: 'שליחת ההחלטה עכשיו', en: 'Send the decision now' },
  creditNow: { he: 'הפקת חשבונית הזיכוי…', en: 'Issue the credit note…' },
  askAgain: { he: 'בקשת המספר שוב', en: 'Request the number again' },
  decided: { he: 'החלטה', en: 'Decision' },
  taken: { he: 'התקבלה ברשות המסים', en: 'the tax authority has taken it' },
  sending: { he: 'נשלחת לרשות המסים', en: 'it is being sent to the tax authority' },
  rejected: { he: 'לא התקבלה', en: 'it was not taken' },
  entered: { he: 'מספר ההקצאה הוקלד ביד:', en: 'The allocation number was typed in by hand:' },
} as const satisfies Record<string, Words>;

/** A decision: what it is called, what it does and costs, and what it is like once the authority has it. */
export const decisionWords: Readonly<
  Record<RefusalDecision, { name: Words; act: Words; effects: readonly Words[]; taken: Words }>
> = {
  continue: {
    name: { he: 'המשך בלי מספר', en: 'Go on without a number' },
    act: { he: 'המשך בלי מספר…', en: 'Go on without a number…' },
    effects: [
      {
        he: 'החשבונית נשארת בתוקף, והמס עליה מדווח ומשולם כרגיל.',
        en: 'The invoice stays valid, and its VAT is reported and paid as usual.',
      },
      {
        he: 'בגרסה הבאה של ה-PDF ובדף המסמך יודפס בהדגשה: ״אין לנכות מס תשומות בגין חשבונית זו״.',
        en: 'The next revision of the PDF and the page state in bold: ״אין לנכות מס תשומות בגין חשבונית זו״ (no input VAT is deducted).',
      },
      {
        he: 'מי שקיבל את החשבונית יקבל הודעה עם הגרסה הזאת.',
        en: 'Those who were sent the invoice get a message with that revision.',
      },
      {
        he: 'עדיין אפשר להגיש השגה אחר כך; אם תתקבל, יתבקש המספר שוב לאותה חשבונית.',
        en: 'An objection can still follow; if it is won, the number of the same invoice is requested again.',
      },
    ],
    taken: {
      he: 'הוחלט להמשיך בלי מספר: על החשבונית כתוב שאין לנכות בגינה מס תשומות. אם השגה תתקבל, מבקשים את המספר שוב.',
      en: 'It goes on without a number: it states that no input VAT is deducted by it. After a won objection, request the number again.',
    },
  },
  cancel: {
    name: { he: 'ביטול החשבונית', en: 'Cancel the invoice' },
    act: { he: 'ביטול החשבונית…', en: 'Cancel the invoice…' },
    effects: [
      {
        he: 'אחרי ההחלטה מפיקים חשבונית זיכוי על כל החשבונית; שתיהן נשארות בספר.',
        en: 'After the decision a credit note for the whole invoice is issued; both stay in the book.',
      },
      {
        he: 'אחר כך אי אפשר לבקש שימוע ולא להגיש השגה.',
        en: 'Neither a hearing nor an objection is possible afterwards.',
      },
    ],
    taken: {
      he: 'הוחלט לבטל את החשבונית: צריך להפיק חשבונית זיכוי על כולה.',
      en: 'It is to be cancelled: a credit note for the whole invoice has to be issued.',
    },
  },
  object: {
    name: { he: 'שימוע או השגה', en: 'Hearing or objection' },
    act: { he: 'שימוע או השגה…', en: 'Hearing or objection…' },
    effects: [
      {
        he: 'ההחלטה נמסרת לרשות המסים, והשימוע או ההשגה עצמם מוגשים באזור האישי באתר שלה.',
        en: "The decision is sent to the authority; the hearing or the objection itself is filed in the personal area of the authority's site.",
      },
      {
        he: 'החלטה בשימוע ניתנת בתוך יום עסקים אחד, ואם לא ניתנה רואים את המספר כאילו ניתן לפי סעיף 47(א2) לחוק מע"מ.',
        en: 'A hearing is decided within one business day; without a decision the number counts as given, by section 47(a2) of the VAT law.',
      },
      {
        he: 'השגה מוכרעת בתוך 21 ימי עסקים, ואם לא הוכרעה רואים אותה כאילו התקבלה. על דחייתה אפשר לערער לבית המשפט המחוזי, לפי סעיף 47(א4).',
        en: 'An objection is decided within 21 business days; without a decision it counts as accepted. Against its rejection the district court is open, by section 47(a4).',
      },
      {
        he: 'בינתיים אין מספר, והלקוח אינו יכול לנכות את המע"מ. אחרי זכייה מבקשים כאן את המספר שוב.',
        en: 'Until then there is no number, and the buyer cannot deduct the VAT. After it is won, request the number here again.',
      },
    ],
    taken: {
      he: 'נמסר לרשות המסים שיוגשו שימוע או השגה, באתר שלה. אין מספר עד ההכרעה; אחרי זכייה מבקשים אותו שוב.',
      en: 'The authority knows of a hearing or an objection, which is filed on its site. There is no number until it is decided; after it is won, request it again.',
    },
  },
  reverse_charge: {
    name: { he: 'חיוב הפוך', en: 'Reverse charge' },
    act: { he: 'חיוב הפוך…', en: 'Reverse charge…' },
    effects: [],
    taken: { he: 'הלקוח מדווח על חשבונית עצמית.', en: 'The buyer issues a self-invoice.' },
  },
};

/** Why nothing was decided. */
export const notDecided: Readonly<Record<DecideRefusal, Words>> = {
  not_refused: {
    he: 'רשות המסים לא סירבה לתת מספר למסמך הזה, ואין על מה להחליט.',
    en: 'The tax authority has not refused a number of this document: there is nothing to decide.',
  },
  decided: {
    he: 'כבר הוחלט אחרת, וההחלטה נמסרה לרשות המסים.',
    en: 'It was decided otherwise already, and the tax authority has that decision.',
  },
  not_offered: {
    he: 'הדרך הזאת אינה זמינה למסמך הזה.',
    en: 'This way is not available for this document.',
  },
};

/** Why a document can have no number. */
export const noNumber: Readonly<Record<NoNumberReason, Words>> = {
  type: {
    he: 'רק לחשבונית מס ולחשבונית מס/קבלה יש מספר הקצאה.',
    en: 'Only a tax invoice and a tax invoice / receipt have an allocation number.',
  },
  age: {
    he: 'רשות המסים אינה נותנת מספר למסמך שעברה שנה מתאריכו.',
    en: 'The tax authority gives no number to a document that is more than a year old.',
  },
  no_vat: {
    he: 'במסמך אין מע"מ, ואין לו מספר הקצאה.',
    en: 'The document has no VAT, and so no allocation number.',
  },
  no_tax_id: {
    he: 'כשהמסמך הופק לא היה לעסק ח.פ. או מספר עוסק.',
    en: 'The business had no tax id when the document was issued.',
  },
};
