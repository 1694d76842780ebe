import type { Language, Words } from '@pinkas/ui';
import type { PackageFailure } from '../../db/export.tables.js';
import { periodFrom, periodTitle } from '../../reports/period.js';
import type { PackageFormat, PackageKey } from './package.repository.js';

/** Why the files of a period did not reach the accountant. */
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

/** What the accountant gets, as a list has it. */
export const packageContents = {
  report: {
    he: 'דוח מע"מ, הכנסות ותקבולים (PDF וטבלה)',
    en: 'Report of VAT, income and receipts (PDF and table)',
  },
  pcn874: { he: 'דיווח מפורט למע"מ, צד העסקאות (PCN874)', en: 'Detailed VAT report, sales side (PCN874)' },
  uniform: { he: 'ממשק פתוח (מבנה אחיד)', en: 'OPEN FORMAT (uniform structure)' },
  csv: {
    he: 'טבלאות של המסמכים, השורות והתשלומים (CSV)',
    en: 'Tables of documents, lines and payments (CSV)',
  },
  'pdf-zip': { he: 'כל המסמכים החתומים (PDF)', en: 'All signed documents (PDF)' },
} as const satisfies Record<PackageFormat, Words>;

/** The period of the accountant's files in an address: `2026-06`, `2026-05-2`. */
export const packageName = ({ month, months }: Pick<PackageKey, 'month' | 'months'>): string =>
  periodFrom(month, months).name;

/** The period of the accountant's files: `June 2026`. */
export const packageTitle = (
  { month, months }: Pick<PackageKey, 'month' | 'months'>,
  language: Language,
): string => periodTitle(periodFrom(month, months), language);
