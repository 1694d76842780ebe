import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CheckedHeads, SignedHeads } from '@pinkas/contracts';
import { type ChainRecord, StatedChain, SumComparison } from '@pinkas/exports/verify';
import type { Call } from '../builder/command.js';
import { type AcceptedCertificates, HeadsCollection } from './heads.js';
import { headsOfFile, type SignedHeadsPages, storedHeads, writeHeads } from './signed-heads.js';

const ours = 'aa'.repeat(32);
const another = 'bb'.repeat(32);
const authority = 'cc'.repeat(32);
const root = 'dd'.repeat(32);
const at = '2026-06-15T08:00:00.000Z';
const statementOf = (certificate_sha256: string) => ({
  statement: JSON.stringify({ n: 1, at, previous: null, heads: [] }),
  signature: '',
  certificate_sha256,
});
const timestamp = { at, certificates: [authority, root], known: true };
const sound: CheckedHeads = { finding: null, certificate: 'configured', timestamp: null };

const pagesOf = (pages: readonly SignedHeads[][]): SignedHeadsPages =>
  async function* () {
    yield* pages;
  };

describe('HeadsCollection', () => {
  /** What is found of one statement, which rendering checks as given. */
  const findingsOf = async (
    certificate: string,
    checked: CheckedHeads,
    accepted: Partial<AcceptedCertificates> = {},
  ) => {
    const all = { statements: null, timestamps: null, ...accepted };
    const call = (async () => ({ checked: [checked] })) as Call;
    const source = { name: 'the file', statements: pagesOf([[statementOf(certificate)]]) };
    const collection = await new HeadsCollection(call, source, all).collect();
    return collection.findings.map(({ message }) => message);
  };
  const named = `the file: statement 1 of ${at}`;

  it('a statement by a certificate that rendering has never signed with is a finding', async () => {
    expect(await findingsOf(ours, sound)).toEqual([]);
    expect(await findingsOf(ours, { ...sound, certificate: 'stored' })).toEqual([]);
    expect(await findingsOf(another, { ...sound, certificate: 'unknown' })).toEqual([
      `${named} is signed by the certificate ${another}, which rendering has never signed with`,
    ]);
  });

  it('a certificate that is named is accepted, and no other, whatever rendering has stored', async () => {
    const statements = new Set([ours]);
    expect(await findingsOf(ours, { ...sound, certificate: 'unknown' }, { statements })).toEqual([]);
    expect(await findingsOf(another, { ...sound, certificate: 'stored' }, { statements })).toEqual([
      `${named} is signed by the certificate ${another}, which --certificate does not name`,
    ]);
  });

  it('a time-stamp of an authority that rendering had none of is a finding', async () => {
    expect(await findingsOf(ours, { ...sound, timestamp })).toEqual([]);
    expect(await findingsOf(ours, { ...sound, timestamp: { ...timestamp, known: false } })).toEqual([
      `${named} has a time-stamp of the certificate ${root}, which gave rendering no time-stamp when it signed`,
    ]);
  });

  it('a named authority, or one above it, must have stamped every statement', async () => {
    const stamped = { ...sound, timestamp: { ...timestamp, known: false } };
    for (const sha256 of [authority, root]) {
      expect(await findingsOf(ours, stamped, { timestamps: new Set([sha256]) })).toEqual([]);
    }
    const timestamps = new Set([another]);
    expect(await findingsOf(ours, stamped, { timestamps })).toEqual([
      `${named} has a time-stamp of the certificate ${root}, which --timestamp-certificate does not name`,
    ]);
    expect(await findingsOf(ours, sound, { timestamps })).toEqual([`${named} has no time-stamp`]);
  });

  describe('with the chains of two businesses', () => {
    const [one, two] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
    const headOf = (business_id: string, n: number) => ({
      service: 'gateway',
      business_id,
      type: null,
      n,
      hash: `hash ${n}`,
    });
    /** Statements of a day each; the second one is of a chain that has not moved, as statements of all chains would be. */
    const statements = [[headOf(one, 2), headOf(two, 300)], [headOf(one, 2)], [headOf(one, 70_000)]].map(
      (heads, index): SignedHeads => ({
        ...statementOf(ours),
        statement: JSON.stringify({
          n: index + 1,
          at: `2026-06-1${index}T08:00:00.000Z`,
          previous: null,
          heads,
        }),
      }),
    );
    let reads: number;
    const collect = () => {
      reads = 0;
      const pages = pagesOf([statements.slice(0, 2), statements.slice(2)]);
      const source = {
        name: 'the file',
        statements: () => {
          reads += 1;
          return pages();
        },
      };
      const call = (async (_contract: unknown, request: { statements: unknown[] }) => ({
        checked: request.statements.map(() => sound),
      })) as Call;
      return new HeadsCollection(call, source).collect();
    };
    /** What is reported of the chain of a business with these records. */
    const followed = (collection: HeadsCollection, business: string, records: readonly ChainRecord[]) =>
      collection.follow(business, async (compare) => {
        const comparison = compare('gateway', business, null);
        for (const record of records) {
          comparison.see(record);
        }
        return comparison.messages();
      });
    const recordsTo = (last: number) =>
      Array.from({ length: last }, (_, index) => ({ n: index + 1, hash: `hash ${index + 1}` }));

    it('a chain with every head of every statement is followed once', async () => {
      const collection = await collect();
      expect(await followed(collection, one, recordsTo(70_001))).toEqual([]);
      expect(await followed(collection, two, recordsTo(300))).toEqual([]);
      expect(reads).toBe(1);
    });

    it('a head that a chain lacks is named with the instant of its statement', async () => {
      const collection = await collect();
      const missing = (n: number, at: string) => [
        `number ${n} is not the one whose hash was signed at ${at}`,
      ];
      const rewritten = recordsTo(70_000).map((record) => (record.n < 3 ? { ...record, hash: 'x' } : record));
      expect(await followed(collection, one, rewritten)).toEqual(missing(2, '2026-06-10T08:00:00.000Z'));
      expect(await followed(collection, one, recordsTo(69_999))).toEqual(
        missing(70_000, '2026-06-12T08:00:00.000Z'),
      );
      expect(await followed(collection, two, [])).toEqual(missing(300, '2026-06-10T08:00:00.000Z'));
    });
  });
});

describe('SumComparison', () => {
  it('the heads of a chain are the same only where all of them are, whatever their distance', () => {
    const numbers = [1, 128, 129, 16_600, 16_601, 2 ** 40, 2 ** 40 + 127];
    const heads = numbers.map((n) => ({ n, hash: `hash ${n}` }));
    const isSame = (records: readonly ChainRecord[]) => {
      const chain = new StatedChain();
      for (const head of heads) {
        chain.add(head);
      }
      expect([...chain.numbers()]).toEqual(numbers);
      const comparison = new SumComparison(chain);
      for (const record of records) {
        comparison.see(record);
      }
      return comparison.isSame;
    };
    expect(isSame(heads)).toBe(true);
    for (const index of heads.keys()) {
      expect(isSame(heads.toSpliced(index, 1))).toBe(false);
      expect(isSame(heads.with(index, { n: numbers[index] ?? 0, hash: 'x' }))).toBe(false);
    }
  });

  it('two statements that contradict each other are not the same as any chain', () => {
    const chain = new StatedChain();
    chain.add({ n: 1, hash: 'a' });
    chain.add({ n: 1, hash: 'b' });
    const comparison = new SumComparison(chain);
    comparison.see({ n: 1, hash: 'a' });
    expect(comparison.isSame).toBe(false);
  });
});

describe('the file of statements', () => {
  it('statements that are written to a file are read from it, a page at a time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-heads-'));
    try {
      const stored = Array.from({ length: 250 }, (_, index) => ({
        n: index + 1,
        ...statementOf(ours),
        signature: index === 200 ? 'x'.repeat(500_000) : 'x',
      }));
      const call = (async (_contract: unknown, { after }: { after: number }) => ({
        signed: stored.slice(after, after + 30),
      })) as Call;
      const file = join(folder, 'heads.jsonl');
      await writeFile(file, 'something else');
      const failing = (async (contract: unknown, request: { after: number }) => {
        if (request.after >= 60) {
          throw new Error('rendering is away');
        }
        return (call as (...args: unknown[]) => unknown)(contract, request);
      }) as Call;
      await expect(writeHeads(failing, file)).rejects.toThrow('rendering is away');
      expect(await readFile(file, 'utf8')).toBe('something else');
      expect(await writeHeads(call, file)).toBe(250);
      expect(await readdir(folder)).toEqual(['heads.jsonl']);
      const readPages = async (statements: SignedHeadsPages) => {
        const pages: SignedHeads[][] = [];
        for await (const page of statements()) {
          pages.push([...page]);
        }
        return pages;
      };
      const pages = await readPages(headsOfFile(file));
      expect(pages.map(({ length }) => length)).toEqual([100, 100, 1, 49]);
      expect(pages.flat()).toEqual((await readPages(storedHeads(call))).flat());
      await writeFile(file, '{"statement":"x"}');
      await expect(readPages(headsOfFile(file))).rejects.toThrow('is no file of pinkas audit heads');
      await expect(readPages(headsOfFile(join(folder, 'none')))).rejects.toThrow('cannot be read');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
