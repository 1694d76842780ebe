import type { Words } from '@pinkas/ui';
import type { Problem } from './check-file.js';

/** A verdict: what is said of the file, and what follows from it. */
export interface Verdict {
  readonly tone: 'good' | 'look' | 'bad';
  readonly title: Words;
  readonly more: Words;
}

const tellBusiness: Words = {
  he: 'בקשו מבית העסק לשלוח את המסמך שוב, והשוו אותו למה שבידיכם.',
  en: 'Ask the business to send the document again, and compare it with what you have.',
};

export const problems: Readonly<Record<Problem, Verdict>> = {
  none: {
    tone: 'look',
    title: { he: 'לא נבחר קובץ', en: 'No file was chosen' },
    more: {
      he: 'יש לבחור קובץ PDF וללחוץ על ״בדיקת הקובץ״.',
      en: 'Choose a PDF file and press “Check the file”.',
    },
  },
  malformed: {
    tone: 'look',
    title: { he: 'הקובץ לא הגיע בשלמותו', en: 'The file did not arrive complete' },
    more: { he: 'יש לבחור אותו ולשלוח שוב.', en: 'Choose it and send it again.' },
  },
  too_large: {
    tone: 'look',
    title: { he: 'הקובץ גדול מדי', en: 'The file is too large' },
    more: {
      he: 'נבדקים קבצים של עד 5 MB. מסמך שהופק בפנקס קטן מזה בהרבה.',
      en: 'Files of up to 5 MB are checked. A document made by Pinkas is much smaller.',
    },
  },
  busy: {
    tone: 'look',
    title: { he: 'נבדקים כעת קבצים רבים', en: 'Many files are being checked right now' },
    more: { he: 'אפשר לנסות שוב בעוד כמה שניות.', en: 'Please try again in a few seconds.' },
  },
  no_such_id: {
    tone: 'bad',
    title: { he: 'אין מסמך עם מזהה כזה', en: 'There is no document with this id' },
    more: {
      he: 'ייתכן שהמזהה הועתק באופן חלקי. הוא החלק האחרון של הכתובת שבקוד ה־QR.',
      en: 'It may have been copied only in part. It is the last part of the address in the QR code.',
    },
  },
  empty: {
    tone: 'bad',
    title: { he: 'הקובץ ריק', en: 'The file is empty' },
    more: tellBusiness,
  },
  not_pdf: {
    tone: 'bad',
    title: { he: 'זה אינו קובץ PDF', en: 'This is no PDF file' },
    more: {
      he: 'המקור הוא קובץ ה־PDF החתום. צילום, סריקה או תמונה שלו אינם ניתנים לבדיקה כאן; אפשר להקליד את המזהה שבקוד ה־QR.',
      en: 'The original is the signed PDF file. A photo or a scan of it cannot be checked here; the id in its QR code can.',
    },
  },
  encrypted: {
    tone: 'bad',
    title: { he: 'הקובץ מוגן בסיסמה', en: 'The file is encrypted' },
    more: {
      he: 'קובץ שפנקס הפיקה אינו מוגן, ולכן זה אינו הקובץ המקורי.',
      en: 'A file that Pinkas makes is not encrypted, so this is not the original file.',
    },
  },
  unsigned: {
    tone: 'bad',
    title: { he: 'אין בקובץ חתימה', en: 'The file has no signature' },
    more: {
      he: 'כל קובץ שפנקס מפיקה חתום. קובץ שהודפס מחדש ל־PDF או שהומר מאבד את חתימתו.',
      en: 'Every file that Pinkas makes is signed. One that was printed to PDF again, or converted, loses its signature.',
    },
  },
  foreign: {
    tone: 'bad',
    title: { he: 'הקובץ לא נחתם כאן', en: 'The file was not signed here' },
    more: {
      he: 'יש בו חתימה של אחר. אין בכך לומר שאינה תקפה: היא לא נבדקה, ורק קורא PDF יציג אותה.',
      en: 'It has the signature of somebody else. That does not make it invalid: it was not checked here; a PDF reader shows it.',
    },
  },
  altered: {
    tone: 'bad',
    title: { he: 'הקובץ שונה אחרי שנחתם', en: 'The file was changed after it was signed' },
    more: {
      he: 'יש בו תעודת חתימה של פנקס, אך החתימה אינה מכסה את מה שכתוב בו. אין להסתמך עליו.',
      en: 'It has a signing certificate of Pinkas, but the signature does not cover what it says. Do not rely on it.',
    },
  },
  altered_test: {
    tone: 'bad',
    title: { he: 'קובץ ניסיון ששונה', en: 'A test file that was changed' },
    more: {
      he: 'יש בו תעודה של מסמכי ניסיון, שאינם נחשבים, והוא שונה אחרי שנחתם.',
      en: 'It has the certificate of test documents, which do not count, and was changed after it was signed.',
    },
  },
  unknown: {
    tone: 'bad',
    title: { he: 'הקובץ אינו מוכר', en: 'The file is not known' },
    more: {
      he: 'החתימה תקפה, אך אין בספרים מסמך עם קובץ כזה. אין להסתמך עליו לפני בירור עם בית העסק.',
      en: 'The signature is valid, but no book has a document with this file. Do not rely on it before asking the business.',
    },
  },
};

export const verdicts = {
  appended: {
    tone: 'bad',
    title: { he: 'נוספו לקובץ דברים אחרי שנחתם', en: 'Something was added after the file was signed' },
    more: {
      he: 'תחילת הקובץ היא המסמך המקורי, והחתימה אינה מכסה את מה שנוסף אחריו. את המקור אפשר להוריד מדף המסמך.',
      en: 'It begins with the original document, and the signature does not cover what follows. Download the original from the page of the document.',
    },
  },
  doubtful: {
    tone: 'bad',
    title: { he: 'יש לברר את המסמך עם בית העסק', en: 'Ask the business about this document' },
    more: {
      he: 'הקובץ מוכר, אך אחת הבדיקות שלהלן נכשלה.',
      en: 'The file is known, but one of the checks below has failed.',
    },
  },
  test: {
    tone: 'look',
    title: { he: 'מסמך ניסיון', en: 'A test document' },
    more: {
      he: 'הופק בספר הניסיון של העסק: אינו מסמך חשבונאי ואינו נחשב.',
      en: 'It was made in the test book of the business: it is no accounting document and does not count.',
    },
  },
  cancelled: {
    tone: 'look',
    title: { he: 'מסמך מקורי שבוטל', en: 'A genuine document that is cancelled' },
    more: { he: 'אין להסתמך עליו עוד.', en: 'It counts no more.' },
  },
  credited: {
    tone: 'look',
    title: { he: 'מסמך מקורי שזוכה במלואו', en: 'A genuine document that is credited in full' },
    more: {
      he: 'הופקה לו חשבונית זיכוי על מלוא הסכום.',
      en: 'A credit note for its full amount was issued.',
    },
  },
  earlier: {
    tone: 'look',
    title: { he: 'מסמך מקורי, בגרסה קודמת', en: 'A genuine document, in an earlier revision' },
    more: {
      he: 'אחרי הקובץ הזה נוצרה גרסה חדשה יותר, למשל עם מספר הקצאה.',
      en: 'A later revision was made after this file, for example with an allocation number.',
    },
  },
  genuine: {
    tone: 'good',
    title: { he: 'המסמך מקורי', en: 'The document is genuine' },
    more: {
      he: 'הקובץ הוא בדיוק זה שהופק ונחתם, בגרסתו העדכנית.',
      en: 'The file is exactly the one that was made and signed, in its current revision.',
    },
  },
  known: {
    tone: 'good',
    title: { he: 'המסמך קיים', en: 'The document exists' },
    more: {
      he: 'לא נבדק קובץ: השוו את מה שבידיכם לדף המסמך, או שלחו לבדיקה את קובץ ה־PDF.',
      en: 'No file was checked: compare what you have with the page of the document, or check the PDF file.',
    },
  },
} as const satisfies Record<string, Verdict>;

/** What the page states. */
export const verifyWords = {
  title: { he: 'האם המסמך מקורי?', en: 'Is this document genuine?' },
  lead: {
    he: 'בדיקה של קובץ PDF שהופק בפנקס. הקובץ נקרא בזיכרון בלבד: הוא אינו נשמר.',
    en: 'Checks a PDF that was made by Pinkas. The file is read in memory only: it is not stored.',
  },
  file: { he: 'קובץ ה־PDF שקיבלתם', en: 'The PDF file that you received' },
  fileHint: { he: 'עד 5MB', en: 'Up to 5 MB' },
  check: { he: 'בדיקת הקובץ', en: 'Check the file' },
  id: { he: 'או המזהה שבקוד ה־QR', en: 'Or the id in its QR code' },
  idHint: { he: 'הכתובת שבקוד, או החלק האחרון שלה', en: 'The address in the code, or its last part' },
  checkId: { he: 'בדיקת המזהה', en: 'Check the id' },
  other: { he: 'English', en: 'עברית' },
  document: { he: 'המסמך', en: 'Document' },
  date: { he: 'תאריך', en: 'Date' },
  business: { he: 'הופק בידי', en: 'Issued by' },
  signature: { he: 'חתימה', en: 'Signature' },
  signedBy: { he: 'תקפה; תעודה של', en: 'Valid; certificate of' },
  signedAt: { he: 'נחתם', en: 'signed' },
  timestamped: { he: 'חותמת זמן', en: 'time-stamped' },
  notValid: { he: 'אינה תקפה', en: 'Not valid' },
  revision: { he: 'גרסה', en: 'Revision' },
  current: { he: 'העדכנית', en: 'the current one' },
  laterOne: { he: 'יש גרסה חדשה יותר', en: 'there is a later one' },
  number: { he: 'המספר בסדרה', en: 'Number in its series' },
  inSequence: { he: 'המשך ישיר של המספר שלפניו', en: 'directly after the number before it' },
  notInSequence: { he: 'המספר שלפניו חסר', en: 'the number before it is missing' },
  chain: { he: 'שרשרת הגיבובים', en: 'Chain of hashes' },
  fileInChain: { he: 'הגיבוב של הקובץ רשום בספר', en: 'The hash of the file is in the book' },
  firstInChain: {
    he: 'הגיבוב של הגרסה הראשונה רשום בספר; גרסה זו נוצרה אחריה',
    en: 'The hash of the first revision is in the book; this one was made after it',
  },
  otherInBook: { he: 'בספר רשום קובץ אחר', en: 'The book has another file' },
  recordBroken: {
    he: 'הרישום בספר השתנה אחרי ההפקה',
    en: 'The record in the book was changed after the issue',
  },
  followed: {
    he: 'השרשרת רציפה מהמסמך ועד לקצה החתום שלה',
    en: 'the chain is unbroken from the document to its signed end',
  },
  signedLater: {
    he: 'קצה השרשרת נחתם אחרי המסמך',
    en: 'the end of the chain was signed after the document',
  },
  notSignedYet: {
    he: 'קצה השרשרת נחתם פעם ביום, ועוד לא נחתם מאז ההפקה',
    en: 'the end of the chain is signed once a day, and not yet since the issue',
  },
  chainBroken: { he: 'השרשרת אינה רציפה', en: 'the chain is broken' },
  endSigned: { he: 'נחתם לאחרונה', en: 'last signed' },
  allocation: { he: 'מספר הקצאה', en: 'Allocation number' },
  noAllocation: { he: 'אין', en: 'None' },
  authority: { he: 'בדיקה באתר רשות המסים', en: 'Check at the tax authority' },
  state: { he: 'מצב', en: 'State' },
  cancelled: { he: 'בוטל ביום', en: 'Cancelled on' },
  creditedInFull: { he: 'זוכה במלואו', en: 'Credited in full' },
  creditedInPart: { he: 'זוכה בחלקו', en: 'Credited in part' },
  inForce: { he: 'לא בוטל ולא זוכה', en: 'Neither cancelled nor credited' },
  page: { he: 'לדף המסמך ולקובץ המקורי', en: 'The page of the document, with the original file' },
  fileHash: { he: 'SHA-256 של הקובץ', en: 'SHA-256 of the file' },
} as const satisfies Record<string, Words>;
