import { recordExport } from '@pinkas/contracts';
import { formatShekels, toShekels } from '@pinkas/domain';
import { writeDonations } from '@pinkas/exports';
import { year } from '../builder/arguments.js';
import type { Command } from '../builder/command.js';
import { columns } from '../builder/table.js';
import { verb } from '../builder/verb.js';
import { businessOption, readBusiness } from './exported-business.js';
import { documentProgress } from './progress-line.js';
import { refusalOf } from './refusal.js';

/** `pinkas export donations` */
export const donationsCommand: Command = verb('export donations', {
  summary:
    "writes the donations of a year, to reconcile with the tax authority's list: by report, month and donor",
  options: {
    business: businessOption,
    year: { value: 'Y', meaning: 'the year of the receipts', required: true, kind: year },
    raw: { value: null, meaning: 'texts as callers wrote them, also formulas' },
    out: { value: 'PATH', meaning: 'the folder for the files, which is made', required: true },
  },
  run: async ({ raw, out: folder, ...values }, call, progress) => {
    const range = { from: `${values.year}-01-01`, to: `${values.year}-12-31` };
    const { business } = await readBusiness(call, values.business);
    await call(recordExport, { business_id: business.id, format: 'donations', ...range });
    const { files, sums } = await refusalOf(
      writeDonations(
        call,
        { businessId: business.id, ...range, folder, raw },
        documentProgress(progress, 'written', null),
      ),
      business.id,
    );
    const { book, carried, total, statuses } = sums;
    const isWhole = book.total === total.amount;
    return {
      json: {
        folder,
        ...range,
        files,
        receipts: book.receipts,
        reports: total.lines,
        total: toShekels(total.amount),
        book_total: toShekels(book.total),
        carried: { reports: carried.lines, total: toShekels(carried.amount) },
        statuses: Object.fromEntries(
          [...statuses].map(([status, { lines, amount }]) => [
            status,
            { reports: lines, amount: toShekels(amount) },
          ]),
        ),
      },
      text: [
        folder,
        `${book.receipts.toLocaleString('en-US')} receipts of ${formatShekels(book.total)} ILS`,
        ...(statuses.size === 0
          ? []
          : [
              columns(
                [...statuses].map(([status, { lines, amount }]) => [
                  status,
                  lines.toLocaleString('en-US'),
                  formatShekels(amount),
                ]),
              ),
            ]),
        ...(carried.lines === 0
          ? []
          : [
              `${carried.lines.toLocaleString('en-US')} reports of ${formatShekels(carried.amount)} ILS are of receipts of earlier years, for checks that are due in ${values.year}: listed_by is check_date`,
            ]),
        'To check the files: sha256sum --check SHA256SUMS',
      ].join('\n'),
      ...(!isWhole && {
        failure: `The lines amount to ${formatShekels(total.amount)} ILS, and the book has ${formatShekels(book.total)}: pinkas verify says more`,
      }),
    };
  },
});
