import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '../harness/sources.js';
import { agorotOf, decimalsIn, expectedTotals, shekelsOf } from './expected-totals.js';

interface Case {
  name: string;
  vat_rate: string;
  prices_include_vat: boolean;
  items: { quantity: string; unit_price: string }[];
  discount: { type: 'percent' | 'amount'; value: string } | null;
  expect: { line_totals: string[]; subtotal: string; discount: string; vat: string; total: string };
}

describe('the totals that the tests expect', () => {
  it('the expected totals equal the worked examples', async () => {
    const file = join(repositoryRoot, 'packages/domain/src/money/totals.vectors.json');
    const cases = JSON.parse(await readFile(file, 'utf8')) as Case[];
    expect(cases.length).toBeGreaterThanOrEqual(80);
    for (const one of cases) {
      const totals = expectedTotals({
        rate: Number(one.vat_rate),
        gross: one.prices_include_vat,
        items: one.items.map((item) => ({
          quantity: Number(item.quantity),
          unit_price: Number(item.unit_price),
        })),
        discount: one.discount ? { type: one.discount.type, value: Number(one.discount.value) } : undefined,
      });
      if ('fault' in totals) {
        throw new Error(`${one.name} is refused at ${totals.fault}`);
      }
      const written = (agorot: bigint) => shekelsOf(agorot).toFixed(2);
      const { lines, subtotal, discount, vat, total } = totals;
      expect([one.name, lines.map(written), ...[subtotal, discount, vat, total].map(written)]).toEqual([
        one.name,
        one.expect.line_totals,
        one.expect.subtotal,
        one.expect.discount,
        one.expect.vat,
        one.expect.total,
      ]);
    }
  });

  it('the expected totals reject amounts that no document can have', () => {
    const one = { rate: 18, gross: false, items: [{ quantity: 1, unit_price: 10 }] };
    expect(expectedTotals({ ...one, discount: { type: 'amount', value: 10.01 } })).toEqual({
      fault: '/discount/value',
    });
    expect(expectedTotals({ ...one, discount: { type: 'percent', value: 100.1 } })).toEqual({
      fault: '/discount/value',
    });
    expect(expectedTotals({ ...one, items: [{ quantity: 1e6, unit_price: 1e8 }] })).toEqual({
      fault: '/items',
    });
  });

  it.each([
    [1.005, 3, 101n],
    [0.1, 1, 10n],
    [1e-7, 7, 0n],
    [100, 0, 10_000n],
    [1e21, 0, 10n ** 23n],
    [99_999_999.99, 2, 9_999_999_999n],
  ])('the expected totals read %p by its shortest decimal form', (value, decimals, agorot) =>
    expect([decimalsIn(value), agorotOf(value)]).toEqual([decimals, agorot]),
  );
});
