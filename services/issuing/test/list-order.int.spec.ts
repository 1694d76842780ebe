import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listDocuments, type RequestOf } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import {
  ApiError,
  createLogger,
  type Database,
  forTenant,
  openDatabase,
  type RunningService,
} from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import type { IssuingTables } from '../src/document/document.tables.js';
import { listIssued } from '../src/list/document-list.repository.js';
import { cash, holdRendering, type IssuingUnderTest, startIssuing } from './issuing.js';

type ListRequest = RequestOf<typeof listDocuments>;

describe('the order of listDocuments', () => {
  let issuing: IssuingUnderTest;
  let replica: RunningService;
  beforeAll(async () => {
    issuing = await startIssuing();
    replica = await issuing.startAnother();
  });
  afterAll(async () => {
    await replica.stop();
    await issuing.stop();
  });

  const list = (businessId: string, change: Partial<ListRequest> = {}) =>
    issuing.network.call(listDocuments, {
      business_id: businessId,
      include_cancelled: true,
      limit: 100,
      before: null,
      ...change,
    });
  const newBusiness = () => ({ ...issuing.business, id: randomUUID() });
  const issue = (business: typeof issuing.business, type: DocumentType) =>
    issuing.issue({ type, ...(type === 'receipt' ? { payments: cash(118) } : {}) }, randomUUID(), {
      business,
    });

  /** Reads lists as callers do: the newest first, until the last one that was seen before. */
  class ListPoller {
    readonly seen: string[] = [];
    polls = 0;
    constructor(
      private readonly businessId: string,
      private readonly filter: Partial<ListRequest> = {},
    ) {}

    async poll(): Promise<void> {
      const found: string[] = [];
      let before: number | null = null;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list(this.businessId, {
          ...this.filter,
          before,
        });
        const ids = page.documents.map(({ document }) => document.id);
        const known = ids.indexOf(this.seen.at(-1) ?? '');
        found.push(...(known === -1 ? ids : ids.slice(0, known)));
        before = known === -1 ? page.next_before : null;
      } while (before !== null);
      this.seen.push(...found.reverse());
      this.polls += 1;
    }
  }

  it('a document that was rendered while another was issued and read is listed as newer', async () => {
    const business = newBusiness();
    const poller = new ListPoller(business.id);
    const rendering = holdRendering(issuing, 'order');
    const pending = issue(business, 'order');
    await rendering.begun();
    issuing.clock.now = new Date(issuing.clock.now.getTime() + 1_000);
    const quote = await issue(business, 'quote');
    await poller.poll();
    expect(poller.seen).toEqual([quote.document.id]);
    rendering.open();
    const order = await pending;
    expect(order.document.issued_at < quote.document.issued_at).toBe(true);
    await poller.poll();
    expect(poller.seen).toEqual([quote.document.id, order.document.id]);
  });

  it('a document that a replica with an earlier clock issues is listed as newer', async () => {
    const business = newBusiness();
    const { now } = issuing.clock;
    const quote = await issue(business, 'quote');
    issuing.clock.now = new Date(now.getTime() - 60 * 60_000);
    const order = await issue(business, 'order');
    issuing.clock.now = now;
    expect(order.document.issued_at < quote.document.issued_at).toBe(true);
    const { documents } = await list(business.id);
    expect(documents.map(({ document }) => document.id)).toEqual([order.document.id, quote.document.id]);
  });

  it('callers who poll while five series are issued by two replicas miss no document', async () => {
    const business = newBusiness();
    const types = ['quote', 'order', 'delivery_note', 'proforma', 'receipt'] as const;
    const each = 8;
    const pollers = [
      new ListPoller(business.id),
      new ListPoller(business.id, { limit: 2 }),
      new ListPoller(business.id, { from: '2026-06-15', limit: 3 }),
      new ListPoller(business.id, { to: '2026-06-15' }),
    ];
    const { now } = issuing.clock;
    let renders = 0;
    issuing.render = async () => {
      renders += 1;
      // Renderings of all lengths, one in seven fails, and the clock steps back and forth.
      issuing.clock.now = new Date(now.getTime() + ((renders * 31) % 17) * 10_000);
      const nth = renders;
      const polls = pollers[0]?.polls ?? 0;
      // Its length is counted in lists that are read.
      await eventually('lists are read', () => (pollers[0]?.polls ?? 0) >= polls + ((nth * 37) % 6));
      if (nth % 7 === 0) {
        throw new ApiError('document_generation_failed');
      }
    };
    let isIssuing = true;
    const polling = pollers.map(async (poller) => {
      while (isIssuing) {
        await poller.poll();
      }
      await poller.poll();
    });
    const issued: string[] = [];
    const issuers = types.map(async (type) => {
      for (let count = 0; count < each; ) {
        const reply = await issue(business, type).catch(() => null);
        if (!reply) {
          continue;
        }
        count += 1;
        issued.push(reply.document.id);
        // Who has the reply finds the document at once.
        const { documents } = await list(business.id, { type, limit: 1 });
        expect(documents[0]?.document.id).toBe(reply.document.id);
      }
    });
    try {
      await Promise.all(issuers);
    } finally {
      isIssuing = false;
      issuing.render = async () => {};
      issuing.clock.now = now;
    }
    await Promise.all(polling);
    expect(issued).toHaveLength(types.length * each);
    for (const { seen } of pollers) {
      expect([...seen].sort()).toEqual([...issued].sort());
      expect(seen).toEqual(pollers[0]?.seen);
    }
    const { rows } = await sql<{ position: number }>`
      select position from document where business_id = ${business.id} order by position`.execute(
      issuing.database.db,
    );
    expect(rows.map(({ position }) => position)).toEqual(issued.map((_, index) => index + 1));
  });

  it('a list of dates has no document without those of other series that were committed before it', async () => {
    const business = newBusiness();
    const quote = await issue(business, 'quote');
    let isFirst = true;
    const opened: Database<IssuingTables> = openDatabase({
      url: issuing.database.url,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    // After the first statement of the list: the first document of another series, and then one of the known series.
    const db = forTenant(opened, business.id).withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (isFirst) {
          isFirst = false;
          await issue(business, 'order');
          await issue(business, 'quote');
        }
        return result;
      },
    });
    const filter = { business_id: business.id, include_cancelled: true, from: '2026-06-15', before: null };
    const listed = await listIssued(db, filter, 10).finally(() => opened.destroy());
    expect(listed.map(({ id }) => id)).toEqual([quote.document.id]);
    expect((await list(business.id, { from: '2026-06-15' })).documents).toHaveLength(3);
  });

  it('a transaction does not lock the book while its document is rendered', async () => {
    const business = newBusiness();
    await issue(business, 'quote');
    const rendering = holdRendering(issuing, 'order');
    const pending = issue(business, 'order');
    await rendering.begun();
    const locked = issuing.database.db
      .selectFrom('book')
      .select('last_position')
      .where('business_id', '=', business.id)
      .forUpdate()
      .noWait()
      .execute();
    expect(await locked.finally(rendering.open)).toEqual([{ last_position: 1 }]);
    await pending;
  });

  it('the database rejects a second document at one position of a book', async () => {
    const business = newBusiness();
    const { document } = await issue(business, 'quote');
    const second = sql`
      insert into document select (jsonb_populate_record(document, jsonb_build_object('id', gen_random_uuid(),
        'public_id', 'second', 'number', 99, 'idempotency_key', 'second'))).*
      from document where id = ${document.id}`;
    await expect(second.execute(issuing.database.db)).rejects.toThrow('document_position_key');
  });
});
