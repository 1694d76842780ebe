import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type {
  ApiEvent,
  ApiKey,
  CreateDocument,
  CreatedDocument,
  CustomerList,
  DocumentPage,
  ErrorBody,
  listTestRequests,
  Profile,
  ReplyOf,
  TestMessage,
} from '@pinkas/contracts';
import { demoCustomer, eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { expectNothingPending } from '../../harness/pending.js';
import { type Issuer, invoice, type RunningStack, sendsMail } from '../../harness/running-stack.js';
import { repositoryRoot } from '../../harness/sources.js';
import { types } from '../../properties/book-model.js';

const run = promisify(execFile);

interface TestMessages {
  messages: TestMessage[];
  allocation_requests: ReplyOf<typeof listTestRequests>['requests'];
}

/** The documents that one key has issued. */
interface Book {
  key: string;
  customer: string;
  documents: CreatedDocument[];
}

/** Where a live book has rows that nothing deletes. */
const keptTables = {
  issuing: [
    'document',
    'document_sum',
    'payment_sum',
    'account_sum',
    'debt_sum',
    'series',
    'book',
    'daily_count',
  ],
  customer: ['card'],
  rendering: ['artifact'],
  allocation: ['allocation'],
  delivery: ['document', 'delivery', 'attempt'],
} as const;

const payments = [{ method: 'cash' as const, amount: 7080 }];

export function testMode(system: () => RunningStack): void {
  describe('test mode', () => {
    let stack: RunningStack;
    let business: Issuer['business'];
    let live: Book;
    let test: Book;

    const testKey = () =>
      stack.pinkas<ApiKey & { key: string }>(
        ...['key', 'create', '--business', business.id, '--mode', 'test'],
        ...['--per-minute', '100000', '--daily', '100000'],
      );
    const get = <Body>(book: Book, path: string) => stack.call<Body & ErrorBody>(book.key, 'GET', path);
    /** Issues a document of every type, above the threshold of the tax authority. */
    async function fill(book: Book): Promise<void> {
      for (const type of types) {
        const source = book.documents.find((document) => document.type === 'tax_invoice');
        const { status, body } = await stack.issue(
          book.key,
          {
            type,
            customer: { ...demoCustomer, name: book.customer },
            items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 6000 }],
            ...(['tax_invoice_receipt', 'receipt', 'donation_receipt'].includes(type) ? { payments } : {}),
            ...(type === 'credit_note' && source ? { based_on: source.id } : {}),
          },
          type,
        );
        expect([type, status]).toEqual([type, 201]);
        book.documents.push(body);
      }
    }
    const messages = () => stack.pinkas<TestMessages>('test', 'messages', '--business', business.id);

    beforeAll(async () => {
      stack = system();
      const issuer = await stack.newIssuer({
        ...sendsMail,
        tax_authority_connected: true,
        first_numbers: { quote: 500 },
      });
      business = issuer.business;
      live = { key: issuer.key, customer: 'Example live customer', documents: [] };
      const { key, mode, prefix } = await testKey();
      expect([mode, prefix.slice(0, 8)]).toEqual(['test', 'pk_test_']);
      test = { key, customer: 'Example test customer', documents: [] };
      await fill(live);
      await fill(test);
    });

    it('a key says which book of the business it leads to, and each book has its own limits and numbers', async () => {
      for (const [book, mode] of [
        [live, 'live'],
        [test, 'test'],
      ] as const) {
        const { body } = await get<Profile>(book, '/me');
        expect(body).toMatchObject({
          mode,
          business: { id: business.id, name: business.name },
          limits: { used_today: types.length },
        });
        const [first] = book.documents;
        expect([first?.type, first?.number]).toEqual(['quote', mode === 'live' ? 500 : 1]);
      }
    });

    it.each([
      ['live', 'test'],
      ['test', 'live'],
    ])('a key of the %s book sees nothing of the %s book, by any id on any route', async (from) => {
      const [mine, theirs] = from === 'test' ? [test, live] : [live, test];
      for (const document of theirs.documents) {
        for (const [method, path] of [
          ['GET', `/documents/${document.id}`],
          ['POST', `/documents/${document.id}/cancel`],
        ] as const) {
          const { status, body } = await stack.call<ErrorBody>(mine.key, method, path);
          expect([path, status, body.error.code]).toEqual([path, 404, 'not_found']);
        }
        const based: CreateDocument = { ...invoice(1), based_on: document.id };
        expect((await stack.issue(mine.key, based)).body.error.code).toBe('based_on_not_found');
      }
      const [first] = theirs.documents;
      const card: CreateDocument = { ...invoice(1), customer: { id: first?.customer.id ?? '' } };
      expect((await stack.issue(mine.key, card)).body.error.code).toBe('customer_not_found');

      const page = await get<DocumentPage>(mine, '/documents?include_cancelled=true&limit=100');
      expect(page.body.data.map(({ id }) => id).sort()).toEqual(mine.documents.map(({ id }) => id).sort());
      const customers = await get<CustomerList>(mine, '/customers');
      expect(customers.body.data.map(({ name }) => name)).toEqual([mine.customer]);
      const { next_cursor: cursor } = (await get<DocumentPage>(theirs, '/documents?limit=1')).body;
      expect((await get<DocumentPage>(mine, `/documents?cursor=${cursor}`)).body.error.code).toBe(
        'validation_error',
      );
    });

    it('a test document states it in both languages on its PDF and page, and no certificate of a live one signs it', async () => {
      const certificates: string[] = [];
      for (const [book, isTest] of [
        [live, false],
        [test, true],
      ] as const) {
        const [document] = book.documents;
        const html = await (await fetch(`${document?.view_url}?lang=en`)).text();
        for (const words of ['Test document:', 'מסמך בדיקה:']) {
          expect([words, html.includes(words)]).toEqual([words, isTest]);
        }
        certificates.push(
          /certificate, SHA-256<\/dt><dd><code dir="ltr">([0-9a-f]{64})/.exec(html)?.[1] ?? '',
        );
        const file = join(stack.home, `${document?.id}.pdf`);
        await writeFile(file, Buffer.from(await (await fetch(document?.pdf_url ?? '')).arrayBuffer()));
        const { stdout: text } = await run('pdftotext', [file, '-']);
        expect(text.includes('Test document:')).toBe(isTest);
        const { stdout: signature } = await run('pdfsig', ['-nocert', file]);
        expect(signature.includes('Pinkas test documents')).toBe(isTest);
      }
      expect(certificates[0]).toMatch(/^[0-9a-f]{64}$/);
      expect(certificates[1]).toMatch(/^[0-9a-f]{64}$/);
      expect(certificates[0]).not.toBe(certificates[1]);
    });

    it('no number and no message of a test book leaves the system, and the operator sees both', async () => {
      await expectNothingPending(stack);
      const needed = test.documents.filter(({ allocation_number }) => allocation_number !== null);
      expect(needed.map(({ type }) => type).sort()).toEqual([
        'credit_note',
        'tax_invoice',
        'tax_invoice_receipt',
      ]);
      const asked = JSON.stringify(await stack.calls('tax_authority'));
      for (const book of [live, test]) {
        for (const { id, type, allocation } of book.documents) {
          const isAsked = book === live && allocation.status === 'issued';
          expect([type, asked.includes(id)]).toEqual([type, isAsked]);
        }
      }
      const { messages: kept, allocation_requests: requests } = await messages();
      expect(requests.map(({ document_id }) => document_id).sort()).toEqual(
        needed.map(({ id }) => id).sort(),
      );
      expect(kept.map(({ document_id }) => document_id).sort()).toEqual(
        test.documents.map(({ id }) => id).sort(),
      );
      expect(kept.map(({ channel, recipient }) => [channel, recipient])).toEqual(
        test.documents.map(() => ['email', demoCustomer.email]),
      );
      // The mailbox of the local stack shows them beside the live ones, and says what they are.
      const [sample] = kept;
      const mails = await stack.mailsTo(demoCustomer.email ?? '');
      expect(mails.map(({ subject }) => subject)).toContain(`[TEST · בדיקה] ${sample?.subject}`);
    });

    it('the books are verified apart, and an export of the live one has no test document', async () => {
      for (const [book, mode] of [
        [live, 'live'],
        [test, 'test'],
      ] as const) {
        const found = await stack.pinkas<{ ok: boolean; businesses: { documents: number }[] }>(
          ...['verify', '--business', business.id, '--mode', mode],
        );
        expect([mode, found.ok, found.businesses.map(({ documents }) => documents)]).toEqual([
          mode,
          true,
          [book.documents.length],
        ]);
      }
      const out = join(stack.home, 'live.jsonl');
      const { date = '' } = live.documents[0] ?? {};
      await stack.pinkas(
        ...['export', 'documents', '--business', business.id, '--from', date, '--to', date],
        ...['--format', 'jsonl', '--out', out],
      );
      const exported = (await run('find', [out, '-type', 'f', '-name', '*.jsonl'])).stdout.trim().split('\n');
      const text = (await Promise.all(exported.map((file) => readFile(file, 'utf8')))).join('');
      expect(live.documents.filter(({ id }) => !text.includes(id))).toEqual([]);
      expect(test.documents.filter(({ id }) => text.includes(id))).toEqual([]);
    });

    it('the items that provoke an outcome in a test book are ordinary in a live one', async () => {
      const skus = ['test_engine_error', 'test_document_generation_failed', 'test_delivery_send_failed'];
      const [item] = invoice(100).items;
      const items = skus.map((sku) => ({ description: 'שירות לדוגמה', quantity: 1, ...item, sku }));
      const { status, body } = await stack.issue(live.key, {
        ...invoice(100),
        customer: { name: live.customer, email: demoCustomer.email ?? '' },
        items: items as CreateDocument['items'],
      });
      expect([status, body.delivery.status]).toEqual([201, 'queued']);
      live.documents.push(body);
    });

    it('items provoke the events of a connection to the tax authority that ends', async () => {
      await get(test, '/events'); // Events begin with the first call.
      const [item] = invoice(100).items;
      for (const sku of ['test_authority_expiring', 'test_authority_disconnected']) {
        const items = [{ ...item, sku }] as CreateDocument['items'];
        const customer = { name: test.customer };
        const { status } = await stack.issue(test.key, { ...invoice(100), customer, items });
        expect([sku, status]).toEqual([sku, 201]);
      }
      const { data } = await eventually('both events are listed', async () => {
        const { body } = await get<{ data: ApiEvent[] }>(
          test,
          '/events?type=authority.expiring&type=authority.disconnected',
        );
        return body.data.length === 2 && body;
      });
      expect(data.map(({ type, data: { connection } }) => [type, connection?.valid_until])).toEqual([
        ['authority.expiring', expect.stringMatching(/^\d{4}-/)],
        ['authority.disconnected', null],
      ]);
    });

    it('a test book can be emptied, begins with 1 again, and the live book is as before', async () => {
      await stack.pinkas('test', 'clear', '--business', business.id);
      expect((await get<DocumentPage>(test, '/documents')).body.data).toEqual([]);
      expect((await get<CustomerList>(test, '/customers')).body.data).toEqual([]);
      expect(await messages()).toEqual({ messages: [], allocation_requests: [] });
      for (const { view_url, pdf_url } of test.documents) {
        expect([(await fetch(view_url)).status, (await fetch(pdf_url)).status]).toEqual([404, 404]);
      }
      const again = await stack.issue(test.key, invoice(6000), 'tax_invoice');
      expect([again.status, again.body.number, again.headers['idempotent-replayed']]).toEqual([
        201,
        1,
        undefined,
      ]);
      const { body } = await get<DocumentPage>(live, '/documents?include_cancelled=true&limit=100');
      expect(body.data).toHaveLength(live.documents.length);
      expect((await stack.verify({ business })).ok).toBe(true);
      // The chains of what may be emptied are not among the signed ones.
      await stack.pinkas('audit', 'heads');
      expect(await stack.pinkas('audit', 'verify')).toMatchObject({ ok: true });
    });

    it.each(Object.keys(keptTables) as (keyof typeof keptTables)[])(
      'neither the service nor the owner of the tables of %s can delete a row of a live book',
      async (service) => {
        const { rolePasswords } = JSON.parse(await readFile(join(stack.home, 'secrets.json'), 'utf8')) as {
          rolePasswords: Record<string, string>;
        };
        for (const role of [`pinkas_${service}`, `pinkas_${service}_owner`]) {
          const url = new URL((await stack.file()).postgres[service]);
          url.username = role;
          url.password = rolePasswords[role] ?? '';
          const db = stack.databaseAt<unknown>(url.href);
          try {
            for (const table of keptTables[service]) {
              const deleting =
                sql`delete from ${sql.table(table)} where business_id = ${business.id}`.execute(db);
              await expect(deleting).rejects.toThrow(/cannot be deleted|never (?:emptied|deleted)/);
            }
          } finally {
            await db.destroy();
          }
        }
      },
    );

    it('the example of the client provokes every outcome', async () => {
      const { stdout } = await run(
        process.execPath,
        [join(repositoryRoot, 'packages/client/examples/test-integration.mjs')],
        {
          env: {
            PATH: process.env.PATH,
            PINKAS_BASE_URL: (await stack.file()).base_url,
            PINKAS_TEST_KEY: test.key,
          },
          timeout: 90_000,
        },
      );
      expect(stdout.match(/^ok {3}/gm)).toHaveLength(21);
      expect(stdout).not.toContain('FAIL');
    });
  });
}
