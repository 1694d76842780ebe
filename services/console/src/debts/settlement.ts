import type { DocumentHead, DocumentState, ReplyOf, ReviewNote, reviewDocuments } from '@pinkas/contracts';
import { amountOfNote, type SettlementNote, settlementOf, toShekels } from '@pinkas/domain';
import {
  amount,
  html,
  type Language,
  largeAmount,
  leftToRight,
  linkButton,
  type Markup,
  type Words,
} from '@pinkas/ui';
import { balanceOf } from '../frame/parts.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  balance: { he: 'יתרה לתשלום', en: 'Balance due' },
  inCredit: { he: 'יתרת זכות', en: 'In credit' },
  connect: { he: 'התחברות לרשות המסים', en: 'Connect to the tax authority' },
  checkInvoices: {
    he: 'יש לבדוק אם אחת החשבוניות מיותרת, ולזכות אותה.',
    en: 'Check whether one of the invoices is superfluous, and credit it.',
  },
  unconnected: {
    he: 'העסק אינו מחובר לרשות המסים. הלקוחות אינם יכולים לנכות מע"מ בסך',
    en: 'The business is not connected to the tax authority. The buyers cannot deduct VAT of',
  },
  atLeast: { he: 'לפחות', en: 'At least' },
  ofAtLeast: { he: 'לפחות', en: 'at least' },
  unreported: {
    one: {
      he: 'קבלה אחת על תרומה לא דווחה, כי המוסד לא היה מחובר לרשות המסים',
      en: 'One donation receipt was not reported, since the institution was not connected to the tax authority',
    },
    many: {
      he: 'קבלות על תרומה לא דווחו, כי המוסד לא היה מחובר לרשות המסים',
      en: 'donation receipts were not reported, since the institution was not connected to the tax authority',
    },
    sum: { he: 'סכומן:', en: 'They come to' },
    connected: {
      he: 'עד שידווחו התורמים אינם מקבלים זיכוי ממס. מדווחים בדף של כל קבלה.',
      en: 'Until they are reported the donors get no credit. Each is reported from its page.',
    },
    unconnected: {
      he: 'התורמים אינם מקבלים זיכוי ממס. אחרי ההתחברות מדווחים בדף של כל קבלה.',
      en: 'The donors get no credit. Once the institution is connected, each is reported from its page.',
    },
    report: { he: 'לקבלות', en: 'To the receipts' },
  },
  noBuyerId: {
    one: {
      he: 'חשבונית אחת מעל 5,000 ₪ בלי מספר זיהוי של הקונה',
      en: 'One invoice above ₪5,000 has no number of its buyer',
    },
    many: {
      he: 'חשבוניות מעל 5,000 ₪ בלי מספר זיהוי של הקונה',
      en: 'invoices above ₪5,000 have no number of their buyer',
    },
    detail: {
      he: 'החוק דורש את המספר (לא מאדם פרטי). בלעדיו הקונה לא ינכה את המע"מ, והחשבונית אינה בדיווח המפורט. אפשר לזכות ולהפיק מחדש עם המספר, או לקבוע בכרטיס שהלקוח פרטי.',
      en: 'The law wants it, but of a private person. Without it the buyer cannot deduct the VAT, and the detailed VAT report has no place for the invoice. Credit it and issue it again with the number, or enter the customer as a private person for the next ones.',
    },
  },
} as const satisfies Record<string, Words | Record<string, Words>>;

/** A note in short, as a filter names it. */
export const noteNames = {
  overcredited: { he: 'זוכה ביתר', en: 'Over-credited' },
  overpaid: { he: 'שולם ביתר', en: 'Overpaid' },
  partly_paid: { he: 'שולם בחלקו', en: 'Partly paid' },
  invoiced_twice: { he: 'יותר מחשבונית אחת', en: 'More than one invoice' },
  number_missing: {
    he: 'בלי מספר הקצאה, כי אין חיבור',
    en: 'No allocation number, for want of a connection',
  },
  buyer_id_missing: {
    he: 'בלי מספר זיהוי של הקונה, מעל 5,000 ₪',
    en: 'No number of the buyer, above ₪5,000',
  },
  donation_unreported: {
    he: 'תרומה שלא דווחה, כי אין חיבור',
    en: 'Donation not reported, for want of a connection',
  },
} as const satisfies Record<ReviewNote | 'buyer_id_missing' | 'donation_unreported', Words>;

/** What the page of a document states about a note, before its amount. */
const sentences = {
  overcredited: { he: 'זוכה מעבר לסכום המסמך, בסך', en: 'Over-credited by' },
  overpaid: { he: 'שולם מעבר לסכום המסמך, בסך', en: 'Overpaid by' },
  partly_paid: { he: 'שולם בחלקו. יתרה לתשלום:', en: 'Partly paid. Balance due:' },
  invoiced_twice: {
    he: 'הופקה על בסיסו יותר מחשבונית אחת.',
    en: 'More than one invoice is based on it.',
  },
  other_customer: {
    he: 'קבלה או חשבונית זיכוי שהופקה על בסיסו היא על שם לקוח אחר.',
    en: 'A receipt or a credit note that is based on it names another customer.',
  },
  number_missing: {
    he: 'אין לו מספר הקצאה, כי העסק לא היה מחובר לרשות המסים. הלקוח אינו יכול לנכות מע"מ בסך',
    en: 'It has no allocation number, since the business was not connected to the tax authority. Its buyer cannot deduct VAT of',
  },
} as const satisfies Record<SettlementNote | ReviewNote, Words>;

/** How many documents have a note: of one, and of more after their count. */
const counted = {
  overcredited: {
    one: { he: 'מסמך אחד זוכה מעבר לסכומו', en: 'One document is over-credited' },
    many: { he: 'מסמכים זוכו מעבר לסכומם', en: 'documents are over-credited' },
    amount: { he: 'זוכה ביתר:', en: 'Over-credited by' },
  },
  overpaid: {
    one: { he: 'מסמך אחד שולם מעבר לסכומו', en: 'One document is overpaid' },
    many: { he: 'מסמכים שולמו מעבר לסכומם', en: 'documents are overpaid' },
    amount: { he: 'שולם ביתר:', en: 'Overpaid by' },
  },
  partly_paid: {
    one: { he: 'מסמך אחד שולם בחלקו', en: 'One document is partly paid' },
    many: { he: 'מסמכים שולמו בחלקם', en: 'documents are partly paid' },
    amount: { he: 'יתרה לתשלום:', en: 'Balance due:' },
  },
  invoiced_twice: {
    one: { he: 'מסמך אחד שעל בסיסו יותר מחשבונית אחת', en: 'One document has more than one invoice' },
    many: { he: 'מסמכים שעל בסיסם יותר מחשבונית אחת', en: 'documents have more than one invoice' },
    amount: texts.checkInvoices,
  },
  number_missing: {
    one: {
      he: 'חשבונית אחת מעל הסף הופקה בלי מספר הקצאה',
      en: 'One invoice above the threshold has no allocation number',
    },
    many: {
      he: 'חשבוניות מעל הסף הופקו בלי מספר הקצאה',
      en: 'invoices above the threshold have no allocation number',
    },
    amount: texts.unconnected,
  },
} as const satisfies Record<ReviewNote, { one: Words; many: Words; amount: Words }>;

/** The balance of a document as a fact of it. */
export function balanceFact(
  document: DocumentHead,
  state: DocumentState,
  language: Language,
): readonly [string, Markup | null] {
  const balance = balanceOf(document, state);
  return balance !== null && balance < 0
    ? [texts.inCredit[language], largeAmount(-balance, language)]
    : [texts.balance[language], balance === null ? null : largeAmount(balance, language)];
}

/** What a person should know of the settlement of a document; null where there is nothing. */
export function settlementNotes(
  visit: MemberVisit,
  document: DocumentHead,
  state: DocumentState,
): Markup | null {
  const { language } = visit;
  const sentence = (note: keyof typeof sentences, value: number | null) =>
    html`<p>${sentences[note][language]}${value !== null && html` ${amount(value, language)}.`}</p>`;
  const notes = settlementOf(document, state).notes.map((note) => {
    const about = amountOfNote(note, document, state);
    return sentence(note, about === null ? null : toShekels(about));
  });
  if (state.undeductible_vat !== undefined) {
    notes.push(html`${sentence('number_missing', state.undeductible_vat)}${connectLink(visit)}`);
  }
  return notes.length === 0
    ? null
    : html`<div class="notice warn">
  ${notes}
</div>`;
}

/** A count of documents, which may be more where only the newest were counted. */
const countText = (
  language: Language,
  { one, many }: { one: Words; many: Words },
  { documents, at_least: is }: { documents: number; at_least?: true | undefined },
) =>
  documents === 1 && !is
    ? one[language]
    : html`${is ? `${texts.atLeast[language]} ` : ''}${leftToRight(String(documents))} ${many[language]}`;

/** What Today shows of the documents with a note; null where it shows nothing of them. */
export function reviewed(
  visit: MemberVisit,
  { note, documents, amount: value, at_least }: ReplyOf<typeof reviewDocuments>['notes'][number],
): { title: Markup; detail: Markup; action: Markup | null } | null {
  const { language, t, business, isTest } = visit;
  const isNumber = note === 'number_missing';
  // Once there is a connection, nothing can be done about earlier invoices.
  if (isNumber && (isTest || business.tax_authority_connected)) {
    return null;
  }
  const { one, many, amount: about } = counted[note];
  const count = countText(language, { one, many }, { documents, at_least });
  return {
    title: html`<a href="${visit.link('/documents', { note })}">${count}</a>`,
    detail: html`${t(about)}${value !== null && html` ${at_least ? `${t(texts.ofAtLeast)} ` : ''}${amount(value, language)}`}`,
    action: isNumber ? connectLink(visit) : null,
  };
}

/** What Today shows of invoices without the number of their buyer; null where there is none. */
export function withoutBuyerId(
  { language, link }: MemberVisit,
  found: ReplyOf<typeof reviewDocuments>['without_buyer_id'],
): { title: Markup; detail: Markup } | null {
  if (!found) {
    return null;
  }
  const { from } = found;
  const count = countText(language, texts.noBuyerId, found);
  return {
    title: html`<a href="${link('/documents', { note: 'buyer_id_missing', from })}">${count}</a>`,
    detail: html`${texts.noBuyerId.detail[language]}`,
  };
}

/** What Today shows of donations that were not reported; null where there is none. */
export function unreportedDonations(
  { business, isTest, language, t, link, role }: MemberVisit,
  found: ReplyOf<typeof reviewDocuments>['unreported_donations'],
): { title: Markup; detail: Markup; action: Markup | null } | null {
  if (!found || isTest) {
    return null;
  }
  const { amount: sum, at_least } = found;
  const words = texts.unreported;
  const count = countText(language, words, found);
  const href = link('/documents', { note: 'donation_unreported' });
  const detail = business.tax_authority_connected ? words.connected : words.unconnected;
  return {
    title: html`<a href="${href}">${count}</a>`,
    detail: html`${t(words.sum)} ${at_least ? `${t(texts.ofAtLeast)} ` : ''}${amount(sum, language)}. ${t(detail)}`,
    action:
      business.tax_authority_connected && role === 'owner'
        ? linkButton({ href, text: t(words.report), kind: 'secondary' })
        : null,
  };
}

/** The way to connect, for an owner of a business that is not connected. */
function connectLink(visit: MemberVisit): Markup | null {
  const { business, isTest, role, t } = visit;
  return role === 'owner' && !isTest && !business.tax_authority_connected
    ? linkButton({ href: visit.link('/authority'), text: t(texts.connect) })
    : null;
}
