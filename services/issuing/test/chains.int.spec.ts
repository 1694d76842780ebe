import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditSeries,
  cancelDocument,
  checkDocument,
  listSeriesHeads,
  type ReplyOf,
  readSeries,
  type SignedEnd,
} from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { readTrail } from '@pinkas/testkit';
import pg from 'pg';
import { cash, type IssuingUnderTest, net, startIssuing } from './issuing.js';

type Page = ReplyOf<typeof auditSeries>;

describe('the chains of issuing', () => {
  let issuing: IssuingUnderTest;
  /** The role that owns the tables: it switches off what rejects a change, and sees every business. */
  let owner: pg.Client;
  /** The numbers and ids of the invoices. */
  let invoices: { id: string; number: number }[];
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0 });
    owner = new pg.Client({
      connectionString: issuing.database.ownerUrl,
      options: '-c pinkas.business_id=*',
    });
    await owner.connect();
    await owner.query('alter table document drop constraint document_source_fkey');
    const issued = [];
    const invoice = {
      external_ref: 'A-1',
      title: 'כותרת',
      notes: 'הערה 😀',
      due_date: '2026-07-01',
      discount: { type: 'percent', value: 12.5 },
      items: [{ description: 'שירות', quantity: 0.3333, unit_price: 1234.56, sku: 'S-1' }],
      prices_include_vat: true,
    } as const;
    const quote = await issuing.issue({ type: 'quote' });
    issued.push(await issuing.issue({ ...invoice, based_on: quote.document.id, items: [...invoice.items] }));
    issued.push(await issuing.issue({ items: net(100) }));
    issued.push(await issuing.issue({ items: net(200) }));
    invoices = issued.map(({ document: { id, number } }) => ({ id, number }));
    await issuing.issue({
      type: 'receipt',
      based_on: invoices[1]?.id ?? '',
      items: net(100),
      payments: cash(118),
    });
  });
  afterAll(async () => {
    await owner?.end();
    await issuing?.stop();
  });

  const audit = async (type: DocumentType = 'tax_invoice', limit = 200): Promise<Page> => {
    const pages: Page[] = [];
    for (let after: Page['next_after'] = null; ; ) {
      const page: Page = await issuing.network.call(auditSeries, {
        business_id: issuing.business.id,
        type,
        after,
        limit,
      });
      pages.push(page);
      after = page.next_after;
      if (after === null) {
        const head = pages[0]?.head ?? null;
        return {
          documents: pages.flatMap(({ documents }) => documents),
          wrong_sums: [],
          head,
          next_after: null,
        };
      }
    }
  };
  /** The numbers of the documents with findings. */
  const found = async (): Promise<number[]> =>
    (await audit()).documents.filter(({ findings }) => findings.length > 0).map(({ number }) => number);
  /** Carries out statements as the owner, looks, and puts the tables back to what they were. */
  const whileDamaged = async (statements: string[], look: () => Promise<void>) => {
    const tables = ['series', 'document', 'daily_count', 'audit_entry', 'audit_chain'];
    const each = (text: (table: string) => string) => tables.map((table) => text(table)).join(';');
    await owner.query(each((table) => `create table kept_${table} as table ${table}`));
    await owner.query(each((table) => `alter table ${table} disable trigger user`));
    try {
      for (const statement of statements) {
        await owner.query(statement);
      }
      await look();
    } finally {
      await owner.query(each((table) => `alter table ${table} disable trigger user`));
      await owner.query(each((table) => `delete from ${table}; insert into ${table} table kept_${table}`));
      await owner.query(each((table) => `alter table ${table} enable trigger user`));
      await owner.query(each((table) => `drop table kept_${table}`));
    }
  };

  it('every document continues the chain of its series, also from page to page', async () => {
    const { documents, head } = await audit('tax_invoice', 2);
    expect(documents.map(({ number, findings }) => [number, findings])).toEqual(
      invoices.map(({ number }) => [number, []]),
    );
    expect(head).toEqual({ n: 3, hash: documents.at(-1)?.hash });
    expect((await audit('receipt')).documents).toMatchObject([{ findings: [] }]);
    expect(await audit('order')).toMatchObject({ documents: [], head: null });
  });

  it('a document is followed to the signed end of its series, and what is changed or not signed yet is reported', async () => {
    const check = (index: number, signed_ends: SignedEnd[]) =>
      issuing.network.call(checkDocument, {
        business_id: issuing.business.id,
        document_id: invoices[index]?.id ?? '',
        signed_ends,
      });
    const { documents } = await audit();
    const at = '2026-06-15T08:00:00.000Z';
    const end = { type: 'tax_invoice', n: 3, hash: documents[2]?.hash ?? '', at } as const;
    expect(await check(0, [end])).toMatchObject({
      mode: 'live',
      type: 'tax_invoice',
      number: invoices[0]?.number,
      business_name: issuing.business.name,
      credited: 'none',
      cancelled_at: null,
      record_intact: true,
      in_sequence: true,
      chain: 'followed',
    });
    expect(JSON.stringify(await check(0, [end]))).not.toContain('לקוח');
    expect(await check(2, [{ ...end, n: 2, hash: documents[1]?.hash ?? '' }])).toMatchObject({
      chain: 'not_yet',
    });
    expect(await check(2, [])).toMatchObject({ chain: 'not_yet' });
    expect(await check(0, [{ ...end, hash: 'ab'.repeat(32) }])).toMatchObject({ chain: 'broken' });
    expect(await check(0, [{ ...end, n: 500 }])).toMatchObject({ chain: 'broken' });
    const second = invoices[1]?.id ?? '';
    await whileDamaged([`update document set title = 'x' where id = '${second}'`], async () => {
      expect(await check(1, [end])).toMatchObject({ record_intact: false });
      expect(await check(0, [end])).toMatchObject({ record_intact: true, chain: 'broken' });
    });
    await whileDamaged([`delete from document where id = '${second}'`], async () => {
      expect(await check(0, [end])).toMatchObject({ chain: 'broken' });
      expect(await check(2, [end])).toMatchObject({ in_sequence: false, record_intact: false });
    });
    await expect(
      issuing.network.call(checkDocument, {
        business_id: randomUUID(),
        document_id: second,
        signed_ends: [],
      }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('readSeries reads what each hash is of, and the hash before it, a page at a time', async () => {
    const records: ReplyOf<typeof readSeries>['records'] = [];
    let after: ReplyOf<typeof readSeries>['next_after'] = null;
    do {
      const series = { business_id: issuing.business.id, type: 'tax_invoice', after, limit: 2 } as const;
      const page: ReplyOf<typeof readSeries> = await issuing.network.call(readSeries, series);
      records.push(...page.records);
      after = page.next_after;
    } while (after !== null);
    expect(records.map(({ number }) => number)).toEqual(invoices.map(({ number }) => number));
    for (const [index, { facts, hash, number }] of records.entries()) {
      expect(createHash('sha256').update(facts).digest('hex')).toBe(hash);
      expect(JSON.parse(facts)).toMatchObject({ number, previous: records[index - 1]?.hash ?? null });
    }
  });

  it('the change of one byte in any column names its document', async () => {
    const outcome = (number: string) => JSON.stringify({ status: 'issued', number, reason: null });
    /** What each column becomes, and whatever a constraint demands with it. */
    const changes: Readonly<Record<string, string | readonly string[]>> = {
      business_id: `business_id = gen_random_uuid()`,
      id: `id = gen_random_uuid()`,
      public_id: `public_id = reverse(public_id)`,
      type: `type = 'order'`,
      number: `number = number + 100`,
      position: `position = position + 100`,
      status: `status = 'closed'`,
      dated_on: `dated_on = dated_on - 1`,
      due_on: `due_on = due_on + 1`,
      issued_at: `issued_at = issued_at - interval '1 millisecond'`,
      cancelled_at: `status = 'cancelled', cancelled_at = now()`,
      cancel_reason: `status = 'cancelled', cancelled_at = now(), cancel_reason = 'x'`,
      external_ref: `external_ref = 'A-2'`,
      idempotency_key: `idempotency_key = 'x' || substr(idempotency_key, 2)`,
      body_sha256: `body_sha256 = set_byte(body_sha256, 0, get_byte(body_sha256, 0) # 1)`,
      key_id: `key_id = gen_random_uuid()`,
      person_id: `key_id = null, person_id = key_id`,
      business: `business = jsonb_set(business, '{name}', '"X"')`,
      customer_id: `customer_id = gen_random_uuid()`,
      customer: `customer = jsonb_set(customer, '{name}', '"X"')`,
      account_id: `account_id = gen_random_uuid()`,
      items: `items = jsonb_set(items, '{0,sku}', '"S-2"')`,
      prices_include_vat: `prices_include_vat = not prices_include_vat`,
      discount_rule: `discount_rule = jsonb_set(discount_rule, '{value}', '12.6')`,
      payments: `payments = '[{}]'`,
      subtotal: `subtotal = subtotal + 0.01, total = total + 0.01`,
      discount: `discount = discount + 0.01, total = total - 0.01`,
      vat: `vat = vat + 0.01, total = total + 0.01`,
      vat_rate: `vat_rate = vat_rate + 0.01`,
      total: `total = total + 0.01, vat = vat + 0.01`,
      total_agorot: `total_agorot = total_agorot + 1`,
      paid: `paid = paid + 0.01`,
      set_off: `set_off = set_off + 0.01`,
      withheld: `withheld = withheld + 0.01`,
      settlement: [`settlement = 'credited'`, `settlement = null`],
      balance: [`balance = balance + 0.01`, `balance = null`],
      source_id: `source_id = null`,
      source: `source = jsonb_set(source, '{number}', '2')`,
      title: `title = 'כותרה'`,
      notes: `notes = 'הערה 😁'`,
      send: `send = not send`,
      artifact_sha256: `artifact_sha256 = 'b' || substr(artifact_sha256, 2)`,
      allocation_number: `allocation_number = '123456789'`,
      allocation: `allocation = '${outcome('123456789')}'`,
      reply_outcomes: `reply_outcomes = jsonb_set(reply_outcomes, '{allocation}', '${outcome('123456789')}')`,
      hash: `hash = set_byte(hash, 0, get_byte(hash, 0) # 1)`,
    };
    /** Those that no check compares, and why. */
    const decidesNothing: Readonly<Record<string, string>> = {
      delivery: 'the plan at issue; what became of the messages is in delivery, which is compared with it',
      foreign_donor: 'of donation receipts alone: in their hash',
      donation: 'of donation receipts alone: its number and status are in the trail',
      warnings:
        'what the response at issue warned of: repeated by a replay, read by nothing else; a trigger makes it final',
    };
    const { rows: columns } = await owner.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'document'::regclass and attnum > 0 and not attisdropped`,
    );
    expect(columns.map(({ name }) => name).sort()).toEqual(
      [...Object.keys(changes), ...Object.keys(decidesNothing)].sort(),
    );
    const [first] = invoices;
    await whileDamaged([], async () => {
      for (const change of Object.values(changes).flat()) {
        await owner.query(`update document set ${change} where id = '${first?.id}'`);
        const findings = await found();
        // One that is gone, or has another hash or position, is missing before the next one.
        const isGone = /^(business_id|type|number) /.test(change);
        const isMissed = /^(hash|position) /.test(change);
        const own = isMissed ? [1, 2] : [1];
        expect([change, findings]).toEqual([change, isGone ? expect.arrayContaining([2]) : own]);
        await owner.query(`delete from document where number in (1, 101) and id not in (
          select id from kept_document where id <> '${first?.id}')`);
        await owner.query(`insert into document select * from kept_document where id = '${first?.id}'`);
      }
    });
    expect(await found()).toEqual([]);
  });

  it('a deleted, an inserted and a renumbered row break the chain, and so does a series that is cut', async () => {
    const [, second, third] = invoices;
    await whileDamaged([`delete from document where id = '${second?.id}'`], async () =>
      expect(await found()).toEqual([3]),
    );
    const copy = `insert into document
      select (jsonb_populate_record(document, jsonb_build_object('id', gen_random_uuid(), 'number', 4, 'position', 99,
        'public_id', 'x', 'idempotency_key', 'x'))).* from document where id = '${third?.id}'`;
    await whileDamaged([copy], async () => expect(await found()).toEqual([4]));
    await whileDamaged(
      [`update document set number = number + 10 where id in ('${second?.id}', '${third?.id}')`],
      async () => expect(await found()).toEqual([12, 13]),
    );
    await whileDamaged(
      [
        `delete from document where id = '${third?.id}'`,
        `update series set next_number = 3 where next_number = 4`,
      ],
      async () => {
        const { documents, head } = await audit();
        expect(documents.map(({ number }) => number)).toEqual([1, 2]);
        expect(head).toMatchObject({ n: 2, hash: expect.not.stringContaining(documents.at(-1)?.hash ?? '') });
      },
    );
  });

  it('the trail records each change of a state, and a change or a deletion of an entry is found', async () => {
    const quote = await issuing.issue({ type: 'quote' });
    await issuing.network.call(cancelDocument, {
      business_id: issuing.business.id,
      document_id: quote.document.id,
      reason: 'סיבה "1"\n',
      key_id: issuing.keyId,
    });
    const { rows } = await owner.query(`select * from audit_entry order by n`);
    expect(rows).toMatchObject([
      {
        n: '1',
        action: 'document.state',
        after: { status: 'closed' },
        actor: expect.stringMatching(/^role:/),
      },
      { n: '2', before: { status: 'open', paid: '0.00' }, after: { status: 'closed', paid: '118.00' } },
      {
        n: '3',
        subject: quote.document.id,
        actor: `key:${issuing.keyId}`,
        after: { status: 'cancelled', cancel_reason: 'סיבה "1"\n' },
        request_id: expect.any(String),
      },
    ]);
    expect((await audit('quote')).documents.flatMap(({ findings }) => findings)).toEqual([]);
    const [, second] = invoices;
    const ofSecond = `where id = '${second?.id}'`;
    await whileDamaged([`update document set status = 'open', paid = 0 ${ofSecond}`], async () =>
      expect(await found()).toEqual([2]),
    );
    await whileDamaged([`delete from audit_entry where subject = '${second?.id}'`], async () =>
      expect(await found()).toEqual([2]),
    );
  });

  it('listSeriesHeads lists the end of every series once', async () => {
    const [invoiceHead, quoteHead] = await Promise.all([audit(), audit('quote')]);
    const found: unknown[] = [];
    for (let after: ReplyOf<typeof listSeriesHeads>['next_after'] = null; ; ) {
      const page: ReplyOf<typeof listSeriesHeads> = await issuing.network.call(listSeriesHeads, {
        after,
        limit: 1,
      });
      found.push(...page.heads);
      after = page.next_after;
      if (after === null) {
        break;
      }
    }
    const of = (type: DocumentType) => ({ business_id: issuing.business.id, type });
    expect(found).toEqual([
      { ...of('quote'), ...quoteHead.head },
      expect.objectContaining(of('receipt')),
      { ...of('tax_invoice'), ...invoiceHead.head },
    ]);
  });

  it('a document that a person of the console issues is in the trail, once, and continues the chain', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    const person_id = randomUUID();
    const asPerson = { business, issuer: { kind: 'person', id: person_id } } as const;
    const { document } = await issuing.issue({ type: 'order' }, 'by a person', asPerson);
    expect((await issuing.issue({ type: 'order' }, 'by a person', asPerson)).replayed).toBe(true);
    await issuing.issue({ type: 'order' }, 'by a key', { business });
    expect(await readTrail(issuing.database, business.id)).toEqual([
      {
        action: 'document.issue',
        actor: `person:${person_id}`,
        subject: document.id,
        before: null,
        after: { type: 'order', number: 1 },
      },
    ]);
    await issuing.network.call(cancelDocument, {
      business_id: business.id,
      document_id: document.id,
      reason: null,
      person_id,
    });
    const { documents } = await issuing.network.call(auditSeries, {
      business_id: business.id,
      type: 'order',
      after: null,
      limit: 10,
    });
    expect(documents).toMatchObject([
      { number: 1, findings: [] },
      { number: 2, findings: [] },
    ]);
    const counts = await issuing.database.db
      .selectFrom('daily_count')
      .select(['key_id', 'documents'])
      .where('business_id', '=', business.id)
      .execute();
    expect(counts).toEqual([{ key_id: issuing.keyId, documents: 1 }]);
  });

  it('the hash of a document cannot be changed', async () => {
    await expect(owner.query(`update document set hash = '\\x00'`)).rejects.toThrow('cannot be changed');
  });
});
