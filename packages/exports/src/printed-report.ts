/** A text in HTML. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);

/** Figures and days, which are written from left to right. */
export const ltr = (text: string): string => `<bdi dir="ltr">${escaped(text)}</bdi>`;

/** A text as a string of CSS. */
const cssString = (text: string): string =>
  `"${text.replaceAll(/[^\p{L}\p{N} ]/gu, (sign) => `\\${sign.codePointAt(0)?.toString(16)} `)}"`;

const words = {
  he: { direction: 'rtl', page: 'עמוד', of: 'מתוך', end: 'סוף הדוח' },
  en: { direction: 'ltr', page: 'Page', of: 'of', end: 'End of the report' },
} as const;

/** Every page names the business, and its own number. */
function paper(language: 'he' | 'en', name: string): string {
  const { direction, page, of } = words[language];
  const [start, end] = language === 'he' ? ['right', 'left'] : ['left', 'right'];
  return `@page{size:A4;margin:18mm 15mm 20mm;font:8pt Heebo,Arial,sans-serif;direction:${direction};@top-${start}{content:${cssString(name)}}@bottom-${end}{content:"${page} " counter(page) " ${of} " counter(pages)}}`;
}

const style = `body{font:10pt Heebo,Arial,sans-serif;margin:0 auto;max-width:180mm;color:#111}
h1{font-size:16pt;margin:0 0 2mm}h2{font-size:11pt;margin:7mm 0 2mm}
dl{display:grid;grid-template-columns:max-content 1fr;gap:1mm 5mm;margin:0}dt{color:#555}dd{margin:0}
table{border-collapse:collapse;width:100%;margin-top:3mm}thead{display:table-header-group}tfoot{display:table-row-group}
tr,section{break-inside:avoid}
th,td{border-bottom:1px solid #ccc;padding:1mm 2mm;text-align:start;font-variant-numeric:tabular-nums}thead th{background:#f2f2f2}
tbody th{font-weight:400}th.figure,td.figure{text-align:right;white-space:nowrap}td.date{white-space:nowrap}
tfoot th,tfoot td,.summed tbody tr:last-child{font-weight:700}
a{color:inherit;text-decoration:none}.visually-hidden{display:none}
footer{margin-top:6mm;text-align:center;break-before:avoid}`;

/** What a printed report has. */
export interface PrintedReportParts {
  readonly language: 'he' | 'en';
  /** The name of the business. */
  readonly business: string;
  readonly title: string;
  /** Pairs of a term and its value as HTML: the business, the period, the date. */
  readonly facts: readonly (readonly [term: string, value: string])[];
  /** HTML. */
  readonly body: string;
}

/** A page with what each report states: business, period, nature, date and an end mark (Instructions, appendix E). */
export function printedReport({ language, business, title, facts, body }: PrintedReportParts): string {
  const { direction, end } = words[language];
  return `<!doctype html>
<html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><title>${escaped(title)}</title><meta name="author" content="${escaped(business)}"><style>${paper(language, business)}
${style}</style></head><body>
<h1>${escaped(title)}</h1>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>
${body}
<footer>*** ${end} ***</footer>
</body></html>
`;
}
