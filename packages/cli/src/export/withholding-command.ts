import { writeFile } from 'node:fs/promises';
import { recordExport, type Withheld } from '@pinkas/contracts';
import { formatShekels, fromShekels, sum, toShekels } from '@pinkas/domain';
import { byteOrderMark, withheldCsv, withheldPages } from '@pinkas/exports';
import { year } from '../builder/arguments.js';
import type { Command } from '../builder/command.js';
import { RefusalError } from '../builder/usage-error.js';
import { verb } from '../builder/verb.js';
import { daysOf } from '../commands/withholding-commands.js';
import { businessOption, readBusiness } from './exported-business.js';

async function* marked(parts: AsyncIterable<string>): AsyncGenerator<string> {
  yield byteOrderMark;
  yield* parts;
}

/** `pinkas export withholding` */
export const withholdingCommand: Command = verb('export withholding', {
  summary:
    'writes the tax that customers have withheld in a year, customer by customer, for the annual return',
  options: {
    business: businessOption,
    year: { value: 'Y', meaning: 'the year of the payments', required: true, kind: year },
    raw: { value: null, meaning: 'texts as callers wrote them, also formulas' },
    out: { value: 'FILE', meaning: 'the CSV file, which is made', required: true },
  },
  run: async ({ raw = false, out: path, ...values }, call) => {
    const range = daysOf(values.year);
    const { business } = await readBusiness(call, values.business);
    await call(recordExport, { business_id: business.id, format: 'withholding', ...range });
    const withheld: Withheld[] = [];
    for await (const page of withheldPages(call, { businessId: business.id, ...range })) {
      withheld.push(...page);
    }
    const amount = sum(withheld.map((row) => fromShekels(row.amount)));
    const customers = new Set(withheld.map(({ customer }) => customer.id)).size;
    const parts = marked(withheldCsv([withheld], { raw }));
    await writeFile(path, parts, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST'
        ? new RefusalError(`${path} is there already: name a file that is not`)
        : error;
    });
    return {
      json: { path, ...range, customers, entries: withheld.length, amount: toShekels(amount) },
      text: `${path}\n${customers.toLocaleString('en-US')} customers have withheld ${formatShekels(amount)} ILS`,
    };
  },
});
