import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type CreateDocument,
  documentIssued,
  getDocument,
  issueDocument,
  type RequestOf,
} from '@pinkas/contracts';
import {
  ApiError,
  advisoryLock,
  createLogger,
  type Database,
  newContext,
  openDatabase,
  withContext,
} from '@pinkas/service-kit';
import { eventually, scrape } from '@pinkas/testkit';
import { sql } from 'kysely';
import {
  cash,
  gate,
  type IssuingUnderTest,
  invoiceBody,
  net,
  startIssuing,
  untilOneWaits,
  whileHeld,
} from './issuing.js';

type Reply = Awaited<ReturnType<IssuingUnderTest['issue']>>;
type Request = RequestOf<typeof issueDocument>;
type IssueRequests = [Request, ...Request[]];

describe('documents in the queue of their series', () => {
  let issuing: IssuingUnderTest;
  let owner: Database<object>;
  let business: IssuingUnderTest['business'];
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0 });
    owner = openDatabase<object>({
      url: issuing.database.ownerUrl,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
  });
  beforeEach(() => {
    business = { ...issuing.business, id: randomUUID() };
    issuing.released.length = 0;
  });
  afterEach(() => {
    issuing.render = async () => {};
  });
  afterAll(async () => {
    await owner?.destroy();
    await issuing?.stop();
  });

  /** A request of the test's business; the title identifies its document. */
  const requestOf = (
    title: string,
    body: Partial<CreateDocument> = {},
    change: Partial<Request> = {},
  ): Request => ({
    business,
    issuer: { kind: 'key', id: issuing.keyId, daily_documents: 300 },
    idempotency_key: randomUUID(),
    body: invoiceBody({ title, ...body }),
    ...change,
  });
  const issue = (request: Request) => issuing.network.call(issueDocument, request);
  const stateOf = async (document_id: string) =>
    (await issuing.network.call(getDocument, { business_id: business.id, document_id })).state;
  const fail = async () => {
    throw new ApiError('document_generation_failed');
  };

  /**
   * Sends requests for one series, the first of which is rendered until the others are in the queue.
   * @param options.render of the others, by title.
   * @param options.inQueue what happens; it calls `proceed`.
   * @returns the number or the error code of each of the others.
   */
  async function issueInQueue(
    [front, ...others]: IssueRequests,
    options: {
      render?: (title: string | null, attempt: number) => Promise<void>;
      inQueue?: (proceed: () => Promise<void>) => Promise<void>;
      call?: typeof issue;
    } = {},
  ): Promise<(number | string)[]> {
    const { render = async () => {}, inQueue = (proceed) => proceed(), call = issue } = options;
    const { open, opened } = gate();
    let begun = false;
    issuing.render = async ({ document, attempt }) => {
      if (document.title === 'front') {
        begun = true;
        await opened;
      } else {
        await render(document.title, attempt);
      }
    };
    const first = issue(front);
    await eventually('the first is rendered', () => begun);
    const pending: Promise<Reply>[] = [];
    for (const request of others) {
      const before = issuing.resolved.length;
      const reply = call(request);
      reply.catch(() => {});
      pending.push(reply);
      await eventually('the card is reserved', () => issuing.resolved.length > before);
      // Its request arrives behind the reply of the reservation: the document is in the queue when it is answered.
      await expect(stateOf(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    }
    await inQueue(async () => {
      open();
      await Promise.allSettled(pending);
    });
    await first;
    const ended = await Promise.allSettled(pending);
    return ended.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.document.number : outcome.reason.code,
    );
  }
  /** Requests for one series, the first of them titled `front`. */
  const inQueue = (...titles: string[]): IssueRequests => [
    requestOf('front'),
    ...titles.map((title) => requestOf(title)),
  ];

  /** The documents of the business by number; the last PDF of each shows the number that it has in the book. */
  async function expectBook(titles: string[]): Promise<{ position: number }[]> {
    const documents = await issuing.database.db
      .selectFrom('document')
      .select(['id', 'number', 'title', 'position'])
      .where('business_id', '=', business.id)
      .where('type', '!=', 'order')
      .orderBy('number')
      .execute();
    expect(documents.map(({ number, title }) => [number, title])).toEqual(
      titles.map((title, index) => [index + 1, title]),
    );
    const printed = documents.map(
      ({ id }) => issuing.rendered.filter((print) => print.id === id).at(-1)?.number,
    );
    expect(printed).toEqual(documents.map(({ number }) => number));
    return documents;
  }
  const transactions = async () =>
    (await scrape(issuing.service)).get('pinkas_issue_transaction_seconds_count') ?? 0;
  async function expectCounted(documents: number): Promise<void> {
    const { rows } = await sql`
      select (select coalesce(sum(documents), 0)::integer from daily_count where business_id = ${business.id}) as counted,
        (select last_position from book where business_id = ${business.id}) as positions,
        (select count(*)::integer from outbox
          where subject like ${`${documentIssued.subject}.%`} and body ->> 'business_id' = ${business.id}) as events`.execute(
      issuing.database.db,
    );
    expect(rows[0]).toEqual({ counted: documents, positions: documents, events: documents });
  }

  it('documents in the queue of their series are issued in one transaction, in the order of their arrival', async () => {
    const before = await transactions();
    expect(await issueInQueue(inQueue('a', 'b', 'c', 'd'))).toEqual([2, 3, 4, 5]);
    expect(await transactions()).toBe(before + 2);
    const documents = await expectBook(['front', 'a', 'b', 'c', 'd']);
    expect(documents.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
    await expectCounted(5);
  });

  it.each([
    ['first', ['a'], ['document_generation_failed', 2, 3, 4], ['b', 'c', 'd']],
    ['middle one', ['b'], [2, 'document_generation_failed', 3, 4], ['a', 'c', 'd']],
    ['last', ['d'], [2, 3, 4, 'document_generation_failed'], ['a', 'b', 'c']],
    [
      'second and third',
      ['b', 'c'],
      [2, 'document_generation_failed', 'document_generation_failed', 3],
      ['a', 'd'],
    ],
  ])('documents move up behind the %s whose rendering fails', async (_which, failing, ended, titles) => {
    const render = (title: string | null) => (failing.includes(title ?? '') ? fail() : Promise.resolve());
    const before = await transactions();
    expect(await issueInQueue(inQueue('a', 'b', 'c', 'd'), { render })).toEqual(ended);
    expect(await transactions()).toBe(before + 2);
    await expectBook(['front', ...titles]);
    await expectCounted(titles.length + 1);
    await eventually('the cards are released', () => issuing.released.length === failing.length);
  });

  it('documents that all fail leave nothing', async () => {
    expect(await issueInQueue(inQueue('a', 'b'), { render: fail })).toEqual([
      'document_generation_failed',
      'document_generation_failed',
    ]);
    await expectBook(['front']);
    await expectCounted(1);
  });

  it.each([
    ['refused behind a document that is issued', [2, 'date_before_last_document', 3, 'daily_limit_reached']],
    ['issued behind a document that fails', ['document_generation_failed', 2, 3, 4]],
  ])('a document that one before it rules out is %s', async (_how, ended) => {
    const aFails = ended[0] !== 2;
    const limited = { issuer: { kind: 'key', id: randomUUID(), daily_documents: 2 } } as const;
    const requests: IssueRequests = [
      requestOf('front', { date: '2026-06-10' }),
      requestOf('a', { date: '2026-06-14' }, limited),
      requestOf('b', { date: '2026-06-13' }),
      requestOf('c', { date: '2026-06-14' }, limited),
      requestOf('d', { date: '2026-06-15' }, limited),
    ];
    const render = (title: string | null) => (aFails && title === 'a' ? fail() : Promise.resolve());
    expect(await issueInQueue(requests, { render })).toEqual(ended);
    await expectBook(['front', ...(aFails ? ['b', 'c', 'd'] : ['a', 'c'])]);
  });

  it('a request whose key another replica uses is refused, and the others are issued', async () => {
    const { document: order } = await issue(requestOf('order', { type: 'order' }));
    const requests = inQueue('a', 'b', 'c');
    const [locked = '', used = ''] = requests.slice(1).map((request) => request.idempotency_key);
    const ended = await issueInQueue(requests, {
      inQueue: async (proceed) => {
        // What another replica issues in another series, with the key of b.
        await sql`
          insert into document select (jsonb_populate_record(document, jsonb_build_object('id', gen_random_uuid(),
            'public_id', gen_random_uuid(), 'number', 2, 'position', 99, 'idempotency_key', ${used}::text))).*
          from document where id = ${order.id}`.execute(issuing.database.db);
        await whileHeld(issuing, (trx) => advisoryLock(trx, business.id, locked), proceed);
      },
    });
    expect(ended).toEqual(['request_in_progress', 'idempotency_key_reused', 2]);
    await expectBook(['front', 'c']);
    await eventually('the cards are released', () => issuing.released.length === 2);
  });

  it('one document is issued for requests with one key in the queue of their series', async () => {
    const a = requestOf('a');
    const ended = await issueInQueue([requestOf('front'), a], {
      inQueue: async (proceed) => {
        await expect(issue(a)).rejects.toMatchObject({ code: 'request_in_progress' });
        await proceed();
      },
    });
    expect(ended).toEqual([2]);
    expect(await issue(a)).toMatchObject({ document: { number: 2 }, replayed: true });
    await expectBook(['front', 'a']);
  });

  it('receipts of one invoice are all counted, without those that fail', async () => {
    const { document: invoice } = await issue(requestOf('invoice'));
    const receipt = (title: string, gross: number, unit_price: number) =>
      requestOf(title, {
        type: 'receipt',
        based_on: invoice.id,
        items: net(unit_price),
        payments: cash(gross),
      });
    const ended = await issueInQueue(
      [receipt('front', 11.8, 10), receipt('a', 23.6, 20), receipt('b', 35.4, 30), receipt('c', 47.2, 40)],
      { render: (title) => (title === 'b' ? fail() : Promise.resolve()) },
    );
    expect(ended).toEqual([2, 'document_generation_failed', 3]);
    expect(await stateOf(invoice.id)).toMatchObject({ status: 'closed', paid: 82.6 });
  });

  it.each([
    ['closed', 60, [2, 3]],
    ['open', 59.99, [2, 3]],
  ])('credit notes leave their invoice %s by their sum', async (status, last, ended) => {
    const { document: invoice } = await issue(requestOf('invoice'));
    const credit = (title: string, unit_price: number) =>
      requestOf(title, { type: 'credit_note', based_on: invoice.id, items: net(unit_price) });
    expect(await issueInQueue([credit('front', 10), credit('a', 30), credit('b', last)])).toEqual(ended);
    expect(await stateOf(invoice.id)).toMatchObject({ status, paid: 0 });
  });

  it('a document that the database rejects fails alone', async () => {
    await sql`
      create function reject_document() returns trigger language plpgsql as $$
        begin raise exception 'rejected'; end $$`.execute(owner);
    await sql`
      create trigger reject_document before insert on document
        for each row when (new.title = 'rejected') execute function reject_document()`.execute(owner);
    const ended = await issueInQueue(inQueue('a', 'rejected', 'c'));
    await sql`drop trigger reject_document on document`.execute(owner);
    expect(ended).toEqual([2, 'internal_error', 3]);
    await expectBook(['front', 'a', 'c']);
    await expectCounted(3);
    await eventually('the card is released', () => issuing.released.length === 1);
  });

  it('a daily limit that another series reaches refuses what is above it', async () => {
    const limited = { issuer: { kind: 'key', id: randomUUID(), daily_documents: 2 } } as const;
    let other: Promise<Reply> | undefined;
    const ended = await issueInQueue(
      [requestOf('front'), requestOf('a', {}, limited), requestOf('b', {}, limited), requestOf('c')],
      {
        render: async (title) => {
          if (title === 'a') {
            other ??= issue(requestOf('order', { type: 'order' }, limited));
            await other;
          }
        },
      },
    );
    expect(ended).toEqual([2, 'daily_limit_reached', 3]);
    await expectBook(['front', 'a', 'c']);
    await expectCounted(4);
  });

  it('documents whose commit was lost keep their cards, and a retry issues them', async () => {
    await sql`
      create function lose_connection() returns trigger language plpgsql as $$
        begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(owner);
    await sql`
      create constraint trigger lose_connection after insert on document deferrable initially deferred
        for each row when (new.title = 'b') execute function lose_connection()`.execute(owner);
    const requests = inQueue('a', 'b', 'fails');
    const ended = await issueInQueue(requests, {
      render: (title) => (title === 'fails' ? fail() : Promise.resolve()),
    });
    await sql`drop trigger lose_connection on document`.execute(owner);
    expect(ended).toEqual(['engine_error', 'engine_error', 'engine_error']);
    await eventually('the card of the document that failed is released', () => issuing.released.length === 1);
    issuing.render = async () => {};
    for (const request of requests.slice(1)) {
      expect((await issue(request)).replayed).toBe(false);
    }
    await expectBook(['front', 'a', 'b', 'fails']);
    expect(issuing.released).toHaveLength(1);
  });

  it('a document is issued before its deadline, and a slower one behind it by a later transaction', async () => {
    const { open, opened } = gate();
    let renderings = 0;
    const before = await transactions();
    const ended = await issueInQueue(inQueue('near', 'slow', 'behind'), {
      // More than the wait in the queue must leave, and less than a rendering may take.
      call: (request) =>
        request.body.title === 'near'
          ? withContext(newContext(6_500), () => issuing.network.client.call(issueDocument, request))
          : issue(request),
      render: async (title) => {
        if (title === 'slow') {
          renderings += 1;
          await (renderings === 1 ? opened : undefined);
        }
      },
    }).finally(open);
    expect(ended).toEqual([2, 3, 4]);
    expect(await transactions()).toBe(before + 3);
    await expectBook(['front', 'near', 'slow', 'behind']);
  });

  it('a rendering that is too slow for its transaction has the whole of its time in the next one', async () => {
    const attempts: number[] = [];
    const { open, opened } = gate();
    const before = await transactions();
    const ended = await issueInQueue(inQueue('slow', 'behind'), {
      render: async (title, attempt) => {
        if (title === 'slow') {
          attempts.push(attempt);
          await (attempts.length === 1 ? opened : undefined);
        }
      },
    }).finally(open);
    expect(ended).toEqual([2, 3]);
    // A PDF of an earlier attempt that is stored late replaces none of a later one.
    expect(attempts.slice(0, 2)).toEqual([1, 2]);
    // The first, the two together, and each of them alone.
    expect(await transactions()).toBe(before + 4);
    await expectBook(['front', 'slow', 'behind']);
  });

  it('documents whose series is locked elsewhere beyond the deadline of one are issued together after it', async () => {
    await issue(requestOf('front'));
    const before = await transactions();
    const within = (ms: number, title: string) =>
      withContext(newContext(ms), () => issuing.network.client.call(issueDocument, requestOf(title)));
    const ended: Promise<PromiseSettledResult<Reply>[]>[] = [];
    await whileHeld(
      issuing,
      (trx) =>
        trx.selectFrom('series').select('type').where('business_id', '=', business.id).forUpdate().execute(),
      async () => {
        const first = within(6_000, 'first');
        first.catch(() => {});
        await untilOneWaits(issuing);
        const second = within(9_000, 'second');
        second.catch(() => {});
        ended.push(Promise.allSettled([issue(requestOf('a')), issue(requestOf('b'))]));
        await expect(first).rejects.toMatchObject({ code: 'engine_error' });
        await expect(second).rejects.toMatchObject({ code: 'engine_error' });
      },
    );
    const [issued] = await Promise.all(ended);
    expect(issued?.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await transactions()).toBe(before + 3);
  });

  describe('receipts that settle one invoice', () => {
    const customer = { id: randomUUID(), name: 'Dana' };
    let invoiceId: string;
    beforeEach(async () => {
      const body = { customer, items: net(100), prices_include_vat: true };
      invoiceId = (await issue(requestOf('invoice', body))).document.id;
    });

    const receiptOf = (
      title: string,
      total: number,
      body: Partial<CreateDocument> = {},
      change: Partial<Request> = {},
    ) => {
      const received = { items: net(total), payments: cash(total), prices_include_vat: true } as const;
      return requestOf(title, { type: 'receipt', customer, ...received, ...body }, change);
    };
    const ofInvoice = (amount: number) => [{ document_id: invoiceId, amount }];
    const withholding = (title: string, paid: number, amount: number) =>
      receiptOf(title, paid, { based_on: invoiceId }, { withheld: { amounts: ofInvoice(amount) } });
    const settingOff = (title: string, paid: number) =>
      receiptOf(title, paid, {}, { set_offs: ofInvoice(paid) });

    it.each([
      ['sets it off', () => [settingOff('b', 60), settingOff('c', 40)]],
      ['states it as withheld', () => [withholding('b', 1, 60), withholding('c', 1, 39)]],
    ] as const)('one leaves nothing of what it pays for one behind it that %s', async (_what, others) => {
      const a = receiptOf('a', 60, { based_on: invoiceId });
      expect(await issueInQueue([receiptOf('front', 1), a, ...others()])).toEqual([2, 'validation_error', 3]);
      expect((await stateOf(invoiceId)).paid + ((await stateOf(invoiceId)).set_off ?? 0)).toBe(100);
    });

    it('one leaves nothing of what it states as withheld for one behind it', async () => {
      const line = [withholding('a', 10, 60), withholding('b', 1, 30), withholding('c', 1, 29)];
      expect(await issueInQueue([receiptOf('front', 1), ...line])).toEqual([2, 'validation_error', 3]);
      expect(await stateOf(invoiceId)).toMatchObject({ paid: 11, set_off: 89, withheld: 89 });
    });

    it('behind one whose rendering fails one settles what that one would have, and those behind it no more', async () => {
      const others = ['fails', 'b', 'c'].map((title) => withholding(title, 10, 90));
      const ended = await issueInQueue([receiptOf('front', 1), ...others], {
        render: (title) => (title === 'fails' ? fail() : Promise.resolve()),
      });
      expect(ended).toEqual(['document_generation_failed', 2, 'validation_error']);
      expect(await stateOf(invoiceId)).toMatchObject({ paid: 10, set_off: 90, withheld: 90 });
    });

    it('one behind a rendering that fails settles nothing of what one before it has settled', async () => {
      const behind = [settingOff('a', 100), receiptOf('fails', 1), settingOff('c', 100)];
      const ended = await issueInQueue([receiptOf('front', 1), ...behind], {
        render: (title) => (title === 'fails' ? fail() : Promise.resolve()),
      });
      expect(ended).toEqual([2, 'document_generation_failed', 'validation_error']);
      expect(await stateOf(invoiceId)).toMatchObject({ set_off: 100 });
    });

    it('one that is refused takes nothing from those behind it', async () => {
      const refused = receiptOf('a', 90, {}, { set_offs: [...ofInvoice(90), ...ofInvoice(1)] });
      expect(await issueInQueue([receiptOf('front', 1), refused, settingOff('b', 90)])).toEqual([
        'validation_error',
        2,
      ]);
    });
  });

  it('two replicas issue one series without gaps while renderings fail, and retries issue the rest', async () => {
    const replica = await issuing.startAnother();
    try {
      let renders = 0;
      issuing.render = async () => {
        renders += 1;
        if (renders % 6 === 0) {
          await fail();
        }
      };
      const requests = Array.from({ length: 40 }, (_, index) => requestOf(`${index}`));
      await Promise.allSettled(requests.map(issue));
      issuing.render = async () => {};
      const issued: Reply[] = [];
      for (const request of requests) {
        issued.push(await eventually('it is issued', () => issue(request)));
      }
      const inOrder = issued.map(({ document }) => document).sort((a, b) => a.number - b.number);
      await expectBook(inOrder.map(({ title }) => title ?? ''));
      await expectCounted(requests.length);
    } finally {
      await replica.stop();
    }
  });
});
