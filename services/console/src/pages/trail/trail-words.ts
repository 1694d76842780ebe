import { documentTypeRules, documentTypes } from '@pinkas/domain';
import type { Words } from '@pinkas/ui';
import { words } from '../words.js';

/** What an action is called; one that is not here is shown by its own name. */
export const actionWords: Readonly<Record<string, Words>> = {
  'business.create': { he: 'העסק נוצר', en: 'The business was created' },
  'business.update': { he: 'ההגדרות שונו', en: 'The settings were changed' },
  'key.create': { he: 'מפתח API נוצר', en: 'An API key was created' },
  'key.revoke': { he: 'מפתח API בוטל', en: 'An API key was revoked' },
  'document.state': { he: 'מצב מסמך השתנה', en: 'The state of a document changed' },
  'document.issue': { he: 'אדם הפיק מסמך', en: 'A person issued a document' },
  'allocation.retry': { he: 'מספר הקצאה התבקש שוב', en: 'An allocation number was requested again' },
  'donation.retry': { he: 'תרומה דווחה שוב', en: 'A donation was reported again' },
  'donation.cancel': { he: 'דיווח על תרומה בוטל', en: 'The report of a donation was cancelled' },
  'connection.start': { he: 'התחברות לרשות המסים החלה', en: 'A connection to the tax authority was started' },
  'connection.complete': { he: 'העסק חובר לרשות המסים', en: 'The business was connected' },
  'connection.end': { he: 'העסק נותק מרשות המסים', en: 'The business was disconnected' },
  'delivery.resend': { he: 'הודעות נשלחו שוב', en: 'Messages were sent again' },
  'message.send': { he: 'מסמך נשלח לכתובת', en: 'A document was sent to an address' },
  'reminder.send': { he: 'תזכורת תשלום נשלחה ללקוח', en: 'A customer was reminded of open documents' },
  'suppression.add': { he: 'נחסמה כתובת', en: 'An address was suppressed' },
  'suppression.remove': { he: 'כתובת אופשרה', en: 'An address was allowed' },
  'customer.update': { he: 'כרטיס לקוח תוקן', en: 'A customer card was corrected' },
  'book.export': { he: 'הספר יוצא לקבצים', en: 'The book was exported' },
  'person.invite': { he: 'אדם הוזמן', en: 'A person was invited' },
  'person.role': { he: 'תפקיד של אדם שונה', en: "A person's role was changed" },
  'person.remove': { he: 'אדם הוסר', en: 'A person was removed' },
  'person.leave': { he: 'אדם עזב', en: 'A person left' },
  'accountant.schedule': {
    he: 'שונה משלוח הקבצים לרואה החשבון',
    en: "The monthly sending of the accountant's files was changed",
  },
  'dead_letter.redrive': { he: 'עבודה שנכשלה בוצעה שוב', en: 'Failed work was done again' },
  'dead_letter.drop': { he: 'עבודה שנכשלה נמחקה', en: 'Failed work was deleted' },
  'test_book.clear': { he: 'ספר הניסיון רוקן', en: 'The test book was emptied' },
};

/** What a person looks for: kinds of changes, with the actions that are of each. */
export const trailKinds = {
  documents: { word: { he: 'מסמכים', en: 'Documents' }, actions: ['document.state', 'document.issue'] },
  messages: {
    word: { he: 'הודעות וכתובות', en: 'Messages and addresses' },
    actions: ['delivery.resend', 'message.send', 'reminder.send', 'suppression.add', 'suppression.remove'],
  },
  settings: {
    word: { he: 'הגדרות', en: 'Settings' },
    actions: ['business.create', 'business.update', 'accountant.schedule'],
  },
  keys: { word: { he: 'מפתחות API', en: 'API keys' }, actions: ['key.create', 'key.revoke'] },
  people: {
    word: { he: 'אנשים', en: 'People' },
    actions: ['person.invite', 'person.role', 'person.remove', 'person.leave'],
  },
  authority: {
    word: { he: 'רשות המסים', en: 'Tax authority' },
    actions: [
      'connection.start',
      'connection.complete',
      'connection.end',
      'allocation.retry',
      'donation.retry',
      'donation.cancel',
    ],
  },
  customers: { word: { he: 'כרטיסי לקוח', en: 'Customer cards' }, actions: ['customer.update'] },
  exports: { word: { he: 'ייצוא', en: 'Exports' }, actions: ['book.export'] },
} as const satisfies Record<string, { readonly word: Words; readonly actions: readonly string[] }>;
export type TrailKind = keyof typeof trailKinds;

/** What a field is called; one that is not here is shown by its own name. */
export const fieldWords: Readonly<Record<string, Words>> = {
  accent: { he: 'צבע', en: 'Color' },
  accountant_copy: { he: 'עותק לרואה החשבון', en: "Accountant's copy" },
  address: { he: 'כתובת', en: 'Address' },
  allocation_hold_minutes: { he: 'המתנה למספר הקצאה, דקות', en: 'Wait for the allocation number, minutes' },
  allocation_number: { he: 'מספר הקצאה', en: 'Allocation number' },
  allocation_threshold_net: { he: 'סף למספר הקצאה', en: 'Threshold of allocation numbers' },
  archived: { he: 'בארכיון', en: 'Archived' },
  auto_send: { he: 'שליחה אוטומטית', en: 'Automatic sending' },
  cancel_reason: { he: 'סיבת הביטול', en: 'Reason of the cancellation' },
  cancelled_at: { he: 'בוטל', en: 'Cancelled' },
  channel: { he: 'דרך', en: 'Sent by' },
  city: { he: 'יישוב', en: 'City' },
  connected_at: { he: 'חובר', en: 'Connected' },
  daily_documents: { he: 'מסמכים ביום', en: 'Documents a day' },
  day_of_month: { he: 'יום בחודש', en: 'Day of the month' },
  default_notes: { he: 'הערות קבועות', en: 'Default notes' },
  deleted: { he: 'נמחקו', en: 'Deleted' },
  detail: { he: 'פירוט', en: 'Detail' },
  email: { he: 'דוא"ל', en: 'Email' },
  enabled: { he: 'פעיל', en: 'On' },
  expires_at: { he: 'עד', en: 'Until' },
  filter: { he: 'סינון', en: 'Filter' },
  format: { he: 'סוג הקובץ', en: 'Kind of file' },
  from: { he: 'מתאריך', en: 'From' },
  language: { he: 'שפה', en: 'Language' },
  legal_type: { he: 'סוג העסק', en: 'Legal type' },
  messages: { he: 'הודעות', en: 'Messages' },
  mode: { he: 'ספר', en: 'Book' },
  name: { he: 'שם', en: 'Name' },
  number: { he: 'מספר', en: 'Number' },
  paid: { he: 'שולם', en: 'Paid' },
  payment_terms_days: { he: 'תנאי תשלום, ימים', en: 'Payment terms, days' },
  per_minute: { he: 'בקשות בדקה', en: 'Requests a minute' },
  phone: { he: 'טלפון', en: 'Phone' },
  prefix: { he: 'תחילת המפתח', en: 'Beginning of the key' },
  prices_include_vat: { he: 'מחירים כוללים מע"מ', en: 'Prices include VAT' },
  quiet_hours: { he: 'שעות שקט', en: 'Quiet hours' },
  reason: { he: 'סיבה', en: 'Reason' },
  recipient_id: { he: 'למי', en: 'To' },
  revoked_at: { he: 'בוטל', en: 'Revoked' },
  role: { he: 'תפקיד', en: 'Role' },
  scopes: { he: 'הרשאות', en: 'Scopes' },
  state: { he: 'מצב', en: 'State' },
  status: { he: 'מצב', en: 'Status' },
  subscription: { he: 'מינוי', en: 'Subscription' },
  tax_authority_connected: { he: 'מחובר לרשות המסים', en: 'Connected to the tax authority' },
  tax_id: { he: 'ח.פ. / עוסק', en: 'Tax id' },
  to: { he: 'עד תאריך', en: 'To' },
  track: { he: 'מסלול', en: 'Track' },
  type: { he: 'סוג', en: 'Type' },
  vat_rate: { he: 'שיעור מע"מ', en: 'VAT rate' },
};

const yes: Words = { he: 'כן', en: 'Yes' };
const no: Words = { he: 'לא', en: 'No' };

/** What a value is called; one that is not here is shown as it is. */
export const valueWords: Readonly<Record<string, Words>> = {
  ...Object.fromEntries(
    documentTypes.map((type) => [
      type,
      { he: documentTypeRules[type].nameHe, en: documentTypeRules[type].name },
    ]),
  ),
  true: yes,
  false: no,
  open: { he: 'פתוח', en: 'Open' },
  closed: { he: 'סגור', en: 'Closed' },
  cancelled: { he: 'מבוטל', en: 'Cancelled' },
  email: { he: 'דוא"ל', en: 'Email' },
  whatsapp: { he: 'וואטסאפ', en: 'WhatsApp' },
  both: { he: 'שניהם', en: 'Both' },
  he: { he: 'עברית', en: 'Hebrew' },
  en: { he: 'אנגלית', en: 'English' },
  live: { he: 'אמיתי', en: 'Live' },
  test: { he: 'ניסיון', en: 'Test' },
  active: { he: 'פעיל', en: 'Active' },
  inactive: { he: 'לא פעיל', en: 'Inactive' },
  bounced: { he: 'השרת דחה את הכתובת', en: 'Its server rejected it' },
  blocked: { he: 'נחסמה ביד', en: 'Suppressed by hand' },
  refused: { he: 'נדחה', en: 'Refused' },
  dead_lettered: { he: 'הופסק', en: 'Given up' },
  pending: { he: 'ממתין', en: 'Pending' },
  owner: words.owner,
  issuer: words.issuer,
  bookkeeper: words.bookkeeper,
};
