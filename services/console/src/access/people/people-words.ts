import type { Words } from '@pinkas/ui';

/** What a form about the members of a business has done. */
export const peopleOutcomes = {
  invited: {
    he: 'ההזמנה תישלח בדקות הקרובות. אם לא תגיע, זה יופיע כאן.',
    en: 'The invitation will be sent within minutes. If it does not arrive, this page shows it.',
  },
  role_changed: { he: 'התפקיד שונה.', en: 'The role is changed.' },
  removed: { he: 'האדם הוסר מהעסק.', en: 'The person is removed from the business.' },
} as const satisfies Record<string, Words>;
export type PeopleOutcome = keyof typeof peopleOutcomes;

/** What the pages about the members of a business say. */
export const peopleWords = {
  lead: {
    he: 'בעלים משנים הכול; מפיקי מסמכים מפיקים ושולחים; מנהלי חשבונות קוראים ומייצאים. כל שינוי כאן נרשם ביומן.',
    en: 'Owners change everything; issuers issue and send documents; bookkeepers read and export. Every change here is in the audit trail.',
  },
  email: { he: 'כתובת אימייל', en: 'Email address' },
  emailWrong: {
    he: 'זו אינה כתובת אימייל. לדוגמה: name@example.com',
    en: 'This is not an email address. For example: name@example.com',
  },
  role: { he: 'תפקיד', en: 'Role' },
  since: { he: 'תאריך ההזמנה', en: 'Invited' },
  undelivered: { he: 'ההזמנה לא הגיעה', en: 'The invitation did not arrive' },
  expected: { he: 'ההזמנה ממתינה', en: 'Invitation pending' },
  you: { he: 'אני', en: 'You' },
  action: { he: 'פעולה', en: 'Action' },
  change: { he: 'לשנות', en: 'Change' },
  invite: { he: 'להזמין', en: 'Invite a member' },
  inviteTitle: { he: 'הזמנה', en: 'Invite a member' },
  inviteLead: {
    he: 'לכתובת יישלח קישור כניסה. מי שכבר ברשימה יקבל קישור נוסף, או את התפקיד החדש.',
    en: 'A link to sign in is sent to the address. A member gets another link, or the new role.',
  },
  ownerHint: {
    he: 'קריאה ושינוי של הכול, כולל אנשים ומפתחות',
    en: 'Reads and changes everything, people and keys too',
  },
  issuerHint: {
    he: 'גם הפקה, שליחה, זיכוי וביטול של מסמכים ותיקון כרטיסי לקוח; בלי הגדרות, אנשים ומפתחות',
    en: 'Also issues, sends, credits and cancels documents and corrects customer cards; no settings, people or keys',
  },
  bookkeeperHint: {
    he: 'קריאה של הכול וייצוא קבצים, בלי לשנות דבר',
    en: 'Reads everything and exports files, changes nothing',
  },
  send: { he: 'לשלוח הזמנה', en: 'Send the invitation' },
  roleTitle: { he: 'תפקיד', en: 'Role' },
  remove: { he: 'להסיר מהעסק', en: 'Remove from the business' },
  removeLead: {
    he: 'ההרשאה לעסק הזה נגמרת מיד, גם במכשירים שבהם האדם מחובר עכשיו.',
    en: 'The right to use this business ends at once, also on devices where the person is signed in now.',
  },
  leave: { he: 'עזיבת העסק…', en: 'Leave this business…' },
  leaveTitle: { he: 'עזיבת העסק', en: 'Leave this business' },
  leaveLead: {
    he: 'ההרשאה שלך לעסק הזה תיגמר מיד, בכל המכשירים. בעלי העסק יקבלו על כך הודעה, ורק הם יוכלו להזמין אותך שוב.',
    en: 'Your right to use this business ends at once, on all devices. Its owners get a mail, and only they can invite you again.',
  },
  leaveButton: { he: 'לעזוב', en: 'Leave' },
  left: { he: 'אין לך עוד הרשאה לעסק.', en: 'You may not use the business any more.' },
  lastOwner: {
    he: 'לעסק צריכים להישאר בעלים. קודם יש לתת תפקיד בעלים לאדם נוסף.',
    en: 'A business keeps an owner. First make somebody else an owner.',
  },
} as const satisfies Record<string, Words>;
