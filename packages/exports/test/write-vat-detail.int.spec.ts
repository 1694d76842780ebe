import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BookEntry, Call, RequestOf, readBook } from '@pinkas/contracts';
import { exampleBusiness, exampleDocument } from '@pinkas/testkit';
import { writeVatDetail } from '../src/index.js';

const entryOf = (number: number, allocation_number: string | null): BookEntry => ({
  document: exampleDocument({ number, date: '2026-06-15' }),
  state: { status: 'open', paid: 0, allocation_number, cancelled_at: null },
  allocation: null,
  delivery: { status: 'disabled', channel: null, scheduled_for: null },
  artifact_sha256: 'ab'.repeat(32),
  hash: 'cd'.repeat(32),
  series_position: number,
  source: null,
  received: 0,
  invoiced: false,
  credited: null,
});

describe('writeVatDetail', () => {
  let out: string;
  beforeEach(async () => {
    out = await mkdtemp(join(tmpdir(), 'pinkas-vat-detail-'));
  });
  afterEach(() => rm(out, { recursive: true, force: true }));

  const book = Array.from({ length: 120 }, (_, index) =>
    entryOf(index + 1, index === 0 ? '123456789' : null),
  );
  /** Issuing with the book, fifty documents at a time. */
  const call = (async (_contract, request) => {
    const { after, from, to } = request as RequestOf<typeof readBook>;
    expect([from, to]).toEqual([month.from, month.to]);
    const entries = book.slice(after?.number ?? 0, (after?.number ?? 0) + 50);
    const last = entries.at(-1)?.document;
    const isEnd = last?.number === book.length;
    return {
      entries,
      next_after: isEnd || !last ? null : { type: last.type, number: last.number, id: last.id },
    };
  }) as Call;
  const month = { from: '2026-06-01', to: '2026-06-30' };
  const request = {
    ...month,
    business: exampleBusiness({ tax_id: '514713288' }),
    out: '',
    // The third of July in Israel.
    startedAt: new Date('2026-07-02T22:00:00Z'),
  };

  it('the file has a header, a row for each invoice of the book and an end', async () => {
    const counted: number[] = [];
    const { path, documents } = await writeVatDetail(call, { ...request, out }, (count) =>
      counted.push(count),
    );
    expect([documents, counted]).toEqual([120, [50, 100, 120]]);
    const lines = (await readFile(path, 'latin1')).split('\r\n');
    expect(lines.map((line) => [line.slice(0, 1), line.length])).toEqual([
      ['O', 131],
      ...book.map(() => ['S', 60]),
      ['X', 10],
      ['', 0],
    ]);
    expect(lines[0]?.slice(0, 25)).toBe(`O514713288202606120260703`);
    expect(lines[0]?.slice(69, 78)).toBe('000000120');
    expect(lines[1]?.slice(51)).toBe('123456789');
    expect(lines[2]?.slice(51)).toBe('000000000');
  });

  it('a summary names the sales that have no place, the rounding, and customers of no known kind', async () => {
    const sale = (number: number, subtotal: number, change: Partial<BookEntry['document']['customer']>) => {
      const entry = entryOf(number, null);
      const { document } = entry;
      const totals = { ...document.totals, subtotal, discount: 0, vat: Math.round(subtotal * 18) / 100 };
      const customer = { ...document.customer, ...change };
      return { ...entry, document: { ...document, customer, totals, public_id: `public-${number}` } };
    };
    const nameless = { tax_id: null, legal_type: null };
    const entries = [
      sale(1, 100.4, { tax_id: '514713288', legal_type: null }),
      sale(2, 100.4, { tax_id: '123456782', legal_type: null }),
      sale(3, 100.4, { tax_id: '123456782', legal_type: 'osek_murshe' }),
      sale(4, 5_000.01, nameless),
      sale(5, 5_000, nameless),
    ];
    const onePage = (async () => ({ entries, next_after: null })) as unknown as Call;
    const { path, summary } = await writeVatDetail(onePage, { ...request, out }, () => {});
    expect(summary).toEqual({
      rows: 4,
      sums: { taxable: 5_300, vat: 954, untaxed: 0 },
      // 10,301.21 and 1,854.21, rounded once.
      reported: { taxable: 10_301, vat: 1_854, untaxed: 0 },
      left_out: {
        documents: 1,
        sums: { taxable: 5_000, vat: 900, untaxed: 0 },
        first: [
          expect.objectContaining({
            public_id: 'public-4',
            type: 'tax_invoice',
            number: 4,
            date: '2026-06-15',
          }),
        ],
      },
      unknown_buyers: 1,
      is_over: true,
      has_negative_sum: false,
    });
    const lines = (await readFile(path, 'latin1')).split('\r\n');
    expect(lines.map((line) => line[0])).toEqual(['O', 'S', 'S', 'S', 'L', 'X', undefined]);
    expect(lines[0]?.slice(25, 47)).toBe('+00000005300+000000954');
    // The file may have been filed: it is not replaced.
    await expect(writeVatDetail(onePage, { ...request, out }, () => {})).rejects.toMatchObject({
      reason: 'folder_taken',
    });
  });

  it('a business without a tax id and dates that are no months are refused', async () => {
    const write = (change: object) => writeVatDetail(call, { ...request, out, ...change }, () => {});
    await expect(write({ business: exampleBusiness({ tax_id: null }) })).rejects.toMatchObject({
      reason: 'no_tax_id',
    });
    await expect(write({ to: '2026-06-29' })).rejects.toMatchObject({ reason: 'not_months' });
  });
});
