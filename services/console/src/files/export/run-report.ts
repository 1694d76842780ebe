import { type ReportTable, type ReportText, type RunReport, runSummary, typeTotals } from '@pinkas/exports';
import { card, facts, html, type Markup, table } from '@pinkas/ui';

/**
 * What a run of the uniform structure wrote, in the form and the words that the authority prescribes (§5.4, §2.6 of its instructions
 * 1.31), which are Hebrew in every language of the page.
 */
export function runReportCards(report: RunReport): Markup {
  const texts = [
    ['report', runSummary(report)],
    ['types', typeTotals(report)],
  ] as const;
  return html`<div lang="he" dir="rtl">
${texts.map(([id, text]) => card({ id, title: text.heading, content: contentOf(text) }))}
</div>`;
}

function contentOf({ heading, facts: pairs, sentence, run, tables, closing, more }: ReportText): Markup {
  return html`${facts(pairs, 'he')}
${sentence && html`<p><strong>${sentence}</strong></p>`}
${run.length > 0 && facts(run, 'he')}
${tables.map((each) => tableOf(each, heading))}
${closing && html`<p>${closing}</p>`}
${more
  .filter(({ rows }) => rows.length > 0)
  .map(
    (each) => html`<h3>${each.title}</h3>
${tableOf(each, heading)}`,
  )}`;
}

function tableOf({ title, headings, rows, isSummed }: ReportTable, heading: string): Markup {
  const body = isSummed ? rows.slice(0, -1) : rows;
  const sums = isSummed ? rows.at(-1) : undefined;
  return table({
    caption: title ?? heading,
    language: 'he',
    rows: body,
    columns: headings.map((head, index) => ({
      head,
      value: (row: readonly string[]) => row[index] ?? null,
      ...(sums && { foot: sums[index] ?? null }),
    })),
  });
}
