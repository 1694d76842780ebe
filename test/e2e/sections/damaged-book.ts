import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CreateDocument, type CreatedDocument, type ServiceName } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { documentHash, stateOf } from '../../../services/issuing/src/chain/document-hash.js';
import type { DocumentTable } from '../../../services/issuing/src/document/document.tables.js';
import { DatabaseAdministrator } from '../../harness/database-administrator.js';
import {
  type Issuer,
  invoice,
  type RunningStack,
  sendsMail,
  type Verification,
} from '../../harness/running-stack.js';
import { repositoryRoot } from '../../harness/sources.js';
import { damagedChains } from './damaged-chains.js';

const run = promisify(execFile);

/** One document's fault, in short. */
type Named = [check: string, document: string | null];
/** Of tests that damage several documents at once each names its own: every look at the book reads every PDF. */
type Damage = [service: ServiceName, table: string, statement: RawBuilder<unknown>];

export function damagedBook(system: () => RunningStack): void {
  describe('pinkas verify', () => {
    let stack: RunningStack;
    let intruder: DatabaseAdministrator;
    let issuer: Issuer;
    let other: Issuer;
    const documents: Record<string, CreatedDocument> = {};

    const issue = async (name: string, body: CreateDocument) => {
      documents[name] = await stack.issueUntilAnswered(issuer.key, body);
    };
    const id = (name: string): string => {
      const found = documents[name];
      if (!found) {
        throw new Error(`no document is called ${name}`);
      }
      return found.id;
    };
    const nameOf = (documentId: string | null): string | null =>
      Object.entries(documents).find(([, document]) => document.id === documentId)?.[0] ?? documentId;
    /** Sums are named by what they are of, once each: of one table several dates may be wrong. */
    const nameOfSums = (message: string) => message.replace(/ (\d{4}-\d\d-\d\d )?are not those .*/, '');
    const isFirst = ([check, name]: Named, index: number, all: Named[]) =>
      check !== 'sums' || all.findIndex(([known, other]) => known === 'sums' && other === name) === index;
    const [ofDates, ofPayments] = ['the sums of', 'the sums of payments of'];
    const [ofCustomers, ofDebts] = [
      'the sums of customers in the month of',
      'the sums of the debts of customers',
    ];
    const namesOf = (findings: { check: string; document_id: string | null; message: string }[]): Named[] =>
      findings
        .map(
          ({ check, document_id, message }): Named => [
            check,
            check === 'sums' ? nameOfSums(message) : nameOf(document_id),
          ],
        )
        .filter(isFirst);
    const named = ({ businesses }: Verification): Named[] =>
      namesOf(businesses.flatMap(({ findings }) => findings)).sort();

    beforeAll(async () => {
      stack = system();
      intruder = await DatabaseAdministrator.connect(stack);
      issuer = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
      other = await stack.newIssuer();
      await issue('quote', invoice(100, { type: 'quote' }));
      await issue('cancelled quote', invoice(200, { type: 'quote' }));
      await issue('invoice', invoice(100));
      await issue('large invoice', invoice(6000));
      await issue('third invoice', invoice(300));
      await issue('receipt', invoice(100, { type: 'receipt', based_on: id('invoice'), payments: cash(118) }));
      await issue('invoice receipt', invoice(100, { type: 'tax_invoice_receipt', payments: cash(118) }));
      await issue('credit note', invoice(50, { type: 'credit_note', based_on: id('third invoice') }));
      await issue('donation', invoice(100, { type: 'donation_receipt', payments: cash(118) }));
      for (const type of ['order', 'delivery_note', 'proforma'] as const) {
        // A customer of its own, with a card of its own.
        const customer = { name: `לקוח ${type}`, email: 'customer@example.com' };
        await issue(type, invoice(10, { type, customer }));
      }
      await stack.issueUntilAnswered(other.key, invoice(100));
      const cancelled = await stack.call(issuer.key, 'POST', `/documents/${id('cancelled quote')}/cancel`, {
        body: {},
      });
      expect(cancelled.status).toBe(200);
      // What is younger than a minute is under way: this book is of an hour ago.
      await eventually('no step is under way', () => untilDone());
      await intruder.change(
        'issuing',
        sql`with aged as (update series set last_issued_at = last_issued_at - interval '1 hour'),
            trail as (delete from audit_entry), chain as (delete from audit_chain)
          update document set issued_at = issued_at - interval '1 hour', cancelled_at = cancelled_at - interval '1 hour'`,
      );
      await rehash(sql<boolean>`true`);
      await issue('late note', invoice(10, { type: 'return_note' }));
      await stack.call(issuer.key, 'POST', `/documents/${id('late note')}/cancel`, { body: {} });
      await eventually('no step is under way', () => untilDone());
      for (const constraint of ['document_number_key', 'document_totals_check']) {
        await intruder.dropConstraint('issuing', 'document', constraint);
      }
      await intruder.dropConstraint('rendering', 'artifact', 'artifact_sha256_check');
    }, 300_000);
    afterAll(async () => {
      await intruder?.close();
    });

    const cash = (amount: number): NonNullable<CreateDocument['payments']> => [{ method: 'cash', amount }];
    /** Hashes series again whose documents have no change in the trail, as an intruder would who has read the program. */
    const rehash = async (which: RawBuilder<boolean>) => {
      const rows = await intruder.read<Selectable<DocumentTable>>(
        'issuing',
        sql`select * from document where ${which} order by business_id, type, number`,
      );
      const lastHashes = new Map<string, Buffer>();
      for (const row of rows) {
        const { business_id, type } = row;
        const key = `${business_id} ${type}`;
        const hash = documentHash(row, stateOf(row), lastHashes.get(key) ?? null);
        lastHashes.set(key, hash);
        await intruder.change(
          'issuing',
          sql`with series as (
              update series set last_hash = ${hash} where business_id = ${business_id} and type = ${type}
            )
            update document set hash = ${hash} where business_id = ${business_id} and id = ${row.id}`,
        );
      }
    };
    const untilDone = async () => {
      const { ok, businesses } = await stack.verify();
      return ok && businesses.every(({ pending }) => pending === 0);
    };
    /** What is found while tables are changed; afterwards they are as before. */
    const foundWhile = async (...damages: Damage[]): Promise<Named[]> => {
      const [damage, ...others] = damages;
      if (damage) {
        let found: Named[] = [];
        await intruder.withTamperedTable(...damage, async () => {
          found = await foundWhile(...others);
        });
        return found;
      }
      const report = await stack.verify();
      expect(report.ok).toBe(false);
      // The other business's book is whole, whatever happened to this one.
      expect(report.businesses.filter(({ ok }) => !ok)).toHaveLength(1);
      return named(report);
    };
    const change = (statement: RawBuilder<unknown>): Damage => ['issuing', 'document', statement];

    it('verify reports a consistent book as text and as JSON', async () => {
      const found = await stack.verify();
      expect(found).toMatchObject({ ok: true, checked_at: expect.any(String) });
      expect(found.businesses).toHaveLength(3);
      expect(found.businesses.find((business) => business.documents === 13)).toEqual({
        id: issuer.business.id,
        name: issuer.business.name,
        documents: 13,
        ok: true,
        findings: [],
        findings_more: 0,
        notes: [],
        notes_more: 0,
        pending: 0,
        dead_lettered: 0,
      });
      const text = await stack.command('pinkas', 'verify', '--business', issuer.business.id);
      expect(text).toContain('13 documents: credit_note 1, delivery_note 1');
      expect(text).toContain('  Proven');
      expect(text).toMatch(/Checked 13 documents of 1 business, \d+ a second/);
    });

    it('verify rejects an unknown business id with one line and 1, and wrong usage with 2', async () => {
      const refused = async (code: number, ...args: string[]) => {
        const failure = await stack.command('pinkas', 'verify', ...args).catch((error: unknown) => error);
        expect(failure).toMatchObject({ code, stdout: '' });
        return (failure as { stderr: string }).stderr.trim().split('\n');
      };
      const unknown = randomUUID();
      expect(await refused(1, '--business', unknown)).toEqual([
        `No business has the id ${unknown}: pinkas business list shows them`,
      ]);
      expect(await refused(2, '--business', 'x')).toEqual([
        '"x" is not an id: pinkas business list shows them',
      ]);
    });

    it('verify exits with 1, prints the report on stdout and the number of findings on stderr', async () => {
      await intruder.withTamperedTable(
        'issuing',
        'document',
        sql`delete from document where id = ${id('invoice')}`,
        async () => {
          const failure = await run(
            process.execPath,
            [`${repositoryRoot}/packages/cli/dist/main.js`, 'verify', '--business', issuer.business.id],
            { env: { PATH: process.env.PATH, PINKAS_HOME: stack.home }, timeout: 60_000 },
          ).catch((error: unknown) => error as { code: number; stdout: string; stderr: string });
          expect(failure).toMatchObject({
            code: 1,
            stderr: expect.stringMatching(/^7 findings in the books of 1 of 1 business: .+\n$/),
            stdout: expect.stringContaining(
              `tax_invoice 2 (${id('large invoice')}): before it number 1 is missing`,
            ),
          });
        },
      );
    });

    it('verify finds a deleted document in the middle of a series, at its end, and as a source', async () => {
      const deleted = (name: string) => change(sql`delete from document where id = ${id(name)}`);
      expect(await foundWhile(deleted('invoice'), deleted('order'), deleted('cancelled quote'))).toEqual([
        ['chain', null],
        ['chain', null],
        ['chain', 'delivery_note'],
        ['chain', 'large invoice'],
        ['chain', 'large invoice'],
        ['links', 'receipt'],
        ['numbers', null],
        ['numbers', 'large invoice'],
        ['numbers', 'quote'],
        ['sums', ofDates],
        ['sums', ofCustomers],
        ['sums', ofDebts],
      ]);
    });

    it('verify finds a duplicate number', async () => {
      // Its own number is missing then, and its PDF shows it.
      const doubled = change(sql`update document set number = 1 where id = ${id('large invoice')}`);
      expect(await foundWhile(doubled)).toEqual(
        [
          ...(id('invoice') < id('large invoice')
            ? [['chain', 'large invoice']]
            : [
                ['chain', 'invoice'],
                ['chain', 'large invoice'],
                ['chain', 'third invoice'],
              ]),
          ['numbers', 'third invoice'],
          ['numbers', later('invoice', 'large invoice')],
          ['pdf', 'large invoice'],
          ['pdf', 'large invoice'],
        ].sort(),
      );
    });
    /** Of two documents of one number, the one that is second. */
    const later = (first: string, second: string) => (id(first) > id(second) ? first : second);

    it('verify finds a changed date and a changed instant of issue', async () => {
      expect(
        await foundWhile(
          change(sql`update document set dated_on = dated_on - 1 where id = ${id('large invoice')}`),
          change(
            sql`update document set issued_at = issued_at - interval '1 day' where id = ${id('third invoice')}`,
          ),
        ),
      ).toEqual([
        ['chain', 'large invoice'],
        ['chain', 'third invoice'],
        ['dates', 'large invoice'],
        ['dates', 'third invoice'],
        ['sums', ofDates],
        ...(documents['large invoice']?.date.endsWith('-01') ? [['sums', ofCustomers]] : []),
      ]);
      // The receipts and notes on it name the date of their source.
      expect(
        await foundWhile(
          change(sql`update document set dated_on = dated_on - 1 where id = ${id('invoice')}`),
        ),
      ).toEqual([
        ['chain', 'invoice'],
        ['links', 'receipt'],
        ['sums', ofDates],
        ...(documents.invoice?.date.endsWith('-01') ? [['sums', ofCustomers]] : []),
      ]);
    });

    it('verify finds a changed total, sum, item and payment', async () => {
      const found = await foundWhile(
        change(sql`update document set total = total + 0.01 where id = ${id('order')}`),
        change(
          sql`update document set items = jsonb_set(items, '{0,quantity}', '3') where id = ${id('proforma')}`,
        ),
        change(
          sql`update document set payments = jsonb_set(payments, '{0,amount}', '117') where id = ${id('receipt')}`,
        ),
        [
          'issuing',
          'document_sum',
          sql`update document_sum set net = net + 1 where type = 'donation_receipt'`,
        ],
      );
      const ofItem = ([, name]: Named) => name === 'proforma';
      expect(found.filter((finding) => !ofItem(finding))).toEqual([
        ['chain', 'order'],
        ['chain', 'order'],
        ['chain', 'receipt'],
        ['payments', 'invoice'],
        ['payments', 'receipt'],
        ['payments', 'receipt'],
        ['pdf', 'order'],
        ['sums', ofDates],
        ['sums', ofPayments],
        ['totals', 'order'],
      ]);
      expect(new Set(found.filter(ofItem).map((finding) => finding.join()))).toEqual(
        new Set(['chain,proforma', 'totals,proforma']),
      );
    });

    it('verify finds a changed sum of a customer and of debts', async () => {
      const found = await foundWhile(
        ['issuing', 'account_sum', sql`update account_sum set net = net + 1 where type = 'credit_note'`],
        [
          'issuing',
          'debt_sum',
          sql`update debt_sum set open_agorot = open_agorot + 1
            where business_id = ${issuer.business.id} and due_on = 'infinity' and open_agorot > 0`,
        ],
      );
      expect(found).toEqual([
        ['sums', ofCustomers],
        ['sums', ofDebts],
      ]);
    });

    it('verify finds a document that was closed by nothing, and one that was opened again', async () => {
      const standing = (name: string, status: string) =>
        change(sql`update document set status = ${status} where id = ${id(name)}`);
      expect(
        await foundWhile(
          standing('order', 'closed'),
          // What it was credited is less than its total.
          standing('third invoice', 'closed'),
          standing('invoice', 'open'),
          standing('donation', 'open'),
        ),
      ).toEqual([
        ['chain', 'donation'],
        ['chain', 'invoice'],
        ['chain', 'order'],
        ['chain', 'third invoice'],
        ['status', 'donation'],
        ['status', 'invoice'],
        ['status', 'order'],
        ['status', 'third invoice'],
      ]);
    });

    it('verify finds a changed byte of a PDF, a swapped PDF, a changed hash and a deleted revision', async () => {
      const found = await foundWhile(
        [
          'rendering',
          'artifact',
          sql`update artifact set pdf = set_byte(pdf, 1000, get_byte(pdf, 1000) # 1) where document_id = ${id('donation')}`,
        ],
        [
          'rendering',
          'artifact',
          sql`update artifact set pdf = other.pdf, sha256 = other.sha256, size_bytes = other.size_bytes
          from artifact as other
          where artifact.document_id = ${id('delivery_note')} and other.document_id = ${id('order')}`,
        ],
        [
          'rendering',
          'artifact',
          sql`update artifact set sha256 = sha256('x') where document_id = ${id('quote')}`,
        ],
        change(sql`update document set artifact_sha256 = repeat('ab', 32) where id = ${id('proforma')}`),
        [
          'rendering',
          'artifact',
          sql`delete from artifact where document_id = ${id('large invoice')} and revision = 2`,
        ],
      );
      const seenOnce = ['delivery_note', 'large invoice'];
      expect(found.filter(([, name]) => !seenOnce.includes(String(name)))).toEqual([
        ['chain', 'proforma'],
        ['pdf', 'donation'],
        ['pdf', 'donation'],
        ['pdf', 'proforma'],
        ['pdf', 'quote'],
        ['pdf', 'quote'],
      ]);
      // A swapped PDF differs in more than one place; the first revision is final as well where the number came late.
      expect(
        new Set(found.filter(([, name]) => seenOnce.includes(String(name))).map((finding) => finding.join())),
      ).toEqual(new Set(['pdf,delivery_note', 'pending_work,large invoice']));
    });

    it('verify finds an allocation number that was changed in issuing or in allocation', async () => {
      expect(
        await foundWhile(
          change(sql`update document set allocation_number = '987654321' where id = ${id('large invoice')}`),
        ),
      ).toEqual([
        ['allocation', 'large invoice'],
        ['allocation', 'large invoice'],
        ['chain', 'large invoice'],
        ['chain', 'large invoice'],
        ['chain', 'large invoice'],
        ['pdf', 'large invoice'],
      ]);
      expect(
        await foundWhile([
          'allocation',
          'allocation',
          sql`update allocation set number = '987654321', confirmation_number = '987654321'
          where document_id = ${id('large invoice')}`,
        ]),
      ).toEqual([['allocation', 'large invoice']]);
    });

    // One look: what may be in flight is looked for again five seconds later.
    it('verify finds a missing message, request for a number, cancelled revision and card, a card that lacks a detail, and a message that was sent twice', async () => {
      const cardOf = (name: string) => documents[name]?.customer.id;
      expect(
        await foundWhile(
          ['delivery', 'delivery', sql`delete from delivery where document_id = ${id('invoice')}`],
          [
            'allocation',
            'allocation',
            sql`delete from allocation where document_id = ${id('large invoice')}`,
          ],
          [
            'delivery',
            'delivery',
            sql`update delivery set state = 'waiting', sent_at = null where document_id = ${id('quote')}`,
          ],
          [
            'rendering',
            'artifact',
            sql`delete from artifact where document_id = ${id('cancelled quote')} and revision = 2`,
          ],
          ['customer', 'card', sql`delete from card where id = ${cardOf('order')}`],
          ['customer', 'card', sql`update card set email = null where id = ${cardOf('proforma')}`],
          [
            'delivery',
            'attempt',
            sql`insert into attempt
          select (jsonb_populate_record(attempt, '{"n": 99}')).* from attempt
          where delivery_id = (select id from delivery where document_id = ${id('donation')})`,
          ],
        ),
      ).toEqual([
        ['allocation', 'large invoice'],
        ['deliveries', 'donation'],
        ['pending_work', 'cancelled quote'],
        ['pending_work', 'invoice'],
        ['pending_work', 'large invoice'],
        ['pending_work', 'order'],
        ['pending_work', 'proforma'],
        ['pending_work', 'quote'],
      ]);
    });

    damagedChains(() => ({ stack, intruder, issuer }), { id, rehash, namesOf, ofDates });

    it(
      'verify reports no finding after everything is restored',
      async () => expect(named(await stack.verify())).toEqual([]),
      60_000,
    );
  });
}
