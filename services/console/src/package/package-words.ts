import type { Words } from '@pinkas/ui';
import type { PackageFailure } from '../db/export.tables.js';

/** Why the files of a month did not reach the accountant. */
export const packageFailures = {
  no_tax_id: {
    he: 'לעסק אין ח.פ., ומבנה אחיד צריך אותו.',
    en: 'The business has no tax id, which the uniform structure needs.',
  },
  too_large: { he: 'הקבצים גדולים מדי.', en: 'The files are too large.' },
  full: { he: 'המקום לקבצים מלא.', en: 'There is no room for more files.' },
  not_allowed: {
    he: 'מי שביקש כבר אינו רשאי לשלוח מסמכים של העסק.',
    en: 'The person who asked may not send documents of the business any more.',
  },
  unavailable: { he: 'שירות אחר לא ענה.', en: 'Another service did not answer.' },
  no_recipient: {
    he: 'מי שמקבל את הקבצים אינו עוד ברשימת האנשים של העסק.',
    en: 'The person who gets the files is no longer one of the people of the business.',
  },
  undelivered: { he: 'הודעת האימייל לא התקבלה.', en: 'The email was not accepted.' },
} as const satisfies Record<PackageFailure, Words>;

/** A month, as `06/2026`. */
export const monthText = (first: string): string => `${first.slice(5, 7)}/${first.slice(0, 4)}`;
