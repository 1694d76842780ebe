import { formatShekels, fromShekels } from '@pinkas/domain';
import type { Deviation, RecordCode } from '@pinkas/domain/uniform';
import { escaped, ltr, printedReport } from '../printed-report.js';
import type { RunReport } from './run-report.js';

/** A report that goes with the files. */
export interface PrintedReport {
  /** Of its files, without the end. */
  readonly name: string;
  /** ASCII; the page has its own in Hebrew. */
  readonly title: string;
  readonly html: string;
}

/** A table of a report, as plain texts. */
export interface ReportTable {
  readonly title: string | null;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Whether the last row has the sums. */
  readonly isSummed: boolean;
}

/** A report in its fixed form, for a screen and for paper; all texts are Hebrew or figures. */
export interface ReportText {
  readonly heading: string;
  readonly facts: readonly (readonly [term: string, value: string])[];
  /** Null in a report that has none. */
  readonly sentence: string | null;
  /** What follows the sentence. */
  readonly run: readonly (readonly [term: string, value: string])[];
  readonly tables: readonly ReportTable[];
  readonly closing: string | null;
  /** What the product adds below the fixed form. */
  readonly more: readonly ReportTable[];
}

/** As the authority names them (§5.4). */
const recordNames: Readonly<Record<Exclude<RecordCode, 'A000' | 'summary'>, string>> = {
  A100: 'רשומת פתיחה',
  C100: 'כותרת מסמך',
  D110: 'פרטי מסמך',
  D120: 'פרטי קבלות',
  Z900: 'רשומת סיום',
};

/** The fields that a run may write otherwise than they are in the book. */
const fieldNames: Readonly<Record<number, string>> = {
  1007: 'שם התוכנה',
  1010: 'שם יצרן התוכנה',
  1012: 'נתיב הקבצים',
  1018: 'שם העסק',
  1019: 'מען העסק',
  1021: 'עיר העסק',
  1207: 'שם הלקוח',
  1208: 'מען הלקוח',
  1210: 'עיר הלקוח',
  1214: 'טלפון הלקוח',
  1219: 'סכום לפני הנחה',
  1220: 'הנחת מסמך',
  1221: 'סכום ללא מע"מ',
  1222: 'סכום המע"מ',
  1223: 'סכום כולל מע"מ',
  1224: 'ניכוי מס במקור',
  1234: 'קישור לשורות',
  1259: 'מק"ט',
  1260: 'תיאור',
  1264: 'כמות',
  1265: 'מחיר ליחידה',
  1267: 'סכום השורה',
  1273: 'קישור לכותרת',
  1307: 'מספר הבנק',
  1308: 'מספר הסניף',
  1309: 'מספר החשבון',
  1310: 'מספר ההמחאה',
  1312: 'סכום התקבול',
  1314: 'שם הכרטיס',
  1323: 'קישור לכותרת',
};

const deviationNames: Readonly<Record<Deviation, string>> = {
  shortened: 'קוצר לאורך השדה',
  rewritten: 'תווים נכתבו בצורה אחרת',
  replaced: 'תווים הוחלפו בסימן שאלה',
  digits_only: 'נכתבו הספרות בלבד',
  does_not_fit: 'ארוך מן השדה',
  missing: 'שדה חובה שאין לו ערך בספר',
};

const count = (number: number): string => number.toLocaleString('en-US');
const shekels = (amount: number): string => formatShekels(fromShekels(amount));
/** A day as the structure has it: DDMMYYYY. */
const dayDigits = (day: string): string => day.split('-').reverse().join('');

/** Report 5.4: what a run wrote, in the form and the words that the authority prescribes. */
export function runSummary(report: RunReport): ReportText {
  const { business, software, began, records } = report;
  const [year = '', month = '', day = ''] = began.day.split('-');
  const at = `${day}/${month}/${year.slice(2)} בשעה: ${began.time.slice(0, 2)}:${began.time.slice(2)}`;
  const counts = records.map(({ code, count: found }) => [
    code,
    recordNames[code as keyof typeof recordNames],
    count(found),
  ]);
  const all = records.reduce((sum, record) => sum + record.count, 0);
  return {
    heading: 'הפקת קבצים במבנה אחיד עבור:',
    facts: [
      ['מספר עוסק מורשה', business.taxId],
      ['שם בית העסק', business.name],
    ],
    sentence: 'ביצוע ממשק פתוח הסתיים בהצלחה.',
    run: [
      ['נתיב', report.path],
      ['מתאריך', dayDigits(report.from)],
      ['ועד תאריך', dayDigits(report.to)],
    ],
    tables: [
      {
        title: null,
        headings: ['קוד רשומה', 'תיאור רשומה', 'סך רשומות'],
        rows: [...counts, ['סך הכול', '', count(all)]],
        isSummed: true,
      },
    ],
    closing: `תוכנה: ${software.name}, מספר תעודת הרישום: ${software.registration ?? 'אין'}, בתאריך ${at}`,
    more: moreTables(report),
  };
}

/** What the product adds to the report of a run. */
function moreTables({ software, primaryId, charset, leftOut, deviations }: RunReport): ReportTable[] {
  const table = (title: string, headings: string[], rows: string[][]): ReportTable => ({
    ...{ title, headings, rows },
    isSummed: false,
  });
  return [
    table(
      'פרטים נוספים',
      ['מה', 'ערך'],
      [
        ['מזהה ראשי', primaryId],
        ['קידוד', charset],
        ['מהדורת התוכנה', software.version],
      ],
    ),
    table(
      'מה שאינו בקבצים',
      ['מה', 'מספר'],
      [
        ['הצעות מחיר, שאין להן קוד במבנה', count(leftOut.documents)],
        ['שורות של קבלות, שנכתבות לפי תקבוליהן', count(leftOut.receiptLines)],
        ['הפניות להצעת מחיר כמסמך בסיס', count(leftOut.baseDocuments)],
      ],
    ),
    table(
      'שדות שנכתבו אחרת מן הספר, או שחסר להם ערך',
      ['שדה', 'שם', 'מה נעשה', 'מספר', 'במסמכים'],
      deviations.map(({ field, name, deviation, count: found, documents }) => [
        String(field),
        fieldNames[field] ?? name,
        deviationNames[deviation],
        count(found),
        documents.join(', '),
      ]),
    ),
  ];
}

/** Report 2.6 b: each document type of the structure, also those that the product does not have. */
export function typeTotals({ business, types, from, to }: RunReport): ReportText {
  const documents = types.reduce((sum, type) => sum + type.documents, 0);
  return {
    heading: 'סיכום לפי סוג מסמך (2.6)',
    facts: [
      ['מספר עוסק מורשה', business.taxId],
      ['שם בית העסק', business.name],
      ['מתאריך', dayDigits(from)],
      ['ועד תאריך', dayDigits(to)],
    ],
    sentence: null,
    run: [],
    tables: [
      {
        title: null,
        headings: ['מספר המסמך', 'סוג המסמך', 'סה"כ כמותי', 'סה"כ כספי (בש"ח)'],
        rows: [
          ...types.map((type) => [String(type.code), type.name, count(type.documents), shekels(type.total)]),
          ['סך הכול', '', count(documents), ''],
        ],
        isSummed: true,
      },
    ],
    closing: null,
    more: [],
  };
}

/** The two reports that are printed with the files (§2.6 and §5.4). */
export function uniformReports(report: RunReport): PrintedReport[] {
  return [
    { name: 'totals-by-type', title: 'Totals by document type', html: printed(report, typeTotals(report)) },
    { name: 'run-summary', title: 'Summary of the run', html: printed(report, runSummary(report)) },
  ];
}

const row = (cells: readonly string[], cell: 'td' | 'th'): string =>
  `<tr>${cells.map((text) => `<${cell}>${cellOf(text)}</${cell}>`).join('')}</tr>`;
/** Figures, codes and paths are written from left to right. */
const cellOf = (text: string): string => (/\p{Script=Hebrew}/u.test(text) ? escaped(text) : ltr(text));

function printed({ business }: RunReport, text: ReportText): string {
  const { heading, facts, sentence, run, tables, closing, more } = text;
  const tableOf = ({ title, headings, rows, isSummed }: ReportTable) =>
    `${title === null ? '' : `<h2>${escaped(title)}</h2>`}${
      rows.length === 0
        ? '<p>אין</p>'
        : `<table class="${isSummed ? 'summed' : 'plain'}"><thead>${row(headings, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`
    }`;
  const body = [
    sentence === null ? '' : `<p><strong>${escaped(sentence)}</strong></p>`,
    run.length === 0
      ? ''
      : `<dl>${run.map(([term, value]) => `<dt>${escaped(term)}</dt><dd>${cellOf(value)}</dd>`).join('')}</dl>`,
    ...tables.map(tableOf),
    closing === null ? '' : `<p>${escaped(closing)}</p>`,
    ...more.map(tableOf),
  ].join('\n');
  return printedReport({
    language: 'he',
    business: business.name,
    title: heading,
    facts: facts.map(([term, value]) => [term, cellOf(value)] as const),
    body,
  });
}
