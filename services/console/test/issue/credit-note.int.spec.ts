import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  getDocument,
  type IssuedDocument,
  issueDocument,
  previewDocument,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import { isTestBook, testBook } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import { eventually, exampleDocument } from '@pinkas/testkit';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';
import { previewOf } from './previewed.js';

type Issue = RequestOf<typeof issueDocument>;

let console: ConsoleUnderTest;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console.stop());

describe('a credit note in the console', () => {
  let browser: TestBrowser;
  let source: IssuedDocument;
  let address: string;
  let credited: number;
  let fail: ApiError | null;
  /** What issuing knows of the credit note in addition to its totals. */
  let known: Partial<ReplyOf<typeof previewDocument>>;
  /** What issuing was asked for, and what it has issued, by key. */
  const asked: Issue[] = [];
  const issued = new Map<string, { body: string; reply: ReplyOf<typeof issueDocument> }>();

  beforeAll(async () => {
    console.network.answer(getDocument, ({ document_id, detailed }) => {
      if (document_id !== source.id) {
        throw new ApiError('not_found');
      }
      return {
        document: source,
        state: {
          status: 'open' as const,
          paid: 0,
          ...(detailed && { credited }),
          allocation_number: null,
          cancelled_at: null,
        },
      };
    });
    console.network.answer(previewDocument, (request) => previewOf(request, known));
    console.network.answer(issueDocument, (request) => {
      asked.push(request);
      const body = JSON.stringify(request.body);
      const known = issued.get(request.idempotency_key);
      if (known && known.body !== body) {
        throw new ApiError('idempotency_key_reused');
      }
      const reply: ReplyOf<typeof issueDocument> = known?.reply ?? {
        document: exampleDocument({ type: 'credit_note' }),
        state: { status: 'open', paid: 0, allocation_number: null, cancelled_at: null },
        allocation: { status: 'not_required', number: null, reason: 'below the threshold' },
        delivery: { status: 'disabled', channel: null, scheduled_for: null },
        replayed: false,
      };
      issued.set(request.idempotency_key, { body, reply });
      if (fail) {
        throw fail;
      }
      return reply;
    });
  });
  beforeEach(async () => {
    const business = console.addBusiness();
    browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    source = exampleDocument({ business_id: business.id });
    address = `/b/${business.id}/documents/${source.id}/credit`;
    credited = 0;
    fail = null;
    known = {};
    asked.length = 0;
    issued.clear();
  });

  /** The hidden fields of the form that confirms, without those of the picture next to it. */
  async function preview(fields: Record<string, string>): Promise<Record<string, string>> {
    const { status, text } = await browser.post(address, { step: 'preview', ...fields });
    expect(status).toBe(200);
    const form = text.replace(/<form[^>]* data-picture>.*?<\/form>/s, '');
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    const found = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
    expect(found.step).toBe('issue');
    return found;
  }
  const whole = { extent: 'whole' };
  const part = { extent: 'part', amount: '100', description: 'Return' };

  it('a confirmation that is sent twice leads to one credit note, both times', async () => {
    const form = await preview(part);
    const replies = await Promise.all([browser.post(address, form), browser.post(address, form)]);
    expect(replies.map(({ status }) => status)).toEqual([303, 303]);
    expect(replies[0]?.location).toBe(replies[1]?.location);
    expect(issued.size).toBe(1);
  });

  it.each([
    ['whole', whole],
    ['part', part],
  ])('a credit note that comes between preview and confirmation stops it: %s', async (_name, fields) => {
    const form = await preview(fields);
    credited = 50;
    const reply = await browser.post(address, form);
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('credited since the preview');
    expect(asked).toEqual([]);
  });

  it('the whole cannot be credited where a part is, whatever the form says', async () => {
    credited = 50;
    const { status } = await browser.post(address, { ...whole, step: 'issue', credited: '5000' });
    expect(status).toBe(422);
    expect(asked).toEqual([]);
  });

  it.each([
    ['1,5', 422],
    ['12,50', 422],
    ['1,100.00', 200],
  ])('a comma in an amount separates thousands only: %s', async (amount, status) => {
    source = { ...source, totals: { ...source.totals, total: 5_000 } };
    const fields = { step: 'preview', extent: 'part', amount, description: 'part' };
    expect((await browser.post(address, fields)).status).toBe(status);
  });

  it('two previews of the same state issue one credit note', async () => {
    const [one, other] = [await preview(part), await preview({ ...part, amount: '200' })];
    expect((await browser.post(address, one)).status).toBe(303);
    const reply = await browser.post(address, other);
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('credited since the preview');
    expect(issued.size).toBe(1);
  });

  it('a confirmation whose reply was lost is repeated with the same key', async () => {
    const form = await preview(part);
    fail = new ApiError('engine_error');
    const lost = await browser.post(address, form);
    expect(lost.status).toBe(422);
    fail = null;
    const again = await preview(part);
    expect((await browser.post(address, again)).status).toBe(303);
    expect(issued.size).toBe(1);
  });

  it('the first number of the business is that of its live book, and a test book begins with 1', async () => {
    const [, id = ''] = /^\/b\/([^/]+)/.exec(address) ?? [];
    const business = console.addBusiness({ id, first_numbers: { credit_note: 500 } });
    for (const [book, number] of [
      [business, 500],
      [testBook(business), 1],
    ] as const) {
      address = `/${isTestBook(book.id) ? 't' : 'b'}/${id}/documents/${source.id}/credit`;
      const { text } = await browser.post(address, { step: 'preview', ...whole });
      expect(text).toContain(`<bdi dir="ltr">${number}</bdi>`);
      await browser.post(address, await preview(whole));
      expect(asked.pop()?.business).toEqual(book);
    }
  });

  it('a confirmation waits for one with its key that is in progress, and leads to its document', async () => {
    const form = await preview(part);
    fail = new ApiError('request_in_progress');
    const waiting = browser.post(address, form);
    await eventually('issuing was called again', () => asked.length > 2);
    fail = null;
    expect(await waiting).toMatchObject({ status: 303 });
    expect(issued.size).toBe(1);
    expect(asked[0]?.issuer.kind).toBe('person');
  });

  it('the page shows what a person should know before the credit note is issued', async () => {
    known = { warnings: ['date_in_past'], allocation: { status: 'required' } };
    const { text } = await browser.post(address, { step: 'preview', ...part });
    expect(text).toContain('The date of the document is in the past.');
    expect(text).toContain('An allocation number will be requested');
  });

  it('a complete credit has the lines of its source, is refused at another total, and has a key of what was credited', async () => {
    await browser.post(address, await preview(whole));
    const [{ description, quantity, unit_price } = {}] = source.items;
    expect(asked[0]).toMatchObject({
      idempotency_key: `console-credit-${source.id}-0`,
      body: {
        ...{ based_on: source.id, expected_total: source.totals.total },
        items: [{ description, quantity, unit_price }],
      },
    });
  });

  it('an invoice that comes to more than a price may be is credited, all of it or a part', async () => {
    const [item] = source.items;
    source = {
      ...source,
      items: [{ ...(item as NonNullable<typeof item>), quantity: 2, unit_price: 100_000_000 }],
      totals: { ...source.totals, subtotal: 200_000_000, vat: 36_000_000, total: 236_000_000 },
    };
    await browser.post(address, await preview(whole));
    expect(asked[0]?.body).not.toHaveProperty('expected_total');
    await browser.post(address, await preview({ ...part, amount: '236000000' }));
    expect(asked[1]?.body.items.map(({ unit_price }) => unit_price)).toEqual([1e8, 1e8, 36_000_000]);
  });

  it('contact details are those of the card of the customer, not of the source', async () => {
    const form = await preview(part);
    await browser.post(address, form);
    const { id, tax_id, legal_type } = source.customer;
    expect(asked[0]?.body.customer).toEqual({ id, tax_id, legal_type });
  });
});
