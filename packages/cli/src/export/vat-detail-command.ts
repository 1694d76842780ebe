import { mkdir } from 'node:fs/promises';
import { recordExport } from '@pinkas/contracts';
import { dayInIsrael, vatReportMonth } from '@pinkas/domain';
import { type VatDetailSummary, type VatSums, writeVatDetail } from '@pinkas/exports';
import type { Command } from '../builder/command.js';
import { columns } from '../builder/table.js';
import { verb } from '../builder/verb.js';
import { rangeOptions, readRange } from './date-range.js';
import { businessOption, readBusiness } from './exported-business.js';
import { documentProgress } from './progress-line.js';
import { refusalOf } from './refusal.js';

const figures = ({ taxable, vat, untaxed }: VatSums) =>
  [taxable, vat, untaxed].map((amount) => amount.toLocaleString('en-US'));

function textOf(path: string, summary: VatDetailSummary, viewUrlBase: string): string {
  const { sums, reported, left_out: leftOut, unknown_buyers: unknown } = summary;
  const notes = [
    ...(unknown > 0
      ? [
          `${unknown} rows have the number of a customer of no known kind, which may be that of a private person`,
        ]
      : []),
    ...(summary.has_negative_sum
      ? ["The header has a negative sum, and the authority's checker accepts + only: ask its help desk"]
      : []),
  ];
  const left = leftOut.first.map(({ type, number, date, total, public_id }) => [
    type,
    String(number),
    date,
    total.toFixed(2),
    `${viewUrlBase}/${public_id}`,
  ]);
  return [
    path,
    columns([
      ['', 'taxable', 'VAT', 'untaxed'],
      ['file, each row rounded', ...figures(sums)],
      ...(leftOut.documents > 0 ? [['left out', ...figures(leftOut.sums)]] : []),
      ['report of the period, rounded once', ...figures(reported)],
    ]),
    `${summary.rows.toLocaleString('en-US')} rows`,
    ...notes,
    ...(left.length === 0
      ? []
      : [`Above 5,000 ILS without the number of the buyer, and not in the file:\n${columns(left)}`]),
  ].join('\n\n');
}

/** `pinkas export pcn874` */
export const vatDetailCommand: Command = verb('export pcn874', {
  summary: 'writes the sales side of the detailed VAT report (PCN874) of one or two complete months',
  options: {
    business: businessOption,
    from: rangeOptions.from,
    to: rangeOptions.to,
    out: { value: 'DIR', meaning: 'the folder that gets PCN874.TXT, which is made', required: true },
  },
  run: async ({ out, ...values }, call, progress) => {
    const range = readRange(values);
    const { business, urls } = await readBusiness(call, values.business);
    await call(recordExport, { business_id: business.id, format: 'pcn874', ...range });
    const startedAt = new Date();
    if (vatReportMonth(range.from, range.to) !== null && dayInIsrael(startedAt) <= range.to) {
      progress.print(`The period is not over: what is issued until ${range.to} will not be in the file`);
    }
    await mkdir(out, { recursive: true });
    const written = writeVatDetail(
      call,
      { business, ...range, out, startedAt },
      documentProgress(progress, 'written', null),
    );
    const { path, documents, summary } = await refusalOf(written, business.id);
    const { documents: leftOut } = summary.left_out;
    return {
      json: { path, ...range, documents, ...summary },
      text: textOf(path, summary, urls.viewUrlBase),
      ...(leftOut > 0 && {
        failure: `${leftOut} sales above 5,000 ILS have no number of their buyer and are not in the file: add them to it by hand`,
      }),
    };
  },
});
