import { documentTypeRules, formatDay, formatShekels } from '@pinkas/domain';
import type { Deviation, RecordCode, UniformFiles, UniformRun } from '@pinkas/domain/uniform';
import { escaped, ltr, printedReport } from '../printed-report.js';

/** What the reports are of. */
interface ReportedRun {
  readonly run: UniformRun;
  readonly files: UniformFiles;
}

/** A report that goes with the files. */
export interface PrintedReport {
  /** Of its files, without the end. */
  readonly name: string;
  /** ASCII; the page has its own in Hebrew. */
  readonly title: string;
  readonly html: string;
}

const recordNames: Readonly<Record<RecordCode, string>> = {
  A000: 'רשומת פתיחה (INI)',
  summary: 'רשומת סיכום (INI)',
  A100: 'רשומת פתיחה',
  C100: 'כותרת מסמך',
  D110: 'פרטי מסמך',
  D120: 'פרטי קבלות',
  M100: 'פריטים במלאי',
  Z900: 'רשומת סגירה',
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
  1455: 'מק"ט',
  1456: 'שם הפריט',
};

const deviationNames: Readonly<Record<Deviation, string>> = {
  shortened: 'קוצר לאורך השדה',
  rewritten: 'תווים נכתבו בצורה אחרת',
  replaced: 'תווים הוחלפו בסימן שאלה',
  digits_only: 'נכתבו הספרות בלבד',
  does_not_fit: 'ארוך מן השדה',
};

const row = (cells: readonly string[], cell: 'td' | 'th'): string =>
  `<tr>${cells.map((text) => `<${cell}>${text}</${cell}>`).join('')}</tr>`;
/** @param kind `summed`: the last row has the sums. */
const table = (
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  kind: 'plain' | 'summed' = 'plain',
): string =>
  `<table class="${kind}"><thead>${row(headings, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
const count = (number: number): string => ltr(number.toLocaleString('en-US'));
/** The two reports that are printed with the files (sections 2.6 and 5.4 of the authority's instructions). */
export function uniformReports(written: ReportedRun): PrintedReport[] {
  return [
    { name: 'totals-by-type', title: 'Totals by document type', html: totalsByType(written) },
    { name: 'run-summary', title: 'Summary of the run', html: runSummary(written) },
  ];
}

function totalsByType(written: ReportedRun): string {
  const totals = written.files.typeTotals;
  const rows = totals.map(({ code, type, documents, total }) => [
    String(code),
    documentTypeRules[type].nameHe,
    count(documents),
    ltr(formatShekels(total)),
  ]);
  const documents = totals.reduce((count, total) => count + total.documents, 0);
  const last = ['', 'סך הכול', count(documents), ''];
  return page(
    written,
    'סיכום לפי סוג מסמך (2.6)',
    table(['קוד', 'סוג מסמך', 'מספר מסמכים', 'סכום כולל בש"ח'], [...rows, last], 'summed'),
  );
}

function runSummary(written: ReportedRun): string {
  const { files } = written;
  const counts = files.recordCounts.map(({ code, count: found }) => [
    ltr(code),
    recordNames[code],
    count(found),
  ]);
  const deviations = files.deviations.map(({ field, deviation, count: found, documents }) => [
    ltr(String(field.number)),
    fieldNames[field.number] ?? ltr(field.name),
    deviationNames[deviation],
    count(found),
    ltr(documents.join(', ')),
  ]);
  const { leftOut } = files;
  return page(
    written,
    'סיכום הפקת קבצים במבנה אחיד (5.4)',
    `${table(['קוד רשומה', 'תיאור', 'מספר רשומות'], [...counts, ['', 'סך הכול', count(files.records)]], 'summed')}
<h2>מה שאינו בקבצים</h2>
${table(
  ['מה', 'מספר'],
  [
    ['הצעות מחיר, שאין להן קוד במבנה', count(leftOut.documents)],
    ['שורות של קבלות, שנכתבות לפי תקבוליהן', count(leftOut.receiptLines)],
    ['הפניות למסמך בסיס: להצעת מחיר, או מקבלה', count(leftOut.baseDocuments)],
  ],
)}
<h2>שדות שנכתבו אחרת מן הספר</h2>
${deviations.length === 0 ? '<p>אין</p>' : table(['שדה', 'שם', 'מה נעשה', 'מספר', 'במסמכים'], deviations)}`,
  );
}

/** A page with what each report says: business, period, nature, date and an end mark (Instructions, appendix E). */
function page({ run }: ReportedRun, title: string, body: string): string {
  const { business, software, began } = run;
  const facts: [string, string][] = [
    ['שם העסק', escaped(business.name)],
    ['מספר עוסק', ltr(business.taxId)],
    ['תקופה', `${ltr(formatDay(run.from, 'he'))} עד ${ltr(formatDay(run.to, 'he'))}`],
    ['הופק', `${ltr(formatDay(began.day, 'he'))} ${ltr(`${began.time.slice(0, 2)}:${began.time.slice(2)}`)}`],
    ['נתיב', ltr(run.path)],
    ['מזהה ראשי', ltr(run.primaryId)],
    ['קידוד', ltr(run.charset)],
    ['תוכנה', `${ltr(`${software.name} ${software.version}`)}, מספר רישום ${ltr(software.registration)}`],
  ];
  return printedReport({ language: 'he', business: business.name, title, facts, body });
}
