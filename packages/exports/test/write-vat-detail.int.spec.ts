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

  it('a business without a tax id and dates that are no months are refused', async () => {
    const write = (change: object) => writeVatDetail(call, { ...request, out, ...change }, () => {});
    await expect(write({ business: exampleBusiness({ tax_id: null }) })).rejects.toMatchObject({
      reason: 'no_tax_id',
    });
    await expect(write({ to: '2026-06-29' })).rejects.toMatchObject({ reason: 'not_months' });
  });
});
