import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CreateDocument } from '@pinkas/contracts';
import vectors from '../../../packages/domain/src/money/totals.vectors.json' with { type: 'json' };
import { plainType, quote } from '../example-bodies.js';
import type { Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';

const rates = [...new Set(vectors.map(({ vat_rate }) => Number(vat_rate)))];
/** The most that `expected_total` and a payment can say. */
const sayableMax = 100_000_000;

/** The decisions on totals: the worked cases of the independent calculation, and each rule alone. */
export function totals(suite: Suite): void {
  describe('decisions, Totals', () => {
    /** Three businesses for each rate, so that their series are printed side by side. */
    const issuers = new Map<number, Issuer[]>();
    beforeAll(async () => {
      for (const rate of rates) {
        const made = Array.from({ length: 3 }, () => suite.newIssuer({ vat_rate: rate }));
        issuers.set(rate, await Promise.all(made));
      }
    });
    const issuerOf = (rate: number, index: number): Issuer => {
      const some = issuers.get(rate) ?? [];
      return some[index % some.length] as Issuer;
    };

    describe('the 80 worked cases', () => {
      const answers = answersTo(
        vectors,
        async (vector, index) => {
          const { key } = issuerOf(Number(vector.vat_rate), index);
          const total = Number(vector.expect.total);
          // A receipt has no discount, and its one payment says the total.
          const asReceipt = vector.discount === null && total > 0 && total <= sayableMax && index % 2 === 0;
          const body: CreateDocument = quote({
            type: asReceipt ? 'receipt' : plainType(index),
            prices_include_vat: vector.prices_include_vat,
            items: vector.items.map(({ quantity, unit_price }) => ({
              description: 'פריט לדוגמה',
              quantity: Number(quantity),
              unit_price: Number(unit_price),
            })),
            ...(vector.discount
              ? {
                  discount: {
                    type: vector.discount.type as 'percent' | 'amount',
                    value: Number(vector.discount.value),
                  },
                }
              : {}),
            ...(asReceipt ? { payments: [{ method: 'cash', amount: total }] } : {}),
            ...(total <= sayableMax ? { expected_total: total } : {}),
          });
          const created = await suite.issued(key, body);
          return { created, read: await suite.read(key, created.id) };
        },
        8,
      );
      it.each(vectors.map((vector) => [vector.name, vector] as const))(
        'the totals of %s are exact',
        (_name, vector) => {
          const { created, read } = answers(vector);
          const expected = {
            subtotal: Number(vector.expect.subtotal),
            discount: Number(vector.expect.discount),
            vat: Number(vector.expect.vat),
            vat_rate: Number(vector.vat_rate),
            total: Number(vector.expect.total),
          };
          expect(created.totals).toMatchObject(expected);
          expect(read.totals).toEqual(created.totals);
          expect(read.items.map((entry) => entry.line_total)).toEqual(vector.expect.line_totals.map(Number));
        },
      );

      it('all cases of the totals are tested', () => expect(vectors).toHaveLength(80));
    });

    const item = (quantity: number, unitPrice: number) => ({
      description: 'פריט לדוגמה',
      quantity,
      unit_price: unitPrice,
    });
    const totalsOf = async (change: Partial<CreateDocument>, rate = 18) =>
      (await suite.issued(issuerOf(rate, 0).key, quote(change))).totals;

    it('1: each line is rounded separately, half away from zero', async () => {
      const three = { items: [item(0.5, 0.01), item(0.5, 0.01), item(0.5, 0.01)] };
      expect((await totalsOf(three)).subtotal).toBe(0.03);
    });

    it('2: the discount is taken from the sum of the lines, in their price basis', async () => {
      const items = [item(1, 60), item(1, 58)];
      const discount = { type: 'percent', value: 50 } as const;
      expect(await totalsOf({ items, discount, prices_include_vat: false })).toMatchObject({
        subtotal: 118,
        discount: 59,
        vat: 10.62,
        total: 69.62,
      });
      expect(await totalsOf({ items, discount, prices_include_vat: true })).toMatchObject({
        subtotal: 100,
        discount: 50,
        vat: 9,
        total: 59,
      });
    });

    it('3: with net prices the VAT is reckoned once, on what remains', async () => {
      const items = [item(1, 0.03), item(1, 0.03), item(1, 0.03)];
      expect(await totalsOf({ items })).toMatchObject({ subtotal: 0.09, vat: 0.02, total: 0.11 });
    });

    it('4: with gross prices the total is what was listed, and the VAT is taken out of it', async () => {
      expect(await totalsOf({ items: [item(1, 99.99)], prices_include_vat: true })).toMatchObject({
        subtotal: 84.74,
        discount: 0,
        vat: 15.25,
        total: 99.99,
      });
    });

    it.each([
      ['quote', {}],
      ['proforma', {}],
      ['tax_invoice', {}],
      ['receipt', { payments: [{ method: 'cash' as const, amount: 117 }] }],
      ['donation_receipt', { payments: [{ method: 'cash' as const, amount: 117 }] }],
    ] as const)("5: the rate is the business's for %s too", async (type, extra) => {
      expect(await totalsOf({ type, ...extra } as Partial<CreateDocument>, 17)).toMatchObject({
        vat_rate: 17,
        vat: 17,
        total: 117,
      });
    });

    it.each([
      ['whole', undefined, { subtotal: 100, vat: 17, total: 117 }],
      ['in part', 58.5, { subtotal: 50, vat: 8.5, total: 58.5 }],
    ])(
      'decisions, second version: a credit note, %s, has the rate of its source after a change of the rate',
      async (_says, part, expected) => {
        const own = await suite.newIssuer({ vat_rate: 17, prices_include_vat: false });
        const source = await suite.issued(own.key, quote({ type: 'tax_invoice' }));
        await suite.change(own, { vat_rate: 18 });
        const credit = quote({
          type: 'credit_note',
          based_on: source.id,
          expected_total: expected.total,
          ...(part !== undefined && { items: [item(1, part)], prices_include_vat: true }),
        });
        expect((await suite.issued(own.key, credit)).totals).toMatchObject({ ...expected, vat_rate: 17 });
        const next = await suite.issued(own.key, quote({ type: 'tax_invoice' }));
        expect(next.totals).toMatchObject({ vat_rate: 18, total: 118 });
      },
    );

    it('2.2 a business in Eilat has the rate 0', async () => {
      expect(await totalsOf({ prices_include_vat: true }, 0)).toMatchObject({
        subtotal: 100,
        vat: 0,
        vat_rate: 0,
        total: 100,
      });
    });

    it('a rate with decimals is reckoned with exactly', async () => {
      const { key } = await suite.newIssuer({ vat_rate: 17.35 });
      const { totals: actual } = await suite.issued(key, quote({ items: [item(3, 33.33)] }));
      expect(actual).toMatchObject({ subtotal: 99.99, vat: 17.35, vat_rate: 17.35, total: 117.34 });
    });
  });
}
