import { beforeAll, expect, it } from '@jest/globals';
import { type ServiceName, serviceNames } from '@pinkas/contracts';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { DatabaseAdministrator } from '../../harness/database-administrator.js';
import { type Issuer, type RunningStack } from '../../harness/running-stack.js';

/** One document's fault, in short. */
type Named = [check: string, document: string | null];
/** What `pinkas audit list --json` prints. */
interface Entry {
  service: string;
  action: string;
  actor: string;
}
/** What `pinkas audit verify --json` prints. */
interface Chains {
  ok: boolean;
  chains: { findings: { check: string; document_id: string | null; message: string }[] }[];
  heads: { findings: { message: string }[] };
}

/** What its tests need of the book that is damaged. */
export interface DamagedBook {
  stack: RunningStack;
  intruder: DatabaseAdministrator;
  issuer: Issuer;
}

/** The part of the tests that is about the chains of hashes and the trail. */
export function damagedChains(
  started: () => DamagedBook,
  {
    id,
    rehash,
    namesOf,
    ofDates,
  }: {
    id: (name: string) => string;
    rehash: (which: RawBuilder<boolean>) => Promise<void>;
    namesOf: (findings: { check: string; document_id: string | null; message: string }[]) => Named[];
    ofDates: string;
  },
): void {
  let stack: RunningStack;
  let intruder: DatabaseAdministrator;
  let issuer: Issuer;
  beforeAll(() => {
    ({ stack, intruder, issuer } = started());
  });

  /** What `pinkas audit verify` finds. */
  const chains = () => stack.pinkas<Chains>('audit', 'verify');
  const brokenWhile = async (
    service: ServiceName,
    table: string,
    statement: RawBuilder<unknown>,
  ): Promise<Named[]> => {
    let found: Named[] = [];
    await intruder.withTamperedTable(service, table, statement, async () => {
      const { ok, chains: all } = await chains();
      expect(ok).toBe(false);
      found = namesOf(all.flatMap(({ findings }) => findings));
    });
    return found.sort();
  };

  it('audit verify finds a trail without its last entry, and a series that is cut off with its document', async () => {
    expect(await brokenWhile('issuing', 'audit_entry', sql`delete from audit_entry`)).toEqual([
      ['chain', 'late note'],
      ['trail', null],
    ]);
    expect(
      await brokenWhile(
        'issuing',
        'document',
        sql`with series as (update series set next_number = next_number - 1 where type = 'order')
            delete from document where id = ${id('order')}`,
      ),
    ).toEqual([
      ['chain', null],
      ['chain', 'delivery_note'],
      ['sums', ofDates],
    ]);
    await intruder.change(
      'issuing',
      sql`update series set next_number = next_number + 1 where type = 'order'`,
    );
  });

  it('audit verify finds a book that was rewritten with all its hashes, by the signed heads and by their file', async () => {
    const file = `${stack.home}/heads.jsonl`;
    const { heads, written } = await stack.pinkas<{ heads: number; written: number }>(
      'audit',
      'heads',
      '--out',
      file,
    );
    expect(heads).toBeGreaterThan(10);
    expect(written).toBeGreaterThan(0);
    const found = async (...args: string[]) => {
      const { chains: all, heads: signed } = await stack.pinkas<Chains>('audit', 'verify', ...args);
      return [...all.flatMap(({ findings }) => findings), ...signed.findings].map(({ message }) => message);
    };
    expect(await found('--heads', file)).toEqual([]);
    const another = 'ab'.repeat(32);
    expect(await found('--heads', file, '--certificate', another)).toEqual([
      expect.stringMatching(
        /statement 1 of .* is signed by the certificate .*, which --certificate does not name$/,
      ),
    ]);
    const rewritten = [expect.stringMatching(/^number 1 is not the one whose hash was signed at 20/)];
    const rewrite = sql`update document set title = 'x' where id = ${id('order')}`;
    const isOrder = sql<boolean>`type = 'order'`;
    await intruder.withTamperedTable('issuing', 'document', rewrite, () =>
      intruder.withTamperedTable(
        'issuing',
        'series',
        sql`update series set next_number = next_number where ${isOrder}`,
        async () => {
          await rehash(isOrder);
          expect(await found()).toEqual(rewritten);
          await intruder.withTamperedTable(
            'rendering',
            'signed_heads',
            sql`delete from signed_heads`,
            async () => {
              expect(await found()).toEqual([]);
              expect(await found('--heads', file)).toEqual(rewritten);
            },
          );
        },
      ),
    );
    await intruder.withTamperedTable(
      'rendering',
      'signed_heads',
      sql`update signed_heads set statement = replace(statement, '"n":1,', '"n":2,')`,
      async () => expect((await found()).length).toBeGreaterThan(0),
    );
  });

  it('audit list shows who has changed what in every service', async () => {
    const entries = await stack.pinkas<Entry[]>('audit', 'list', '--business', issuer.business.id);
    expect(entries.map(({ service, action, actor }) => [service, action, actor.split(':')[0]])).toEqual([
      ['gateway', 'business.create', 'operator'],
      ['gateway', 'key.create', 'operator'],
      ['issuing', 'document.state', 'key'],
    ]);
    const text = await stack.command('pinkas', 'audit', 'list', '--business', issuer.business.id);
    expect(text).toMatch(/issuing 1 {2}document\.state {2}by key:.*\n.*status "open" → "cancelled"/);
  });

  it('no role of a service changes or deletes an entry of a trail', async () => {
    const { postgres } = await stack.file();
    for (const service of serviceNames) {
      const client = new pg.Client({ connectionString: postgres[service] });
      await client.connect();
      for (const statement of [
        'update audit_entry set n = n',
        'delete from audit_entry',
        'truncate audit_chain',
      ]) {
        await expect(client.query(statement)).rejects.toThrow('permission denied');
      }
      await client.end();
    }
  });
}
