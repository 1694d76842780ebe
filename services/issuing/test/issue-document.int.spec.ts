import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  findDocumentByKey,
  findPublicDocument,
  fingerprint,
  getDocument,
  listMissingDocuments,
} from '@pinkas/contracts';
import { type Database, forTenant, kitTokens } from '@pinkas/service-kit';
import { eventually, scrape } from '@pinkas/testkit';
import { sql } from 'kysely';
import { findByKey } from '../src/document/document.repository.js';
import type { IssuingTables } from '../src/document/document.tables.js';
import { cash, gate, type IssuingUnderTest, invoiceBody, net, startIssuing, whileHeld } from './issuing.js';

describe('IssueDocument', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing();
  });
  afterAll(() => issuing.stop());

  const documentsOf = (key: string) =>
    issuing.database.db.selectFrom('document').select('id').where('idempotency_key', '=', key).execute();

  it('IssueDocument returns the first document when the key is repeated', async () => {
    const key = randomUUID();
    const first = await issuing.issue({}, key);
    const second = await issuing.issue({}, key);
    expect(first.replayed).toBe(false);
    expect(second).toEqual({ ...first, replayed: true });
    expect(await documentsOf(key)).toHaveLength(1);
  });

  it('the statement that issues is prepared', async () => {
    await issuing.issue();
    const db = issuing.service.app.get<Database<IssuingTables>>(kitTokens.database);
    // Each look may have another connection of the service.
    await eventually('a connection has the statement', async () => {
      const { rows } =
        await sql`select from pg_prepared_statements where statement like '%inserted, positioned'`.execute(
          forTenant(db, issuing.business.id),
        );
      return rows.length > 0;
    });
  });

  it('an idempotency key can be the name of a member that every object has', async () => {
    for (const key of ['constructor', '__proto__']) {
      expect((await issuing.issue({}, key)).replayed).toBe(false);
      expect((await issuing.issue({}, key)).replayed).toBe(true);
    }
  });

  it('no document is issued from a part of what the caller sent, and the key stays free', async () => {
    const key = randomUUID();
    // What a newer gateway sends: the fingerprint covers a member that this release has dropped.
    const newer = { body_sha256: fingerprint({ ...invoiceBody(), added: 1 }).toString('hex') };
    await expect(issuing.issue({}, key, newer)).rejects.toMatchObject({ code: 'engine_error' });
    expect(await documentsOf(key)).toHaveLength(0);
    const known = { body_sha256: fingerprint(invoiceBody()).toString('hex') };
    const { document } = await issuing.issue({}, key, known);
    expect(await issuing.issue({}, key, known)).toMatchObject({
      document: { id: document.id },
      replayed: true,
    });
    // A gateway that does not send it yet.
    expect(await issuing.issue({}, key)).toMatchObject({ document: { id: document.id }, replayed: true });
    await expect(issuing.issue({}, key, newer)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('a key is in progress while its document is rendered, for any body, and has its document then', async () => {
    const key = randomUUID();
    const { open, opened } = gate();
    let rendering = false;
    issuing.render = async () => {
      rendering = true;
      await opened;
    };
    const find = (business_id = issuing.business.id) =>
      issuing.network.call(findDocumentByKey, { business_id, idempotency_key: key });
    expect(await find()).toEqual({ found: null, in_progress: false });
    const first = issuing.issue({}, key);
    await eventually('the rendering has begun', () => rendering);
    expect(await find()).toEqual({ found: null, in_progress: true });
    await expect(issuing.issue({}, key)).rejects.toMatchObject({ code: 'request_in_progress' });
    await expect(issuing.issue({ title: 'אחר' }, key)).rejects.toMatchObject({ code: 'request_in_progress' });
    open();
    issuing.render = async () => {};
    const { document } = await first;
    expect((await issuing.issue({}, key)).document.id).toBe(document.id);
    const { found, in_progress } = await find();
    expect([found?.document.id, found?.state.status, in_progress]).toEqual([document.id, 'open', false]);
    expect((await find(randomUUID())).found).toBeNull();
    const { idempotency_key } = await issuing.network.call(getDocument, {
      ...{ business_id: issuing.business.id, document_id: document.id, detailed: true },
    });
    expect(idempotency_key).toBe(key);
  });

  it('a request is issued although an equal one looks for its document in another replica', async () => {
    const key = randomUUID();
    await whileHeld(
      issuing,
      (trx) => findByKey(trx, issuing.business.id, key),
      async (release) => {
        const issued = issuing.issue({}, key);
        await eventually('it waits', async () => {
          const { rows } = await sql`
            select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`.execute(
            issuing.database.db,
          );
          return rows.length > 0;
        });
        await release();
        expect((await issued).replayed).toBe(false);
      },
    );
  });

  it('a replay is not counted against the daily limit', async () => {
    const keyId = randomUUID();
    const limited = { issuer: { kind: 'key', id: keyId, daily_documents: 1 } } as const;
    const key = randomUUID();
    await issuing.issue({}, key, limited);
    expect((await issuing.issue({}, key, limited)).replayed).toBe(true);
    await expect(issuing.issue({}, randomUUID(), limited)).rejects.toMatchObject({
      code: 'daily_limit_reached',
    });
  });

  const counted = async (outcome: string, type = 'tax_invoice') =>
    (await scrape(issuing.service)).get(`pinkas_documents_total{type="${type}",outcome="${outcome}"}`) ?? 0;
  const transactions = async () =>
    (await scrape(issuing.service)).get('pinkas_issue_transaction_seconds_count') ?? 0;

  it('pinkas_documents_total counts requests by type and outcome', async () => {
    const outcomes = ['issued', 'replayed', 'total_mismatch', 'document_generation_failed'];
    const before = await Promise.all(outcomes.map((outcome) => counted(outcome)));
    const quotesBefore = await counted('issued', 'quote');
    const key = randomUUID();
    await issuing.issue({}, key);
    await issuing.issue({}, key);
    await issuing.issue({ type: 'quote' });
    await expect(issuing.issue({ expected_total: 1 })).rejects.toMatchObject({ code: 'total_mismatch' });
    issuing.render = () => Promise.reject(new Error('no paper'));
    await expect(issuing.issue()).rejects.toMatchObject({ code: 'document_generation_failed' });
    issuing.render = async () => {};
    expect(await Promise.all(outcomes.map((outcome) => counted(outcome)))).toEqual(
      before.map((count) => count + 1),
    );
    expect(await counted('issued', 'quote')).toBe(quotesBefore + 1);
  });

  it('pinkas_issue_transaction_seconds observes every transaction, also one that is rolled back', async () => {
    const before = await transactions();
    const key = randomUUID();
    await issuing.issue({}, key);
    expect(await transactions()).toBe(before + 1);
    // Neither a replay nor an earlier rejection begins a transaction.
    await issuing.issue({}, key);
    await expect(issuing.issue({ expected_total: 1 })).rejects.toThrow();
    expect(await transactions()).toBe(before + 1);
    issuing.render = () => Promise.reject(new Error('no paper'));
    await expect(issuing.issue()).rejects.toThrow();
    issuing.render = async () => {};
    expect(await transactions()).toBe(before + 2);
  });

  it('listMissingDocuments returns the ids that are in no book, whatever their businesses', async () => {
    const { document } = await issuing.issue();
    const key = { business_id: document.business_id, document_id: document.id };
    const documents = [key, { ...key, business_id: randomUUID() }, { ...key, document_id: randomUUID() }];
    const reply = await issuing.network.call(listMissingDocuments, { documents });
    expect(reply.document_ids).toEqual(documents.slice(1).map(({ document_id }) => document_id));
  });

  it('findPublicDocument returns the document with the business as it was at issue', async () => {
    const { document, state } = await issuing.issue();
    const found = await issuing.network.call(findPublicDocument, { public_id: document.public_id });
    expect(found).toEqual({
      document,
      state,
      business: issuing.business,
      artifact_sha256: 'ab'.repeat(32),
    });
  });

  it.each([
    ['tax_invoice', {}],
    ['tax_invoice_receipt', { payments: cash(118) }],
  ] as const)(
    'getDocument returns what was credited of a %s when it is asked for details',
    async (type, more) => {
      const { document } = await issuing.issue({ type, items: net(100), ...more });
      const key = { business_id: issuing.business.id, document_id: document.id };
      const stateOf = async (detailed?: boolean) =>
        (await issuing.network.call(getDocument, { ...key, ...(detailed && { detailed }) })).state;
      expect((await stateOf(true)).credited).toBe(0);
      await issuing.issue({ type: 'credit_note', based_on: document.id, items: net(10) });
      expect((await stateOf(true)).credited).toBe(11.8);
      expect(await stateOf()).not.toHaveProperty('credited');
    },
  );

  it('findPublicDocument returns what was credited of a tax invoice', async () => {
    const { document, state } = await issuing.issue({ type: 'tax_invoice' });
    const find = () => issuing.network.call(findPublicDocument, { public_id: document.public_id });
    expect((await find()).state).toEqual(state);
    const items = [{ description: 'זיכוי לדוגמה', quantity: 1, unit_price: 10 }];
    await issuing.issue({ type: 'credit_note', based_on: document.id, items });
    expect((await find()).state).toMatchObject({ status: 'open', credited: 11.8 });
  });

  it('a public id has 128 random bits', async () => {
    const { document } = await issuing.issue();
    expect(Buffer.from(document.public_id, 'base64url')).toHaveLength(16);
    await expect(issuing.network.call(findPublicDocument, { public_id: document.id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
