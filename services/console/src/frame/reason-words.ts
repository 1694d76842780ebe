import { html, isolate, type Language, type Markup } from '@pinkas/ui';

/**
 * What services record as the reason of a failure, in English, with its Hebrew. A group of the expression is what differs: a
 * number, or the words of somebody else, which follow as they are.
 */
const sentences: readonly (readonly [english: RegExp, hebrew: string])[] = [
  // The tax authority.
  [/^The business is not connected to the tax authority\./, 'העסק אינו מחובר לרשות המסים.'],
  [
    /^The connection of the business to the tax authority has ended; its owner has to connect it again\./,
    'החיבור של העסק לרשות המסים הסתיים; צריך להתחבר שוב.',
  ],
  [/^The tax authority did not renew its permission to ask\./, 'רשות המסים לא חידשה את ההרשאה של העסק.'],
  [/^The tax authority did not answer within (\d+) seconds\./, 'רשות המסים לא ענתה בזמן, בשניות:'],
  [
    /^The tax authority did not answer for all reports of the receipt in time\./,
    'רשות המסים לא ענתה בזמן על כל הדיווחים של הקבלה.',
  ],
  [/^The tax authority could not be reached\./, 'לא הייתה תקשורת עם רשות המסים.'],
  [
    /^The tax authority takes no more requests for now(?: \((.*?)\))?\./,
    'רשות המסים אינה מקבלת כרגע עוד בקשות.',
  ],
  [/^The tax authority answered with (.+?)\.$/, 'רשות המסים השיבה:'],
  [/^The tax authority answered about another document\./, 'רשות המסים השיבה על מסמך אחר.'],
  [/^The tax authority gave an answer that cannot be read\./, 'אי אפשר לקרוא את תשובת רשות המסים.'],
  [/^The tax authority has rejected the request without a code\./, 'רשות המסים דחתה את הבקשה בלי נימוק.'],
  [/^The tax authority has rejected the request: (.+)$/, 'רשות המסים דחתה את הבקשה:'],
  [
    /^The tax authority cannot read the request \((.+)$/,
    'רשות המסים אינה יכולה לקרוא את הבקשה; מי שמפעיל את המערכת צריך לתקן:',
  ],
  [
    /^The tax authority does not serve this application \((.+)$/,
    'רשות המסים אינה משרתת את התוכנה הזאת; מי שמפעיל את המערכת צריך לטפל בכך:',
  ],
  [
    /^The tax authority does not accept this application(.+)$/,
    'רשות המסים אינה מקבלת את התוכנה הזאת; מי שמפעיל את המערכת צריך לטפל בכך:',
  ],
  [
    /^The tax authority has nothing at the address of the (.+)$/,
    'הכתובת של רשות המסים שגויה; מי שמפעיל את המערכת צריך לתקן:',
  ],
  [
    /^The person who connected the business has no permission for its VAT number(?: \((.*?)\))?\. A person who has it must connect the business\./,
    'למי שחיבר את העסק אין ברשות המסים הרשאה למספר העוסק שלו; מי שיש לו הרשאה צריך לחבר את העסק.',
  ],
  [
    /^The tax authority requires the name or the id of the person who issues \(446\)\. The owner has to connect the business again and state it\./,
    'רשות המסים דורשת את שם המפיק או את מספר הזהות שלו (446): צריך לחבר את העסק שוב ולמלא אותו.',
  ],
  [
    /^The tax authority does not know the customer's VAT number (\(.+?\))\. Correct the customer's tax id, and issue another document\./,
    'רשות המסים אינה מכירה את המספר של הלקוח; יש לתקן אותו ולהפיק מסמך אחר:',
  ],
  [
    /^The tax authority does not know one of the two VAT numbers (\(.+?\))\. Correct the tax id that is wrong, and issue another document\./,
    'רשות המסים אינה מכירה אחד משני מספרי העוסק; יש לתקן אותו ולהפיק מסמך אחר:',
  ],
  [
    /^The tax authority does not know the VAT number of the business (\(.+?\))\. Correct the tax id in the settings of the business, and issue another document\./,
    'רשות המסים אינה מכירה את מספר העוסק; יש לתקן אותו בהגדרות העסק ולהפיק מסמך אחר:',
  ],
  [
    /^The tax authority has a decision about this invoice already \(462\): look there which one it is\. Where it is this one, choose it here again\./,
    'ברשות המסים יש כבר החלטה על החשבונית הזאת (462): יש לבדוק שם מהי. אם זו ההחלטה, יש לבחור בה כאן שוב.',
  ],
  [
    /^The tax authority gives credit notes no number(?:: (.+?))?\.$/,
    'רשות המסים אינה נותנת מספר לחשבונית זיכוי.',
  ],
  [
    /^The tax authority gave a number that another document has\. Clear that with the authority, then request the number again\./,
    'רשות המסים נתנה מספר שיש כבר למסמך אחר. יש לברר זאת מולה, ואז לבקש שוב.',
  ],
  [
    /^The document is older than a year: the tax authority gives no number for it any more \(434\)\./,
    'עברה שנה מתאריך המסמך, ורשות המסים אינה נותנת לו עוד מספר (434).',
  ],
  [
    /^The date of the document is more than a month ahead \(435\)\. The number is requested again on (\S+)\./,
    'תאריך המסמך רחוק ביותר מחודש (435). המספר יתבקש שוב בתאריך',
  ],
  [/^The report could not be cancelled: (.+)$/, 'אי אפשר היה לבטל את הדיווח:'],
  [/^The report of the donation is cancelled\./, 'הדיווח על התרומה בוטל.'],
  [
    /^The institution has no approval under section 46 on the date of the receipt\./,
    'ביום הקבלה לא היה למוסד אישור לפי סעיף 46.',
  ],
  [/^The business is neither an NPO nor a public institution\./, 'העסק אינו עמותה ואינו מוסד ציבורי.'],
  [/^The business has no tax id in its profile\./, 'בפרטי העסק חסר ח.פ. או מספר עוסק.'],
  [/^The customer has no tax id\./, 'ללקוח אין ח.פ.'],
  [/^The customer deducts no VAT\./, 'הלקוח אינו מנכה מע"מ.'],
  [/^The receipt is about no amount\./, 'סכום הקבלה הוא אפס.'],
  [/^The net amount is not above the threshold of (\S+) ILS\./, 'הסכום לפני מע"מ אינו מעל הסף:'],
  [
    /^An attempt may have been granted all the same: look into the personal area at the tax authority, and enter the number if it is there\./,
    'ייתכן שהמספר ניתן בכל זאת: יש לבדוק באזור האישי באתר הרשות, ולהקליד אותו אם הוא שם.',
  ],
  [
    /^It may be reported all the same: look for the donation at the tax authority before it is reported again\./,
    'ייתכן שהתרומה דווחה בכל זאת: יש לבדוק ברשות המסים לפני דיווח נוסף.',
  ],
  [
    /^The outcome of the attempt could not be stored; it is repeated\./,
    'תוצאת הבקשה לא נשמרה; היא נשלחת שוב.',
  ],
  [/^Reverse charge is not offered\./, 'חיוב הפוך אינו זמין.'],
  [/^No reason was recorded\./, 'לא נרשמה סיבה.'],
  [/^refused: (.+)$/, 'סירוב:'],
  // Messages.
  [/^The document was cancelled\./, 'המסמך בוטל.'],
  [/^Nothing is left to pay\./, 'אין יתרה לתשלום.'],
  [/^The address is suppressed\./, 'הכתובת חסומה לשליחה.'],
  [/^The recipient is not a valid mail address\./, 'כתובת האימייל אינה תקינה.'],
  [/^The PDF could not be fetched\./, 'אי אפשר היה לקבל את ה-PDF.'],
  [/^The PDF does not have the hash that it was stored with\./, 'ה-PDF אינו זה שנשמר.'],
  [
    /^The sending process ended; whether the message was accepted is unknown\./,
    'השליחה נקטעה, ולא ידוע אם ההודעה התקבלה.',
  ],
  [
    /^The mail server takes no address with letters beyond ASCII \(SMTPUTF8\)\./,
    'שרת הדואר אינו מקבל כתובת שאינה באותיות לועזיות.',
  ],
  [/^The mail server did not say what it can do\./, 'שרת הדואר לא השלים את ההתחברות.'],
  [/^The answer says (\d+)(?:, and .*?| and .*?)\./, 'תשובת שירות ההודעות אינה ברורה:'],
  // Webhooks.
  [/^The endpoint answered (\d+)[.:] ?(.*)$/, 'הכתובת השיבה'],
  [/^The answer is larger than (\d+) bytes\./, 'התשובה ארוכה מדי, בבתים יותר מ-'],
  [/^The answer is no HTTP response\./, 'התשובה אינה תשובת HTTP.'],
  [/^The headers of the answer are too large\./, 'כותרות התשובה ארוכות מדי.'],
  [/^The connection was refused\./, 'החיבור לכתובת נדחה.'],
  [/^The connection was closed before there was an answer\./, 'החיבור נסגר לפני שהייתה תשובה.'],
  [/^The host cannot be reached\./, 'אין תקשורת עם השרת.'],
  [/^The name of the host does not resolve\./, 'שם השרת אינו מוכר.'],
  [/^The name of the host leads to an address that is not public\./, 'שם השרת מוביל לכתובת שאינה ציבורית.'],
  [/^The TLS connection failed: (.+)\.$/, 'החיבור המאובטח (TLS) נכשל:'],
  // Test books.
  [/^An item of the test document provokes (.+)$/, 'כך נקבע בפריט של מסמך הניסיון.'],
];

/** The Hebrew of a reason, with what somebody else said in it; null where it is not known. */
export function hebrewReason(
  reason: string,
): { readonly text: string; readonly quoted: readonly string[] } | null {
  let rest = reason.trim();
  const texts: string[] = [];
  const quoted: string[] = [];
  while (rest !== '') {
    const [found] = sentences.flatMap(([english, hebrew]) => {
      const match = english.exec(rest);
      return match ? [{ match, hebrew }] : [];
    });
    if (!found) {
      break;
    }
    texts.push(found.hebrew);
    quoted.push(...found.match.slice(1).filter((part) => part !== undefined && part !== ''));
    rest = rest.slice(found.match[0].length).trim();
  }
  return texts.length === 0
    ? null
    : { text: texts.join(' '), quoted: rest === '' ? quoted : [...quoted, rest] };
}

/** Why something failed, in the language of the reader; what a server or the authority wrote follows as it is. */
export function reasonText(reason: string, language: Language): Markup {
  const known = language === 'he' ? hebrewReason(reason) : null;
  if (known === null) {
    return isolate(reason, language);
  }
  const quoted = known.quoted.map((part) => html` ${isolate(part, language)}`);
  return html`${known.text}${quoted}`;
}
