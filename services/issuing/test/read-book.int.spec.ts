import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditSeries,
  type BookEntry,
  type BookPosition,
  cancelDocument,
  clearTestDocuments,
  getBookEnd,
  getDocument,
  readBook,
  recordExport,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { clearTestBook, createLogger, type Database, kitTokens, openDatabase } from '@pinkas/service-kit';
import { eventually, exampleBusiness, readTrail } from '@pinkas/testkit';
import { sql } from 'kysely';
import { readEntries } from '../src/book/book.repository.js';
import type { IssuingTables } from '../src/document/document.tables.js';
import { testBook } from '../src/test-mode/clear-test-documents.js';
import { cash, type IssuingUnderTest, net, numberedCustomer, startIssuing } from './issuing.js';

describe('readBook', () => {
  let issuing: IssuingUnderTest;
  const ids: Record<string, string> = {};
  const read = (after: BookPosition | null = null, limit = 100, business_id = issuing.business.id) =>
    issuing.network.call(readBook, { business_id, after, limit });
  /** All pages, each of at most `size` entries. */
  const readAll = async (size: number): Promise<BookEntry[]> => {
    const found: BookEntry[] = [];
    let after: BookPosition | null = null;
    do {
      const page: Awaited<ReturnType<typeof read>> = await read(after, size);
      expect(page.entries.length).toBeLessThanOrEqual(size);
      found.push(...page.entries);
      after = page.next_after;
    } while (after !== null);
    return found;
  };
  const entryOf = async (id: string | undefined): Promise<BookEntry> => {
    const { entries } = await read();
    const found = entries.find((entry) => entry.document.id === id);
    if (!found) {
      throw new Error('the document is not in the book');
    }
    return found;
  };

  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0 });
    const issue = async (name: string, ...args: Parameters<IssuingUnderTest['issue']>) => {
      ids[name] = (await issuing.issue(...args)).document.id;
    };
    await issue('quote', { type: 'quote' });
    await issue('invoice', { type: 'tax_invoice', based_on: ids.quote as string });
    await issue('first receipt', {
      type: 'receipt',
      based_on: ids.invoice as string,
      items: net(50),
      payments: cash(59),
    });
    await issue('second receipt', {
      type: 'receipt',
      based_on: ids.invoice as string,
      items: net(10),
      payments: [...cash(11), ...cash(0.8)],
    });
    await issue('order', { type: 'order' });
    await issue('credited invoice', { type: 'tax_invoice', items: net(100) });
    for (const name of ['first credit note', 'second credit note']) {
      await issue(name, {
        type: 'credit_note',
        based_on: ids['credited invoice'] as string,
        items: net(25.5),
      });
    }
    await issuing.network.call(cancelDocument, {
      business_id: issuing.business.id,
      document_id: ids.order as string,
      reason: null,
    });
    issuing.allocation = { status: 'issued', number: '123456789', reason: null };
    await issue('large invoice', { customer: numberedCustomer, items: net(6000) });
    await eventually('the number is in the book', async () => {
      return (await entryOf(ids['large invoice'])).state.allocation_number !== null;
    });
    // A row of another book between those of this one.
    await issuing.issue({}, undefined, { business: exampleBusiness() });
  });
  afterAll(() => issuing?.stop());

  it('readBook returns the complete book in the order of the numbers, for every page size', async () => {
    const { entries, next_after } = await read();
    expect(next_after).toBeNull();
    expect(entries.map(({ document }) => [document.type, document.number])).toEqual([
      ['credit_note', 1],
      ['credit_note', 2],
      ['order', 1],
      ['quote', 1],
      ['receipt', 1],
      ['receipt', 2],
      ['tax_invoice', 1],
      ['tax_invoice', 2],
      ['tax_invoice', 3],
    ]);
    for (const size of [1, 2, 5, 9]) {
      expect(await readAll(size)).toEqual(entries);
    }
  });

  it('readBook returns the same document and state as getDocument, and the hash of the PDF', async () => {
    const business_id = issuing.business.id;
    for (const { document, state, allocation, artifact_sha256 } of (await read()).entries) {
      const { issuer, idempotency_key, ...view } = await issuing.network.call(getDocument, {
        business_id,
        document_id: document.id,
        detailed: true,
      });
      expect(issuer).toMatchObject({ kind: 'key' });
      expect(idempotency_key).toEqual(expect.any(String));
      expect({ document, state, allocation }).toEqual(view);
      expect(artifact_sha256).toBe('ab'.repeat(32));
    }
    expect((await entryOf(ids.order)).state).toMatchObject({
      status: 'cancelled',
      cancelled_at: expect.any(String),
    });
  });

  it('readBook returns the hash of a document in its chain, and its position in its series', async () => {
    const business = exampleBusiness({ first_numbers: { quote: 100 } });
    for (const type of ['quote', 'order', 'quote'] as const) {
      await issuing.issue({ type }, undefined, { business });
    }
    const { entries } = await read(null, 100, business.id);
    const found = entries.map(({ document, hash, series_position }) => [
      document.number,
      hash,
      series_position,
    ]);
    const hashes = async (type: 'order' | 'quote') =>
      (
        await issuing.network.call(auditSeries, { business_id: business.id, type, after: null, limit: 10 })
      ).documents.map(({ hash }) => hash);
    const [order, quotes] = [await hashes('order'), await hashes('quote')];
    expect(found).toEqual([
      [1, order[0], 1],
      [100, quotes[0], 1],
      [101, quotes[1], 2],
    ]);
  });

  it('readBook returns the source of a document and the sum of its receipts', async () => {
    expect(await entryOf(ids.invoice)).toMatchObject({
      source: { id: ids.quote, type: 'quote', number: 1, date: '2026-06-15' },
      received: 70.8,
      state: { paid: 70.8 },
    });
    expect(await entryOf(ids['first receipt'])).toMatchObject({
      source: { id: ids.invoice, type: 'tax_invoice', number: 1 },
      received: 0,
    });
    expect(await entryOf(ids.quote)).toMatchObject({ source: null, received: 0 });
  });

  it('readBook returns the documents of a range of dates, both ends included', async () => {
    const business = exampleBusiness();
    for (const date of ['2026-06-01', '2026-06-02', '2026-06-02', '2026-06-03']) {
      await issuing.issue({ date }, undefined, { business });
    }
    const datesOf = async (from?: string, to?: string) => {
      const { entries } = await issuing.network.call(readBook, {
        business_id: business.id,
        after: null,
        limit: 100,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      });
      return entries.map(({ document }) => document.date);
    };
    expect(await datesOf('2026-06-02', '2026-06-02')).toEqual(['2026-06-02', '2026-06-02']);
    expect(await datesOf('2026-06-03')).toEqual(['2026-06-03']);
    expect(await datesOf(undefined, '2026-06-01')).toEqual(['2026-06-01']);
  });

  it('readBook returns the documents up to a position of the book, and getBookEnd where that is', async () => {
    const business = exampleBusiness();
    const endOf = (after: number | null) =>
      issuing.network.call(getBookEnd, { business_id: business.id, after });
    expect(await endOf(0)).toEqual({ position: 0, next_issued_at: null });
    for (const type of ['quote', 'order', 'quote', 'order', 'quote'] as const) {
      await issuing.issue({ type }, undefined, { business });
    }
    const readUntil = async (until: number, from?: string) => {
      const request = { business_id: business.id, after: null, limit: 100, until };
      const { entries } = await issuing.network.call(readBook, { ...request, ...(from && { from }) });
      return entries.map(({ document: { type, number } }) => `${type} ${number}`);
    };
    expect(await readUntil(3)).toEqual(['order 1', 'quote 1', 'quote 2']);
    expect(await readUntil(4, '2026-06-15')).toEqual(['order 1', 'order 2', 'quote 1', 'quote 2']);
    expect(await readUntil(1, '2026-06-15')).toEqual(['quote 1']);
    expect(await readUntil(0)).toEqual([]);
    expect(await endOf(null)).toEqual({ position: 5, next_issued_at: null });
    expect(await endOf(4)).toEqual({
      position: 5,
      next_issued_at: (
        await issuing.network.call(readBook, { business_id: business.id, after: null, limit: 100 })
      ).entries.find(({ document }) => document.type === 'quote' && document.number === 3)?.document
        .issued_at,
    });
  });

  it('a page of a range of dates reads hardly more rows than it returns', async () => {
    const business_id = randomUUID();
    const types = ['order', 'receipt', 'tax_invoice'];
    // The first 400 documents of each type are before the range, and 20 are in it.
    await sql`
      with copied as (
        insert into document
        select (jsonb_populate_record(document, jsonb_build_object('business_id', ${business_id}::text, 'type', kind, 'number', n,
          'id', gen_random_uuid(), 'public_id', gen_random_uuid(), 'idempotency_key', kind || n, 'source_id', null,
          'position', 1000 * place + n, 'dated_on', case when n > 400 then '2026-06-15' else '2026-01-01' end))).*
        from document, unnest(${types}::text[]) with ordinality as kinds (kind, place), generate_series(1, 420) as n
        where id = ${ids.order})
      insert into series (business_id, type, first_number, next_number)
      select ${business_id}, kind, 1, 421 from unnest(${types}::text[]) as kind`.execute(issuing.database.db);
    const dated = { business_id, from: '2026-06-01', to: '2026-06-30', until: 3415 };
    const { fetched, seen } = await issuing.database.db.transaction().execute(async (transaction) => {
      const pages: BookEntry[] = [];
      let after: BookPosition | null = null;
      for (let entries = await readEntries(transaction, { ...dated, after }, 9); entries.length > 0; ) {
        pages.push(...entries);
        const { type, number, id } = (entries.at(-1) as BookEntry).document;
        after = { type, number, id };
        entries = await readEntries(transaction, { ...dated, after }, 9);
      }
      const { rows } = await sql<{ fetched: string }>`
          select seq_tup_read + idx_tup_fetch as fetched from pg_stat_xact_user_tables where relname = 'document'`.execute(
        transaction,
      );
      return { fetched: Number(rows[0]?.fetched), seen: pages };
    });
    expect(seen.map(({ document }) => [document.type, document.number])).toEqual(
      types.flatMap((type, place) =>
        Array.from({ length: place === 2 ? 15 : 20 }, (_, index) => [type, 401 + index]),
      ),
    );
    // Three ends of each of three series for each of eight pages, and the documents.
    expect(fetched).toBeLessThan(200);
  });

  it('readBook returns whether a delivery note was issued without prices', async () => {
    expect(await entryOf(ids.order)).not.toHaveProperty('without_prices');
    const business = { ...issuing.business, delivery_notes_without_prices: true };
    const note = await issuing.issue({ type: 'delivery_note', items: net(100) }, undefined, { business });
    expect(await entryOf(note.document.id)).toMatchObject({ without_prices: true });
    const order = await issuing.issue({ type: 'order', items: net(100) }, undefined, { business });
    expect(await entryOf(order.document.id)).not.toHaveProperty('without_prices');
  });

  it('readBook returns whether a document was invoiced and what was credited of it', async () => {
    expect(await entryOf(ids.quote)).toMatchObject({ invoiced: true, credited: null });
    expect(await entryOf(ids['credited invoice'])).toMatchObject({ invoiced: false, credited: 60.18 });
    expect(await entryOf(ids.order)).toMatchObject({ invoiced: false, credited: null });
  });

  it('readBook returns recorded outcomes, and null where no allocation is recorded', async () => {
    await eventually('both are recorded', async () => {
      const { allocation, delivery } = await entryOf(ids['large invoice']);
      return allocation?.status === 'issued' && delivery.status === 'queued';
    });
    await issuing.database.db
      .updateTable('document')
      .set({ allocation: null })
      .where('id', '=', ids.quote as string)
      .execute();
    expect(await entryOf(ids.quote)).toMatchObject({
      allocation: null,
      delivery: { status: 'no_recipient' },
    });
  });

  it('a page of the largest documents fits into one message', async () => {
    const business = exampleBusiness();
    const items = Array.from({ length: 100 }, (_, index) => ({
      description: 'ש'.repeat(200),
      quantity: 1,
      unit_price: index + 1,
      sku: 'x'.repeat(64),
    }));
    await Promise.all(Array.from({ length: 15 }, () => issuing.issue({ items }, undefined, { business })));
    const seen: number[] = [];
    let after: BookPosition | null = null;
    let pages = 0;
    do {
      const page: Awaited<ReturnType<typeof read>> = await read(after, 100, business.id);
      seen.push(...page.entries.map(({ document }) => document.number));
      after = page.next_after;
      pages += 1;
    } while (after !== null);
    expect(seen).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    expect(pages).toBeGreaterThan(1);
  });

  it('readBook returns no document of another business', async () => {
    expect(await read(null, 100, exampleBusiness().id)).toEqual({ entries: [], next_after: null });
    for (const { document } of (await read()).entries) {
      expect(document.business_id).toBe(issuing.business.id);
    }
  });

  it('readBook returns both documents of a duplicate number, also across a page boundary', async () => {
    const owner = openDatabase<IssuingTables>({
      url: issuing.database.ownerUrl,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    try {
      await sql`alter table document drop constraint document_number_key`.execute(owner);
    } finally {
      await owner.destroy();
    }
    const other = { id: randomUUID(), public_id: randomUUID(), idempotency_key: randomUUID(), position: 99 };
    await sql`insert into document
      select (jsonb_populate_record(document, ${JSON.stringify(other)}::jsonb)).* from document
      where id = ${ids['first receipt']}`.execute(issuing.database.db);
    const ofNumber = (entries: readonly BookEntry[]) =>
      entries.filter(({ document }) => document.type === 'receipt' && document.number === 1);
    expect(ofNumber(await readAll(100))).toHaveLength(2);
    expect(ofNumber(await readAll(1))).toHaveLength(2);
  });

  it('recordExport leaves an entry in the trail', async () => {
    const business_id = randomUUID();
    const range = { from: '2026-01-01', to: '2026-12-31' };
    await issuing.network.call(recordExport, { business_id, format: 'uniform', ...range });
    expect(await readTrail(issuing.database, business_id)).toEqual([
      {
        action: 'book.export',
        actor: 'operator',
        subject: business_id,
        before: null,
        after: { format: 'uniform', ...range },
      },
    ]);
    const person_id = randomUUID();
    await issuing.network.call(recordExport, { business_id, format: 'csv', ...range, person_id });
    expect((await readTrail(issuing.database, business_id))[1]).toMatchObject({
      actor: `person:${person_id}`,
      after: { format: 'csv', ...range },
    });
  });

  it('a test book is emptied and begins with 1 again, and a live book is refused', async () => {
    const business = { ...issuing.business, id: testBookOf(issuing.business.id) };
    const clear = (business_id: string) => issuing.network.call(clearTestDocuments, { business_id });
    const issueTest = (key: string, change = {}) =>
      issuing.issue({ type: 'quote', ...change }, key, { business });
    const first = await issueTest('first');
    await issueTest('second', { type: 'order', based_on: first.document.id });
    await issueTest('third', { type: 'tax_invoice' });
    const before = await read();
    await expect(clear(issuing.business.id)).rejects.toThrow();
    // Three documents, their sums and series, the sum and the three debts of a customer, and the count of the day.
    expect(await clear(business.id)).toEqual({ deleted: 14, more: false });
    expect((await read(null, 100, business.id)).entries).toEqual([]);
    expect(await read()).toEqual(before);
    expect((await issueTest('first')).document.number).toBe(1);
  });

  it('a large test book is cleared in parts, what is issued between them continues the numbers, and then they begin with 1', async () => {
    const business = exampleBusiness({ id: testBookOf(randomUUID()) });
    const { db } = issuing.database;
    const { document } = await issuing.issue({ type: 'order' }, undefined, { business });
    const count = 3_000;
    await sql`
      insert into series (business_id, type, first_number, next_number, last_date, last_issued_at, last_hash)
      select business_id, 'quote', 1, ${count + 1}, last_date, last_issued_at, last_hash from series
      where business_id = ${business.id}`.execute(db);
    // Each refers to the one before it.
    for (let first = 1; first <= count; first += 500) {
      await sql`
        insert into document select (jsonb_populate_record(document, jsonb_build_object('id', md5(n::text)::uuid,
          'public_id', 'copy ' || n, 'type', 'quote', 'number', n, 'position', n + 1, 'idempotency_key', 'copy ' || n,
          'source_id', case n when 1 then ${document.id} else md5((n - 1)::text)::uuid::text end))).*
        from document, generate_series(${first}::integer, ${first + 499}::integer) as n
        where document.id = ${document.id}`.execute(db);
    }
    await db
      .updateTable('book')
      .set({ last_position: count + 1 })
      .where('business_id', '=', business.id)
      .execute();
    const own = issuing.service.app.get<Database<IssuingTables>>(kitTokens.database);
    const clear = () => clearTestBook(own, business.id, testBook, { rows: 700, timeMs: 0 });
    const left = async () =>
      (await db.selectFrom('document').select('number').where('business_id', '=', business.id).execute())
        .length;
    const issueQuote = async () =>
      (await issuing.issue({ type: 'quote' }, undefined, { business })).document.number;

    expect([await clear(), await left()]).toEqual([{ deleted: 700, more: true }, count + 1 - 700]);
    expect(await issueQuote()).toBe(count + 1);
    const parts = [];
    do {
      parts.push(await clear());
    } while (parts.at(-1)?.more);
    // The documents, two sums and series, and the count of the day.
    expect(parts.reduce((sum, { deleted }) => sum + deleted, 700)).toBe(count + 2 + 5);
    expect(parts.every(({ deleted }) => deleted <= 700)).toBe(true);
    expect([await left(), await clear()]).toEqual([0, { deleted: 0, more: false }]);
    expect(await issueQuote()).toBe(1);
    const trail = await readTrail(issuing.database, business.id);
    expect(trail.filter(({ action }) => action === 'test_book.clear')).toHaveLength(1 + parts.length);
  });

  it('documents that are issued while their test book is cleared leave no gap', async () => {
    const business = exampleBusiness({ id: testBookOf(randomUUID()) });
    const own = issuing.service.app.get<Database<IssuingTables>>(kitTokens.database);
    const issue = () => issuing.issue({ type: 'quote' }, undefined, { business });
    // Where the two wait for each other, one is ended, and callers repeat what is retryable.
    const issueQuote = () =>
      issue().catch((error: { code?: string }) => {
        if (error.code !== 'engine_error') {
          throw error;
        }
        return issue();
      });
    for (let round = 0; round < 5; round += 1) {
      const issued = Array.from({ length: 8 }, issueQuote);
      await issued[0];
      for (let more = true; more; ) {
        ({ more } = await clearTestBook(own, business.id, testBook, { rows: 2, timeMs: 0 }));
      }
      await Promise.all(issued);
    }
    while ((await clearTestBook(own, business.id, testBook)).deleted > 0) {}
    const numbers = await Promise.all(Array.from({ length: 3 }, issueQuote));
    expect(numbers.map(({ document }) => document.number).sort()).toEqual([1, 2, 3]);
  });
});
