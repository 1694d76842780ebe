import {
  type PreviewWarning,
  type previewDocument,
  previewWarningTexts,
  type ReplyOf,
  warningsOf,
} from '@pinkas/contracts';
import { type DocumentType, decideDonation, documentTypeRules } from '@pinkas/domain';
import { accountantAddress } from '@pinkas/domain/delivery';
import { dayAndTime, html, type Language, leftToRight, type Markup, type Words } from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';

export type DocumentPreview = ReplyOf<typeof previewDocument>;

const texts = {
  cancellable: {
    he: 'המספר נשאר בספר גם אם המסמך יבוטל.',
    en: 'Its number stays in the book even if it is cancelled.',
  },
  final: {
    he: 'אחרי ההפקה אי אפשר למחוק או לבטל.',
    en: "It can't be deleted or cancelled.",
  },
  creditable: {
    he: 'אחרי ההפקה אי אפשר למחוק או לבטל; לתיקון מפיקים חשבונית זיכוי.',
    en: "It can't be deleted or cancelled; correct it with a credit note.",
  },
  allocation: {
    he: 'יתבקש מספר הקצאה מרשות המסים.',
    en: 'An allocation number will be requested from the tax authority.',
  },
  simulated: {
    he: 'רשות המסים כאן מדומה: דבר אינו נשלח אליה.',
    en: 'The tax authority is simulated here: nothing is sent to it.',
  },
  testFinal: {
    he: 'זה מסמך ניסיון: הוא נמחק כשמרוקנים את ספר הניסיון.',
    en: 'This is a test document: it is deleted when the test book is emptied.',
  },
  testSending: { he: 'דבר אינו נשלח מספר הניסיון.', en: 'Nothing is sent from the test book.' },
  willSend: { he: 'המסמך יישלח אל', en: 'It is sent to' },
  deferred: { he: 'בתום השעות השקטות:', en: 'at the end of the quiet hours:' },
  willNotSend: { he: 'המסמך לא יישלח ללקוח.', en: 'It is not sent to the customer.' },
  disabled: {
    he: 'המסמך לא יישלח ללקוח: השליחה האוטומטית כבויה בהגדרות העסק.',
    en: 'It is not sent to the customer: sending is switched off in the settings of the business.',
  },
  donation: {
    he: 'התרומה תדווח לרשות המסים, והתורם יקבל זיכוי ממס לפי מספר הזהות שלו.',
    en: 'The donation is reported to the tax authority, and the donor gets the tax credit by the id.',
  },
  anonymousDonation: {
    he: 'התרומה תדווח לרשות המסים בעילום שם: בלי מספר זהות התורם לא יקבל זיכוי ממס.',
    en: 'The donation is reported to the tax authority as anonymous: without an id the donor gets no credit.',
  },
  unreportedDonation: {
    he: 'התרומה לא תדווח לרשות המסים.',
    en: 'The donation is not reported to the tax authority.',
  },
  newCustomer: { he: 'ייפתח כרטיס לקוח חדש.', en: 'A new customer card is opened.' },
  newDonor: { he: 'ייפתח כרטיס תורם חדש.', en: 'A new card of the donor is opened.' },
  donorWillNotSend: { he: 'הקבלה לא תישלח לתורם.', en: 'It is not sent to the donor.' },
  donorDisabled: {
    he: 'הקבלה לא תישלח לתורם: השליחה האוטומטית כבויה בהגדרות העסק.',
    en: 'It is not sent to the donor: sending is switched off in the settings of the business.',
  },
  turnOn: { he: 'להפעלת השליחה', en: 'Turn sending on' },
  accountant: { he: 'עותק יישלח לרואה החשבון:', en: 'A copy is sent to the accountant:' },
  warnings: { he: 'לתשומת לבך', en: 'Take note' },
} as const satisfies Record<string, Words>;

/** How a document of a type stays in the book. */
function lastsAs(type: DocumentType, isTest: boolean): 'cancellable' | 'creditable' | 'final' | 'testFinal' {
  if (isTest) {
    return 'testFinal';
  }
  if (documentTypeRules[type].cancellable) {
    return 'cancellable';
  }
  return documentTypeRules.credit_note.sources.includes(type) ? 'creditable' : 'final';
}

/** What happens when a previewed document is issued, as the items of a list. */
export function consequences(preview: DocumentPreview, visit: MemberVisit): Markup[] {
  const { book, isTest, t } = visit;
  const { draft, allocation, matched_by } = preview;
  const isDonation = draft.type === 'donation_receipt';
  const accountant = accountantAddress(book);
  return [
    html`${t(texts[lastsAs(draft.type, isTest)])}`,
    ...(matched_by === null ? [html`${t(texts[isDonation ? 'newDonor' : 'newCustomer'])}`] : []),
    ...(isDonation ? [reporting(preview, visit)] : []),
    ...(allocation.status === 'required' ? [html`${t(texts[isTest ? 'simulated' : 'allocation'])}`] : []),
    isTest ? html`${t(texts.testSending)}` : sending(preview, visit),
    ...(accountant === null || isTest ? [] : [html`${t(texts.accountant)} ${leftToRight(accountant)}`]),
  ];
}

function reporting(preview: DocumentPreview, { book, isTest, t }: MemberVisit): Markup {
  if (!decideDonation(preview.draft, book).required) {
    return html`${t(texts.unreportedDonation)}`;
  }
  if (isTest) {
    return html`${t(texts.simulated)}`;
  }
  const isAnonymous = warningsOf(preview).includes('donation_donor_id_missing');
  return html`${t(texts[isAnonymous ? 'anonymousDonation' : 'donation'])}`;
}

const notSent = {
  disabled: { donor: 'donorDisabled', customer: 'disabled' },
  other: { donor: 'donorWillNotSend', customer: 'willNotSend' },
} as const;

/** Whom a document of a type is for. */
const partyOf = (type: DocumentType) => (type === 'donation_receipt' ? 'donor' : 'customer');

function sending({ draft, delivery }: DocumentPreview, { business, language, t, role }: MemberVisit): Markup {
  const { email, phone } = draft.customer;
  if (delivery.status !== 'queued' && delivery.status !== 'deferred_quiet_hours') {
    const isOff = delivery.status === 'disabled';
    const why = t(texts[notSent[isOff ? 'disabled' : 'other'][partyOf(draft.type)]]);
    const setting = html` <a href="/b/${business.id}/business#sending">${t(texts.turnOn)}</a>`;
    return html`${why}${isOff && isAtLeast(role, 'owner') && setting}`;
  }
  const addresses = [
    ...(delivery.channel === 'whatsapp' ? [] : [email]),
    ...(delivery.channel === 'email' ? [] : [phone]),
  ].filter((address) => address !== null);
  const to = html`${t(texts.willSend)} ${addresses.map((address, index) => html`${index > 0 && ', '}${leftToRight(address)}`)}`;
  return delivery.scheduled_for === null
    ? html`${to}.`
    : html`${to}, ${t(texts.deferred)} ${dayAndTime(delivery.scheduled_for, language)}`;
}

/** The sentences about a donor where the catalogue names a customer. */
const donorWarnings: { readonly [Code in PreviewWarning]?: Words } = {
  phone_unusable: {
    he: 'אי אפשר לשלוח אל מספר הטלפון של התורם: יש בו פחות משבע ספרות, או שאינו מתחיל ב-0, ב-972 או ב-+ ובקידומת.',
    en: 'Nothing can be sent to the phone number of the donor: it has fewer than seven digits, or is not one that begins with 0, 972 or + and a code.',
  },
  recipient_missing: {
    he: 'לתורם אין כתובת אימייל, ולכן הקבלה לא תישלח.',
    en: 'The donor has no address for the channel of the business: the receipt is not sent.',
  },
  recipient_suppressed: {
    he: 'הכתובת של התורם חסומה לשליחה: הקבלה לא תישלח.',
    en: 'The address of the donor gets no messages any more: the receipt is not sent.',
  },
};

/** What a person should know before the document is issued; null where there is nothing. */
export function warningList(
  warnings: readonly PreviewWarning[],
  type: DocumentType,
  language: Language,
): Markup | null {
  if (warnings.length === 0) {
    return null;
  }
  // What is not reported is not reported as anonymous either.
  const isUnreported = warnings.includes('donation_not_connected');
  const shown = warnings.filter((code) => !isUnreported || code !== 'donation_donor_id_missing');
  const items = shown.map((code) => {
    const { message, messageHe } = previewWarningTexts[code];
    const forDonor = partyOf(type) === 'donor' ? donorWarnings[code] : undefined;
    return html`<li>${(forDonor ?? { he: messageHe, en: message })[language]}</li>
    `;
  });
  return html`<div class="notice warn" role="note">
  <p>${texts.warnings[language]}</p>
  <ul>
    ${items}
  </ul>
</div>`;
}
