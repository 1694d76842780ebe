import type { Withheld } from '@pinkas/contracts';
import { withheldPages } from '@pinkas/exports';
import { businessId, year } from '../builder/arguments.js';
import { findBusiness } from '../builder/calls.js';
import type { Command } from '../builder/command.js';
import { listed } from '../builder/table.js';
import { verb } from '../builder/verb.js';

/** The days of a year, or without one of all. */
export const daysOf = (given: string | undefined) => ({
  from: `${given ?? '1900'}-01-01`,
  to: `${given ?? '9999'}-12-31`,
});

const confirmationOf = ({ confirmation: { number, date } }: Withheld): string =>
  [number, date].filter((part) => part !== undefined).join(', ');

/** `pinkas withholding …` */
export const withholdingCommands: readonly Command[] = [
  verb('withholding list', {
    summary: 'lists the tax that customers have withheld at source, customer by customer',
    options: {
      business: {
        value: 'ID',
        meaning: 'the business whose customers have withheld',
        required: true,
        kind: businessId,
      },
      year: { value: 'Y', meaning: 'the year of the payments; by default all', kind: year },
    },
    run: async (values, call) => {
      await findBusiness(call, values.business);
      const withheld: Withheld[] = [];
      for await (const page of withheldPages(call, { businessId: values.business, ...daysOf(values.year) })) {
        withheld.push(...page);
      }
      return listed(
        withheld,
        {
          customer: ({ customer }) => customer.name,
          'tax id': ({ customer }) => customer.tax_id ?? '',
          date: (row) => row.withheld_on,
          amount: ({ amount }) => amount.toFixed(2),
          document: ({ document }) => `${document.type} ${document.number}`,
          receipt: ({ receipt }) => (receipt === null ? '' : String(receipt.number)),
          confirmation: confirmationOf,
        },
        'No customer has withheld tax',
      );
    },
  }),
];
