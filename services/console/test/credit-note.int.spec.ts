import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  getDocument,
  type IssuedDocument,
  issueDocument,
  listSeries,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from './console.js';

type Issue = RequestOf<typeof issueDocument>;

describe('a credit note in the console', () => {
  let console: ConsoleUnderTest;
  let browser: TestBrowser;
  let source: IssuedDocument;
  let address: string;
  let credited: number;
  let fail: ApiError | null;
  /** What issuing was asked for, and what it has issued, by key. */
  const asked: Issue[] = [];
  const issued = new Map<string, { body: string; reply: ReplyOf<typeof issueDocument> }>();

  beforeAll(async () => {
    console = await startConsole();
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
    console.network.answer(listSeries, () => ({ series: [] }));
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
  afterAll(() => console.stop());
  beforeEach(async () => {
    const business = console.addBusiness();
    browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    source = exampleDocument({ business_id: business.id });
    address = `/b/${business.id}/documents/${source.id}/credit`;
    credited = 0;
    fail = null;
    asked.length = 0;
    issued.clear();
  });

  /** The hidden fields of the page that asks for a confirmation. */
  async function preview(fields: Record<string, string>): Promise<Record<string, string>> {
    const { status, text } = await browser.post(address, { step: 'preview', ...fields });
    expect(status).toBe(200);
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
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

  it.each([{ extent: 'whole' }, { extent: 'part', amount: '117', description: 'החזר' }])(
    'the preview for a document with an earlier VAT rate has that rate: %j',
    async (fields) => {
      const totals = { ...source.totals, subtotal: 100, discount: 0, vat: 17, vat_rate: 17, total: 117 };
      const items = [{ description: 'שירות', quantity: 1, unit_price: 100, line_total: 100, sku: null }];
      source = { ...source, items, discount: null, prices_include_vat: false, totals };
      const { status, text } = await browser.post(address, { step: 'preview', ...fields });
      expect(status).toBe(200);
      expect(text).toMatch(/100\.00.*17\.00.*117\.00/s);
    },
  );

  it('the whole cannot be credited where a part is, whatever the form says', async () => {
    credited = 50;
    const { status } = await browser.post(address, { ...whole, step: 'issue', credited: '5000' });
    expect(status).toBe(422);
    expect(asked).toEqual([]);
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

  it('contact details are those of the card of the customer, not of the source', async () => {
    const form = await preview(part);
    await browser.post(address, form);
    const { id, tax_id, legal_type } = source.customer;
    expect(asked[0]?.body.customer).toEqual({ id, tax_id, legal_type });
  });
});
