import type { Words } from '@pinkas/ui';

/** What the pages of API keys have in common. */
export const keyWords = {
  prefix: { he: 'מתחיל ב-', en: 'Begins with' },
  live: { he: 'אמיתי', en: 'Live' },
  test: { he: 'ניסיון', en: 'Test' },
  scopes: { he: 'הרשאות', en: 'Scopes' },
  'documents:write': { he: 'הפקה וביטול של מסמכים', en: 'Issue and cancel documents' },
  'documents:read': { he: 'קריאת מסמכים', en: 'Read documents' },
  'customers:read': { he: 'קריאת לקוחות', en: 'Read customers' },
  perMinute: { he: 'בקשות בדקה', en: 'Requests a minute' },
  daily: { he: 'מסמכים ביום', en: 'Documents a day' },
  lastUsed: { he: 'שימוש אחרון', en: 'Last used' },
  never: { he: 'עדיין לא', en: 'Not yet' },
  create: { he: 'מפתח חדש', en: 'New key' },
} as const satisfies Record<string, Words>;
