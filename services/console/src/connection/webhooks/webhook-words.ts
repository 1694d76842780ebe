import type { EventType, WebhookEndpoint } from '@pinkas/contracts';
import type { Words } from '@pinkas/ui';

/** What an event of a type is called. */
export const eventWords = {
  'document.issued': { he: 'מסמך הופק', en: 'A document was issued' },
  'document.cancelled': { he: 'מסמך בוטל', en: 'A document was cancelled' },
  'document.closed': { he: 'מסמך נסגר במסמך אחר', en: 'A document was closed by another one' },
  'allocation.issued': { he: 'התקבל מספר הקצאה', en: 'An allocation number was received' },
  'allocation.refused': { he: 'רשות המסים סירבה לתת מספר הקצאה', en: 'An allocation number was refused' },
  'allocation.failed': {
    he: 'אי אפשר היה לקבל מספר הקצאה',
    en: 'An allocation number could not be obtained',
  },
  'donation.reported': { he: 'תרומה דווחה לרשות המסים', en: 'A donation was reported' },
  'donation.refused': { he: 'רשות המסים סירבה לדיווח על תרומה', en: 'The report of a donation was refused' },
  'donation.failed': { he: 'תרומה לא דווחה לרשות המסים', en: 'A donation could not be reported' },
  'delivery.sent': { he: 'הודעה נשלחה', en: 'A message was sent' },
  'delivery.failed': { he: 'הודעה לא נשלחה, לצמיתות', en: 'A message failed for good' },
  'reminder.sent': { he: 'תזכורת נשלחה', en: 'A reminder was sent' },
  'reminder.failed': { he: 'תזכורת לא נשלחה, לצמיתות', en: 'A reminder failed for good' },
  'authority.expiring': {
    he: 'החיבור לרשות המסים יפוג בקרוב',
    en: 'The connection to the tax authority expires soon',
  },
  'authority.disconnected': {
    he: 'החיבור לרשות המסים הסתיים',
    en: 'The connection to the tax authority has ended',
  },
  'endpoint.test': { he: 'ניסיון', en: 'A test' },
} as const satisfies Record<EventType, Words>;

/** Why an endpoint is disabled. */
export const disabledWords = {
  owner: { he: 'מושבתת', en: 'Disabled' },
  gone: { he: 'מושבתת: היא השיבה 410', en: 'Disabled: it answered 410' },
  failing: { he: 'מושבתת: כל ניסיון נכשל חמישה ימים', en: 'Disabled: it failed for five days' },
} as const satisfies Record<NonNullable<WebhookEndpoint['disabled_reason']>, Words>;

/** What the pages of webhooks have in common. */
export const webhookWords = {
  title: { he: 'Webhooks', en: 'Webhooks' },
  lead: {
    he: 'פנקס שולח לתוכנה שלך מה שקורה, ברגע שהוא קורה: מסמך שהופק, מספר הקצאה שהתקבל, הודעה שלא הגיעה.',
    en: 'Pinkas sends your program what happens, when it happens: a document is issued, an allocation number is received, a message fails.',
  },
  open: { he: 'לכתובות', en: 'Show the endpoints' },
  full: {
    he: 'יש כתובות כמספר שאפשר. כדי להוסיף אחת יש להסיר אחרת.',
    en: 'There are as many endpoints as a book may have. Remove one to add another.',
  },
  url: { he: 'כתובת', en: 'Address' },
  types: { he: 'אירועים', en: 'Events' },
  all: { he: 'כל האירועים', en: 'All events' },
  description: { he: 'תיאור', en: 'Description' },
  enabled: { he: 'פעילה', en: 'Enabled' },
  failing: { he: 'נכשלת', en: 'Failing' },
  failingSince: { he: 'כל ניסיון נכשל מאז', en: 'Every attempt has failed since' },
  lastReceived: { he: 'התקבל לאחרונה', en: 'Last received' },
  lastFailure: { he: 'נכשל לאחרונה', en: 'Last failure' },
  never: { he: 'עדיין לא', en: 'Not yet' },
  pending: { he: 'ממתינים', en: 'Waiting' },
  orMore: { he: '1,000 או יותר', en: '1,000 or more' },
  created: { he: 'נוצרה', en: 'Created' },
  previousSecret: { he: 'גם הסוד הקודם חותם עד', en: 'The secret before signs as well until' },
  secret: { he: 'הסוד', en: 'The secret' },
  once: {
    he: 'זו הפעם היחידה שהסוד מוצג. יש להעתיק אותו עכשיו אל התוכנה שמקבלת את האירועים.',
    en: 'The secret is shown this once. Copy it now to the program that receives the events.',
  },
  toEndpoint: { he: 'העתקתי, לדף הכתובת', en: 'I have copied it, to the endpoint' },
} as const satisfies Record<string, Words>;
