import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { updateBusiness } from '@pinkas/contracts';
import fc from 'fast-check';
import { Operator } from '../../harness/operator.js';
import { type RunningStack } from '../../harness/running-stack.js';
import { lives, readAll } from '../book-commands.js';
import { BookModel } from '../book-model.js';
import { Caller } from '../caller.js';
import { holds, propertyTimeoutMs } from '../property.js';
import { RealBook } from '../real-book.js';

/** Settings that change what a book holds. */
const business = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant({ legal_type: 'hevra_baam' as const, vat_rate: 18 }) },
    { weight: 1, arbitrary: fc.constant({ legal_type: 'osek_patur' as const, vat_rate: 0 }) },
  ),
  prices_include_vat: fc.boolean(),
  payment_terms_days: fc.constantFrom(0, 30),
  first_numbers: fc.constantFrom({}, { quote: 1_000, tax_invoice: 77 }),
});
const dailyDocuments = fc.oneof(
  { weight: 4, arbitrary: fc.constant(100_000) },
  { weight: 1, arbitrary: fc.constant(6) },
);

export function bookProperties(system: () => RunningStack): void {
  describe('book model', () => {
    let stack: RunningStack;
    let operator: Operator;
    beforeAll(async () => {
      stack = system();
      operator = await Operator.at(stack);
    });
    afterAll(async () => {
      await operator?.close();
    });

    it.each([0, 1])(
      'the HTTP API answers as the model of a book does, for any sequence of operations (part %i)',
      (part) =>
        holds(
          'lives of a book',
          fc.asyncProperty(business, dailyDocuments, lives, async ({ kind, ...rest }, daily, steps) => {
            const settings = { ...kind, ...rest };
            const issuer = await operator.newIssuer(settings, { daily_documents: daily });
            const caller = await Caller.with(stack, issuer.key);
            const real = new RealBook(caller, issuer.apiKey, async (change) => {
              await operator.call(updateBusiness, { business_id: issuer.business.id, change });
            });
            const book = new BookModel(settings, daily);
            await fc.asyncModelRun(() => ({ model: book, real }), steps);
            await readAll(book, real);
          }),
          10,
          [],
          part,
        ),
      propertyTimeoutMs,
    );
  });
}
