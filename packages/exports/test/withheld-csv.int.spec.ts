import { describe, expect, it } from '@jest/globals';
import type { Call, listWithheld, RequestOf, Withheld } from '@pinkas/contracts';
import { withheldCsv, withheldPages } from '../src/index.js';

const withheldOf = (
  name: string,
  amount: number,
  more: Partial<Pick<Withheld, 'receipt' | 'confirmation'>> = {},
): Withheld => ({
  withheld_id: '3f0c2b5e-6d0a-4c57-9a41-0d6c7b8e9f10',
  document: { id: '3f0c2b5e-6d0a-4c57-9a41-0d6c7b8e9f11', type: 'tax_invoice', number: 7 },
  receipt: null,
  customer: { id: name, name, tax_id: name === 'A' ? '514713288' : null },
  ...{ amount, withheld_on: '2026-03-01', recorded_at: '2026-03-02T00:00:00.000Z', confirmation: {} },
  ...more,
});

const range = { businessId: 'b', from: '2026-01-01', to: '2026-12-31' };
const textOf = async (rows: readonly Withheld[], options?: { raw: boolean }) => {
  // One entry a page.
  const call = (async (_contract, request) => {
    const { after } = request as RequestOf<typeof listWithheld>;
    const place = after === null ? 0 : Number(after.customer_id);
    const next = place + 1 < rows.length ? { customer_id: String(place + 1) } : null;
    return { withheld: rows.slice(place, place + 1), next_after: next };
  }) as Call;
  const parts: string[] = [];
  for await (const part of withheldCsv(withheldPages(call, range), options)) {
    parts.push(part);
  }
  return parts.join('').trimEnd().split('\r\n');
};

describe('withheldCsv', () => {
  it('a table has a row for each entry, the sum of each customer behind its entries, and that of all', async () => {
    const rows = [
      withheldOf('A', 0.1, { receipt: { id: 'r', number: 3 } }),
      withheldOf('A', 0.2, { confirmation: { number: '=1', date: '2026-03-03' } }),
      withheldOf('B', 5),
    ];
    const id = '3f0c2b5e-6d0a-4c57-9a41-0d6c7b8e9f11';
    const [head, ...lines] = await textOf(rows);
    expect(head).toBe(
      'row,customer_id,customer_name,customer_tax_id,withheld_on,amount,document_type,document_number,receipt_number,confirmation_number,confirmation_date,document_id',
    );
    expect(lines).toEqual([
      `entry,A,A,514713288,2026-03-01,0.10,tax_invoice,7,3,,,${id}`,
      `entry,A,A,514713288,2026-03-01,0.20,tax_invoice,7,,'=1,2026-03-03,${id}`,
      'customer,A,A,514713288,,0.30,,,,,,',
      `entry,B,B,,2026-03-01,5.00,tax_invoice,7,,,,${id}`,
      'customer,B,B,,,5.00,,,,,,',
      'total,,,,,5.30,,,,,,',
    ]);
    expect((await textOf(rows, { raw: true })).at(2)).toContain(',=1,');
  });

  it('a table of no entry has the sum of zero', async () => {
    expect((await textOf([])).slice(1)).toEqual(['total,,,,,0.00,,,,,,']);
  });
});
