import type { Words } from '@pinkas/ui';
import type { TransmissionFailure } from '../../db/export.tables.js';

/** What the pages of files say of the transmission to the tax authority. */
export const transmissionWords = {
  act: { he: 'שידור לרשות המסים', en: 'Transmit to the tax authority' },
  again: { he: 'המשך השידור', en: 'Continue the transmission' },
  askAgain: { he: 'בדיקה חוזרת ברשות', en: 'Ask the authority again' },
  title: { he: 'שידור המבנה האחיד לרשות המסים', en: 'Transmit the uniform structure to the tax authority' },
  business: { he: 'העסק', en: 'Business' },
  period: { he: 'מסמכים בתאריכים', en: 'Documents dated' },
  documents: { he: 'מספר המסמכים', en: 'Documents' },
  made: { he: 'הקובץ הוכן', en: 'The file was made' },
  content: { he: 'מה יישלח', en: 'What is sent' },
  files: { he: 'קבצים', en: 'Files' },
  what: { he: 'מה קורה בשידור', en: 'What happens next' },
  sends: {
    he: 'הקבצים נשלחים לרשות המסים בשם העסק, דרך החיבור שלו לרשות, ברקע. אין צורך להישאר בדף.',
    en: 'The files are sent to the tax authority in the name of the business, by its connection, in the background. You need not stay on the page.',
  },
  resumes: {
    he: 'שידור שנקטע ממשיך מהמקום שבו נעצר.',
    en: 'A transmission that is interrupted continues where it stopped.',
  },
  decides: {
    he: 'הרשות מאשרת או דוחה את הקבצים. התשובה, עם הסיבה, תופיע בדף הקבצים.',
    en: 'The authority approves or rejects the files. Its answer, with the reason, appears on the page of files.',
  },
  recorded: {
    he: 'ביומן השינויים נרשם מי שידר, מה ומתי, ומה השיבה הרשות.',
    en: 'The audit trail records who transmitted what and when, and what the authority answered.',
  },
  final: { he: 'שידור הוא סופי: אי אפשר לבטל אותו.', en: 'A transmission is final: it cannot be withdrawn.' },
  confirm: { he: 'שידור הקבצים', en: 'Transmit the files' },
  unconnected: {
    he: 'העסק אינו מחובר לרשות המסים. אחרי ההתחברות אפשר לשדר.',
    en: 'The business is not connected to the tax authority. Once it is, the files can be transmitted.',
  },
  connect: { he: 'התחברות', en: 'Connect' },
  requested: { he: 'השידור החל.', en: 'The transmission has begun.' },
  word: { he: 'שידור לרשות המסים', en: 'Transmission to the tax authority' },
  sending: { he: 'בשידור', en: 'Sending' },
  deciding: { he: 'נשלח, ממתין לאישור', en: 'Sent, not decided yet' },
  approved: { he: 'אושר', en: 'Approved' },
  rejected: { he: 'נדחה', en: 'Rejected' },
  not_required: { he: 'לא נדרש', en: 'Not required' },
  undecided: { he: 'אין החלטה', en: 'No decision' },
  failed: { he: 'לא הושלם', en: 'Not completed' },
  sent: { he: 'נשלחו', en: 'sent' },
  notRequiredMore: {
    he: 'רשות המסים אינה דורשת מהעסק לשדר מבנה אחיד; דבר לא נשלח.',
    en: 'The tax authority does not ask this business for a uniform structure; nothing was sent.',
  },
  rejectedMore: {
    he: 'רשות המסים דחתה את הקבצים. אחרי תיקון הסיבה מכינים קובץ חדש ומשדרים אותו.',
    en: 'The tax authority rejected the files. Correct the cause, prepare a new file and transmit it.',
  },
  undecidedMore: {
    he: 'הקבצים נשלחו, ורשות המסים לא החליטה במשך שבועיים.',
    en: 'The files were sent, and the tax authority has not decided for two weeks.',
  },
  repeated: { he: 'יש ניסיונות חוזרים.', en: 'It is attempted again.' },
  reason: { he: 'סיבה:', en: 'Reason:' },
} as const satisfies Record<string, Words>;

/** Why a transmission was not completed, and what a person has to do. */
export const transmissionFailures: Readonly<Record<TransmissionFailure, Words>> = {
  not_connected: {
    he: 'החיבור של העסק לרשות המסים הסתיים. צריך להתחבר שוב, ואז להמשיך.',
    en: 'The connection of the business to the tax authority has ended. Connect again, then continue.',
  },
  no_permission: {
    he: 'למי שחיבר את העסק אין ברשות המסים הרשאה לשדר את קבציו. מי שיש לו הרשאה צריך לחבר את העסק.',
    en: 'The person who connected the business has no permission at the tax authority to transmit its files. A person who has it must connect the business.',
  },
  not_subscribed: {
    he: 'רשות המסים עדיין אינה מקבלת קבצים מהתוכנה הזאת. יש לפנות למי שמפעיל את המערכת.',
    en: 'The tax authority does not take files from this software yet. Contact the operator of the system.',
  },
  unavailable: {
    he: 'רשות המסים לא קיבלה את הקבצים כעת.',
    en: 'The tax authority does not take the files at the moment.',
  },
  off: {
    he: 'השידור כבוי במערכת. יש לפנות למי שמפעיל אותה.',
    en: 'Transmission is switched off. Contact the operator of the system.',
  },
  too_large: {
    he: 'הקובץ גדול ממה שרשות המסים מקבלת. יש להכין קובץ של תקופה קצרה יותר ולשדר אותו.',
    en: 'The file is larger than the tax authority takes. Prepare a file of a shorter period and transmit it.',
  },
  changed: {
    he: 'הקובץ שונה מזה שהשידור שלו החל. יש להכין קובץ חדש ולשדר אותו.',
    en: 'The file differs from the one whose transmission has begun. Prepare a new file and transmit it.',
  },
  deleted: {
    he: 'הקובץ כבר נמחק. יש להכין קובץ חדש ולשדר אותו.',
    en: 'The file was deleted already. Prepare a new file and transmit it.',
  },
  refused: {
    he: 'רשות המסים סירבה לקבל את הקבצים.',
    en: 'The tax authority refused to take the files.',
  },
};
