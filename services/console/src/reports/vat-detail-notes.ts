import type { VatDetailSummary, VatSums } from '@pinkas/exports';
import { amount, disclosure, html, leftToRight, type Markup, type Words } from '@pinkas/ui';
import { typeName } from '../frame/parts.js';
import type { MemberVisit } from '../http/visit.js';
import { reportTexts, wholeAmount } from './report.js';

const texts = {
  file: { he: 'בקובץ:', en: 'In the file:' },
  report: { he: 'בדוח התקופתי:', en: 'In the period report:' },
  rounding: {
    he: 'כל שורה בקובץ מעוגלת לשקלים שלמים לפני הסיכום. ההפרש בשל העיגול:',
    en: 'Each row of the file is rounded to whole shekels before they are summed up. The difference through rounding:',
  },
  leftOut: {
    he: 'עסקאות מעל 5,000 ₪ בלי מספר של הקונה אינן בקובץ. יש להוסיף אותן עם המספר של הקונה:',
    en: 'sales above ₪5,000 without the number of the buyer are not in the file. Add them with the number of their buyer:',
  },
  leftOutSums: { he: 'סכומן:', en: 'They come to:' },
  unknown: {
    he: 'שורות עם מספר של לקוח שסוגו לא ידוע. מספר של אדם פרטי אינו שייך לקובץ; סוג הלקוח נקבע בכרטיס הלקוח ובבקשות ההפקה.',
    en: 'rows have the number of a customer of no known kind. The number of a private person does not belong into the file; the kind is set on the customer card and in the requests for documents.',
  },
  minus: {
    he: 'בכותרת הקובץ סכום שלילי. בודק הקבצים של הרשות מקבל שם + בלבד: יש לפנות לתמיכה של הרשות.',
    en: "The header of the file has a negative sum, and the authority's checker accepts + only: contact its help desk.",
  },
} as const satisfies Record<string, Words>;

/** What a person should know of a detailed VAT report before filing it. */
export function vatDetailNotes(visit: MemberVisit, summary: VatDetailSummary): Markup {
  const { t } = visit;
  const { left_out: leftOut, unknown_buyers: unknown } = summary;
  return html`${differenceNote(visit, summary)}
${
  leftOut.documents > 0 &&
  html`<p>${leftToRight(String(leftOut.documents))} ${t(texts.leftOut)}</p>
${leftOutList(visit, leftOut.first)}
<p>${t(texts.leftOutSums)} ${sumsText(visit, leftOut.sums)}</p>`
}
${unknown > 0 && html`<p>${leftToRight(String(unknown))} ${t(texts.unknown)}</p>`}
${summary.has_negative_sum && html`<p>${t(texts.minus)}</p>`}`;
}

/** The figures of the file and of the report of its period, where they differ; null where they are the same. */
export function differenceNote(
  visit: MemberVisit,
  { sums, reported, left_out: leftOut }: VatDetailSummary,
): Markup | null {
  const { t } = visit;
  const rounding = {
    taxable: sums.taxable - reported.taxable + leftOut.sums.taxable,
    vat: sums.vat - reported.vat + leftOut.sums.vat,
    untaxed: sums.untaxed - reported.untaxed + leftOut.sums.untaxed,
  };
  const isRounded = Object.values(rounding).some((value) => value !== 0);
  return isRounded || leftOut.documents > 0
    ? html`<p>${t(texts.file)} ${sumsText(visit, sums)}<br>
${t(texts.report)} ${sumsText(visit, reported)}</p>
${isRounded && html`<p>${t(texts.rounding)} ${sumsText(visit, rounding)}</p>`}`
    : null;
}

function sumsText({ language, t }: MemberVisit, { taxable, vat, untaxed }: VatSums): Markup {
  return html`${t(reportTexts.taxable)} ${wholeAmount(taxable, language)},
${t(reportTexts.reportedVat)} ${wholeAmount(vat, language)},
${t(reportTexts.untaxed)} ${wholeAmount(untaxed, language)}`;
}

function leftOutList(visit: MemberVisit, sales: VatDetailSummary['left_out']['first']): Markup {
  const { language, link } = visit;
  const rows = sales.map(
    ({ id, type, number, total }) => html`<li>
  <a href="${link(`/documents/${id}`)}">${typeName(type, language)} ${leftToRight(String(number))}</a>,
  ${amount(total, language)}
</li>
`,
  );
  const list = html`<ul>
${rows}</ul>`;
  return sales.length > 5 ? disclosure(html`${reportTexts.documents[language]}`, list) : list;
}
