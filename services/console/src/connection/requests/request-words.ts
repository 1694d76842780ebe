import type { Words } from '@pinkas/ui';

/** What the pages of requests have in common. */
export const requestWords = {
  title: { he: 'בקשות', en: 'Requests' },
  lead: {
    he: 'כל בקשה שנשלחה ל-API במפתחות של הספר הזה ב-30 הימים האחרונים.',
    en: 'Each request that the keys of this book sent to the API in the last 30 days.',
  },
  card: {
    he: 'מה החנות או ה-CRM שלחו ומה נענה להם: למה בקשה נדחתה, ואם הזמנה הגיעה פעמיים.',
    en: 'What your shop or CRM has sent, and what was answered: why a request was refused, and whether an order came twice.',
  },
  open: { he: 'לבקשות', en: 'Show the requests' },
  ofKey: { he: 'הבקשות של המפתח', en: 'Requests of this key' },
  time: { he: 'מתי', en: 'Time' },
  request: { he: 'בקשה', en: 'Request' },
  answer: { he: 'תשובה', en: 'Answer' },
  key: { he: 'מפתח API', en: 'API key' },
  code: { he: 'קוד', en: 'Code' },
  idempotencyKey: { he: 'Idempotency-Key', en: 'Idempotency-Key' },
  requestId: { he: 'מזהה בקשה', en: 'Request id' },
  replayed: { he: 'תשובה חוזרת', en: 'Replayed' },
  duration: { he: 'משך', en: 'Duration' },
  noRoute: { he: 'נתיב שאינו קיים ב-API', en: 'a path that the API does not have' },
} as const satisfies Record<string, Words>;
