import type { Words } from '@pinkas/ui';

/** How large a file is. */
export function bytesText(bytes: number): string {
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** What the pages of files say. */
export const exportWords = {
  what: {
    he: 'הקובץ מוכן ברקע ונשמר שבוע. כל ייצוא נרשם ביומן השינויים.',
    en: 'A file is prepared in the background and kept for a week. Each export is recorded in the audit trail.',
  },
  request: { he: 'קובץ חדש', en: 'New file' },
  format: { he: 'סוג הקובץ', en: 'File type' },
  uniform: {
    he: 'ממשק פתוח (מבנה אחיד)',
    en: 'OPEN FORMAT (uniform structure)',
  },
  pcn874: {
    he: 'דיווח מפורט למע"מ, צד העסקאות (PCN874)',
    en: 'Detailed VAT report, sales side (PCN874)',
  },
  'pdf-zip': { he: 'כל ה-PDF החתומים, ב-ZIP', en: 'All signed PDFs, in a ZIP' },
  csv: { he: 'טבלה (CSV)', en: 'Table (CSV)' },
  donations: { he: 'תרומות, לפי דיווח, חודש ותורם (CSV)', en: 'Donations, by report, month and donor (CSV)' },
  report: {
    he: 'דוח מע"מ, הכנסות ותקבולים (PDF ו-CSV)',
    en: 'Report of VAT, income and receipts (PDF and CSV)',
  },
  jsonl: { he: 'מסמכים כמו ב-API (JSON Lines)', en: 'Documents as in the API (JSON Lines)' },
  email: { he: 'שליחה באימייל', en: 'Emails' },
  selection: { he: 'מסמכים שנבחרו', en: 'chosen documents' },
  ofPackage: { he: 'לרואה החשבון,', en: 'for the accountant,' },
  charset: { he: 'קידוד (ממשק פתוח בלבד)', en: 'Encoding (OPEN FORMAT only)' },
  drive: { he: 'כונן (ממשק פתוח בלבד)', en: 'Drive (OPEN FORMAT only)' },
  driveHint: {
    he: 'האות של הכונן שהקבצים יועברו אליו, לדוגמה F. הנתיב בקבצים ובדוח מתחיל בה.',
    en: 'The letter of the drive that the files are moved to, such as F. The path in the files and in the report begins with it.',
  },
  badDrive: { he: 'כונן הוא אות אחת, A עד Z.', en: 'A drive is one letter, A to Z.' },
  report54: { he: 'דוח ההפקה', en: 'Report of the run' },
  print: { he: 'הדפסה (PDF)', en: 'Print (PDF)' },
  printTypes: { he: 'הדפסת סיכום לפי סוג מסמך (PDF)', en: 'Print the totals by document type (PDF)' },
  from: { he: 'מתאריך', en: 'From' },
  to: { he: 'עד תאריך', en: 'To' },
  prepare: { he: 'הכנת הקובץ', en: 'Prepare the file' },
  files: { he: 'קבצים', en: 'Files' },
  none: { he: 'עדיין אין קבצים.', en: 'There are no files yet.' },
  queued: { he: 'ממתין', en: 'Waits' },
  running: { he: 'בהכנה', en: 'In preparation' },
  done: { he: 'מוכן', en: 'Ready' },
  failed: { he: 'נכשל', en: 'Failed' },
  expired: { he: 'נמחק', en: 'Deleted' },
  documents: { he: 'מסמכים', en: 'documents' },
  of: { he: 'מתוך', en: 'of' },
  download: { he: 'הורדה', en: 'Download' },
  until: { he: 'נשמר עד', en: 'kept until' },
  requested: { he: 'התבקש', en: 'requested' },
  missing: { he: 'מסמכים בלי PDF', en: 'documents without a PDF' },
  tooMany: {
    he: 'אפשר להכין שלושה קבצים בבת אחת, ולשמור 8GB. אפשר לנסות שוב מאוחר יותר.',
    en: 'Three files can be in preparation at once, and 8 GB are kept. Try again later.',
  },
  full: {
    he: 'המקום לקבצים מלא כרגע. קבצים נמחקים אחרי שבוע; אפשר לנסות שוב מאוחר יותר.',
    en: 'There is no room for more files at the moment. Files are deleted after a week; try again later.',
  },
  badDates: {
    he: 'שני תאריכים, והשני אינו לפני הראשון.',
    en: 'Two dates, the second not before the first.',
  },
  badMonths: {
    he: 'דיווח מפורט הוא על חודש שלם או על חודשיים שלמים.',
    en: 'A detailed VAT report is of one or two complete months.',
  },
  notOver: {
    he: 'התקופה עוד לא הסתיימה: מסמכים שיופקו עד סופה לא יהיו בקובץ. אפשר להכין אותו בכל זאת.',
    en: 'The period is not over: documents that are issued until its end will not be in the file. It can be made all the same.',
  },
  madeEarly: {
    he: 'הקובץ הוכן לפני סוף התקופה, בלי מה שהופק אחר כך.',
    en: 'The file was made before the end of its period, without what was issued later.',
  },
  requestedDone: { he: 'הקובץ בהכנה.', en: 'The file is in preparation.' },
  monthly: { he: 'כל חודש לרואה החשבון', en: 'Every month to the accountant' },
  monthlyLead: {
    he: 'ביום שנבחר מוכנים הקבצים של החודש הקודם, או של החודשיים הקודמים.',
    en: 'On the chosen day the files of the month before, or of the two months before, are made.',
  },
  monthlyEmail: {
    he: 'מי שנבחר מקבל אימייל עם קישור לדף הזה. הקישור נפתח רק אחרי כניסה, ולכן המקבל צריך להיות אחד מאנשי העסק.',
    en: 'The chosen person gets an email with a link to this page. The link opens after signing in only, so the person has to be one of the people of the business.',
  },
  contents: { he: 'הקבצים:', en: 'The files:' },
  period: { he: 'תקופה', en: 'Period' },
  ofOneMonth: { he: 'כל חודש', en: 'Every month' },
  ofTwoMonths: { he: 'כל חודשיים, כמו הדיווח למע"מ', en: 'Every two months, as VAT is reported' },
  nextPackage: { he: 'הקבצים הבאים:', en: 'The next files:' },
  dueOn: { he: 'יישלחו ב־', en: 'sent on' },
  sendNow: { he: 'שליחה עכשיו:', en: 'Send now:' },
  sendNowTitle: { he: 'שליחת הקבצים לרואה החשבון', en: "Send the accountant's files" },
  sendNowLead: {
    he: 'הקבצים של תקופה נשלחים פעם אחת: אחרי השליחה הזאת הם לא יישלחו שוב ביום הקבוע.',
    en: 'The files of a period are sent once: after this they are not sent again on the regular day.',
  },
  sendNowAct: { he: 'הכנה ושליחה', en: 'Make and send' },
  sentNow: {
    he: 'הקבצים בהכנה, ויישלחו כשיהיו מוכנים.',
    en: 'The files are being made, and are sent once they are ready.',
  },
  allAsZip: { he: 'הורדת הכול (ZIP)', en: 'Download all (ZIP)' },
  day: { he: 'ביום בחודש', en: 'On day of the month' },
  recipient: { he: 'למי', en: 'To' },
  off: { he: 'לא לשלוח', en: 'Nobody' },
  invite: { he: 'הזמנת רואה החשבון', en: 'Invite the accountant' },
  notScheduled: { he: 'לא נשלחים קבצים כל חודש.', en: 'No files are sent every month.' },
  scheduleSaved: { he: 'נשמר.', en: 'Saved.' },
  restarted: { he: 'הקבצים מוכנים מחדש.', en: 'The files are made again.' },
  save: { he: 'שמירה', en: 'Save' },
  months: { he: 'חודשים', en: 'Months' },
  preparing: { he: 'בהכנה', en: 'In preparation' },
  packageSent: { he: 'נשלח', en: 'Sent' },
  again: { he: 'להכין ולשלוח שוב', en: 'Make and send again' },
  no_tax_id: {
    he: 'לעסק אין ח.פ., ומבנה אחיד צריך אותו.',
    en: 'The business has no tax id, which the uniform structure needs.',
  },
  not_allowed: {
    he: 'מי שביקש כבר אינו רשאי לשלוח מסמכים של העסק.',
    en: 'The person who asked may not send documents of the business any more.',
  },
  too_large: { he: 'הקובץ גדול מדי; יש לבחור פחות ימים.', en: 'The file is too large; choose fewer days.' },
  unavailable: {
    he: 'שירות אחר לא ענה. אפשר לבקש שוב.',
    en: 'Another service did not answer. Request it again.',
  },
} as const satisfies Record<string, Words>;
