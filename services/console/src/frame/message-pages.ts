import { type ErrorCode, errorCatalogue } from '@pinkas/contracts';
import type { ApiError } from '@pinkas/service-kit';
import { html, type Language, linkButton, type Words } from '@pinkas/ui';
import { type PageReply, page } from '../http/console-page.js';

/** Where a person signs in. */
export const signInPath = '/sign-in';

const texts = {
  notFound: { he: 'הדף לא נמצא', en: 'This page does not exist' },
  notFoundMore: {
    he: 'הכתובת שגויה, או שאין לך הרשאה לעסק הזה.',
    en: 'The address is wrong, or you may not use this business.',
  },
  ownerOnly: { he: 'רק בעלי העסק יכולים לשנות', en: 'Only an owner may change this' },
  ownerOnlyMore: {
    he: 'אפשר לבקש מבעלי העסק לעשות זאת, או לתת לך תפקיד של בעלים.',
    en: 'Ask an owner of the business to do it, or to make you an owner.',
  },
  issuerOnly: {
    he: 'רק בעלים ומפיקי מסמכים יכולים לעשות זאת',
    en: 'Only owners and issuers may do this',
  },
  issuerOnlyMore: {
    he: 'אפשר לבקש מבעלי העסק לתת לך תפקיד של מפיק/ת מסמכים.',
    en: 'Ask an owner of the business to make you an issuer.',
  },
  stale: { he: 'הטופס אינו בתוקף', en: 'This form is out of date' },
  staleMore: {
    he: 'דבר לא השתנה. יש לחזור לדף, לטעון אותו מחדש ולשלוח שוב.',
    en: 'Nothing was changed. Go back to the page, load it again and send it again.',
  },
  wrongAddress: { he: 'הכתובת אינה תקינה', en: 'This address is not valid' },
  wrongAddressMore: {
    he: 'יש בה משהו שאינו תאריך, תקופה או מספר שאפשר להציג. אפשר לחזור ולבחור מהרשימה.',
    en: 'Something in it is no date, period or number that can be shown. Go back and choose from the list.',
  },
  later: { he: 'כרגע זה לא מצליח', en: 'This does not work right now' },
  laterMore: {
    he: 'שירות אחר אינו עונה. דבר לא אבד; אפשר לנסות שוב בעוד דקה.',
    en: 'Another service does not answer. Nothing is lost; try again in a minute.',
  },
  failed: { he: 'משהו השתבש', en: 'Something went wrong' },
  failedMore: {
    he: 'התקלה נרשמה. אפשר לנסות שוב; אם היא חוזרת, יש לפנות למי שמפעיל את המערכת.',
    en: 'The failure is recorded. Try again; if it happens again, contact the operator of the system.',
  },
  refusedMore: {
    he: 'דבר לא השתנה. אפשר לקרוא את הספר ולייצא אותו. לשאלות, יש לפנות למי שמפעיל את המערכת.',
    en: 'Nothing was changed. The book can be read and exported. Ask the operator of the system.',
  },
  tooLarge: { he: 'בטופס יש יותר ממה שאפשר לקבל', en: 'The form holds more than can be received' },
  tooLargeMore: {
    he: 'דבר לא השתנה. במסמך אחד יש עד 100 שורות ועד 20 תשלומים, ובכל שדה עד מספר התווים שלו: אפשר לחזור לטופס ולקצר, או לחלק למספר מסמכים.',
    en: 'Nothing was changed. A document has at most 100 lines and 20 payments, and each field a number of characters: go back to the form and shorten it, or issue more than one document.',
  },
  largeFile: { he: 'הקובץ גדול מדי', en: 'The file is too large' },
  largeFileMore: {
    he: 'דבר לא השתנה. אפשר לחזור לטופס ולבחור קובץ קטן יותר.',
    en: 'Nothing was changed. Go back to the form and choose a smaller file.',
  },
  back: { he: 'חזרה לטופס', en: 'Back to the form' },
  slow: { he: 'הטופס לא הגיע בזמן', en: 'The form did not arrive in time' },
  slowMore: {
    he: 'דבר לא השתנה. החיבור איטי מדי, או שנשלחים כמה טפסים בבת אחת; יש לחזור לדף ולשלוח שוב.',
    en: 'Nothing was changed. The connection is too slow, or several forms are sent at once; go back to the page and send it again.',
  },
  busy: { he: 'יש כרגע עומס', en: 'The console is busy' },
  busyMore: {
    he: 'דבר לא השתנה. אפשר לנסות שוב בעוד דקה.',
    en: 'Nothing was changed. Try again in a minute.',
  },
  home: { he: 'לדף הראשון', en: 'To the first page' },
} as const satisfies Record<string, Words>;

function messagePage(
  title: Words,
  more: Words,
  language: Language,
  status: number,
  { text, ...way }: { readonly href: string; readonly text: Words; readonly goesBack?: boolean } = {
    href: '/',
    text: texts.home,
  },
): PageReply {
  return page(
    title[language],
    html`<div class="card message">
  <h1>${title[language]}</h1>
  <p>${more[language]}</p>
  <p>${linkButton({ ...way, text: text[language] })}</p>
</div>`,
    status,
  );
}

/** What an expected error says to a person. */
export function errorText(error: ApiError, language: Language): string {
  const entry = errorCatalogue[error.code];
  return language === 'he' ? entry.messageHe : entry.message;
}

/** The page in place of one that failed. */
export function errorPage(
  error: ApiError | 'not_found' | 'owner_only' | 'issuer_only',
  language: Language,
): PageReply {
  const code = typeof error === 'string' ? error : error.code;
  switch (code) {
    case 'not_found':
    case 'customer_not_found':
    case 'based_on_not_found':
      return messagePage(texts.notFound, texts.notFoundMore, language, 404);
    case 'owner_only':
      return messagePage(texts.ownerOnly, texts.ownerOnlyMore, language, 403);
    case 'issuer_only':
      return messagePage(texts.issuerOnly, texts.issuerOnlyMore, language, 403);
    case 'engine_error':
      return messagePage(texts.later, texts.laterMore, language, 502);
    case 'internal_error':
      return messagePage(texts.failed, texts.failedMore, language, 500);
    default: {
      const { httpStatus, message, messageHe } = errorCatalogue[code];
      return messagePage({ he: messageHe, en: message }, texts.staleMore, language, httpStatus);
    }
  }
}

/** The page in place of one whose address has something else where a date, a period or a number belongs. */
export function wrongAddressPage(language: Language): PageReply {
  return messagePage(texts.wrongAddress, texts.wrongAddressMore, language, 400);
}

/** The page in place of a change that the state of the business, or the kill switch, refuses. */
export function refusedPage(code: ErrorCode, language: Language): PageReply {
  const { httpStatus, message, messageHe } = errorCatalogue[code];
  return messagePage({ he: messageHe, en: message }, texts.refusedMore, language, httpStatus);
}

/** The page in place of one whose form has no valid token. */
export function stalePage(language: Language): PageReply {
  return messagePage(texts.stale, texts.staleMore, language, 403);
}

/** The page in place of one whose form is larger than any. @param formPath of the page that has sent it; empty: not known. */
export function tooLargePage(formPath: string, isFile: boolean, language: Language): PageReply {
  const [title, more] = isFile
    ? [texts.largeFile, texts.largeFileMore]
    : [texts.tooLarge, texts.tooLargeMore];
  const way = formPath === '' ? undefined : { href: formPath, text: texts.back, goesBack: true };
  return messagePage(title, more, language, 413, way);
}

/** The page in place of one whose form was received too slowly. */
export function slowPage(language: Language): PageReply {
  return messagePage(texts.slow, texts.slowMore, language, 408);
}

/** The page in place of one for which the process has no place. */
export function busyPage(language: Language): PageReply {
  return messagePage(texts.busy, texts.busyMore, language, 503);
}
