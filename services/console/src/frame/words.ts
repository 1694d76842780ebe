import type { Words } from '@pinkas/ui';
import { roleNames } from '../session/roles.js';

/** What many pages say. */
export const words = {
  brand: { he: 'פנקס', en: 'Pinkas' },
  today: { he: 'היום', en: 'Today' },
  issue: { he: 'הפקת מסמך', en: 'Issue a document' },
  documents: { he: 'מסמכים', en: 'Documents' },
  customers: { he: 'לקוחות', en: 'Customers' },
  debts: { he: 'חובות', en: 'Debts' },
  statement: { he: 'כרטסת', en: 'Statement of account' },
  reports: { he: 'דוחות', en: 'Reports' },
  connection: { he: 'הגדרות חיבור', en: 'Connection settings' },
  business: { he: 'העסק', en: 'Business' },
  authority: { he: 'רשות המסים', en: 'Tax authority' },
  people: { he: 'אנשים', en: 'People' },
  exports: { he: 'קבצים לרואה החשבון', en: "Accountant's files" },
  trail: { he: 'יומן שינויים', en: 'Audit trail' },
  settings: { he: 'הגדרות', en: 'Settings' },
  chooseBusiness: { he: 'החלפת עסק', en: 'Switch business' },
  allBusinesses: { he: 'כל העסקים שלי', en: 'All my businesses' },
  account: { he: 'החשבון שלי', en: 'My account' },
  signIn: { he: 'כניסה', en: 'Sign in' },
  signOut: { he: 'יציאה', en: 'Sign out' },
  otherLanguage: { he: 'English', en: 'עברית' },
  menu: { he: 'תפריט', en: 'Menu' },
  tooLong: {
    he: 'הטקסט ארוך מכפי שאפשר לקבל. יש לקצר אותו; דבר לא נשלח.',
    en: 'This text is longer than can be received. Shorten it; nothing was sent.',
  },
  skip: { he: 'דילוג לתוכן', en: 'Skip to content' },
  testBook: {
    he: 'ספר ניסיון: המסמכים כאן אינם נחשבים',
    en: 'Test book: the documents here do not count',
  },
  toLiveBook: { he: 'לספר האמיתי', en: 'To the live book' },
  toTestBook: { he: 'לספר הניסיון', en: 'To the test book' },
  save: { he: 'שמירה', en: 'Save' },
  cancel: { he: 'ביטול', en: 'Cancel' },
  back: { he: 'חזרה', en: 'Back' },
  whatHappens: { he: 'מה קורה באישור', en: 'What happens next' },
  ...roleNames,
} as const satisfies Record<string, Words>;
