import type { ApiKey, CreateDocument, CreatedDocument, WebhookEndpoint } from '@pinkas/contracts';
import { addDays, dayInIsrael } from '@pinkas/domain';
import { issueRefused } from '../harness/refused-number.js';
import { sendRefusedRequest } from '../harness/refused-request.js';
import { rejectAddress } from '../harness/rejected-address.js';
import { type Issuer, invoice, type RunningStack, sendsMail } from '../harness/running-stack.js';

/** What a page is opened with, and whose book it is. */
export interface DemoBook {
  readonly issuer: Issuer;
  /** One that gives donation receipts, and is not connected to the tax authority. */
  readonly institution: Issuer;
  /** Ids by the path of a page. */
  readonly ids: Readonly<Record<string, string>>;
}

/** The idempotency key of an order with several attempts. */
export const demoOrder = 'shop-1043';

const days = 480;
const customers = [
  { name: 'לקוח לדוגמה בע"מ', tax_id: '777777723', email: 'customer@example.com', phone: '03-0000001' },
  { name: 'סטודיו לדוגמה', email: 'studio@example.com' },
  { name: 'העמותה לדוגמה לקידום החינוך, התרבות והספורט בצפון ובדרום (ע"ר)', email: 'amuta@example.com' },
  { name: 'Example Trading Ltd', email: 'trading@example.com' },
  { name: 'מסעדה לדוגמה' },
  { name: 'חנות לדוגמה, סניף השוק', email: 'shop@example.com' },
];
const work = [
  { description: 'ייעוץ, לשעה', quantity: 6, unit_price: 350 },
  { description: 'עיצוב דף נחיתה', quantity: 1, unit_price: 2_400 },
  { description: 'תחזוקה חודשית', quantity: 1, unit_price: 890 },
  { description: 'אחסון אתר, לשנה', quantity: 1, unit_price: 540 },
  { description: 'צילום מוצרים, ליום', quantity: 2, unit_price: 1_150 },
];

async function makeInstitution(stack: RunningStack): Promise<Issuer> {
  const institution = await stack.newIssuer({
    ...sendsMail,
    name: 'עמותה לדוגמה (ע"ר)',
    legal_type: 'amuta',
    tax_authority_connected: false,
    donation_approval: { number: '46-123', valid_until: null },
  });
  for (const amount of [180, 360]) {
    const customer = { name: 'תורם לדוגמה', tax_id: '777777723' };
    const payments = [{ method: 'cash', amount }] as const;
    await stack.issueUntilAnswered(
      institution.key,
      invoice(amount, { type: 'donation_receipt', customer, payments: [...payments] }),
    );
  }
  return institution;
}

/** Makes a business with what sixteen months of work leave in its book, and with something on each of its pages. */
export async function makeDemoBook(stack: RunningStack): Promise<DemoBook> {
  const issuer = await stack.newIssuer({
    ...sendsMail,
    name: 'עסק לדוגמה בע"מ',
    tax_authority_connected: true,
    default_notes: 'תודה שבחרתם בנו.',
  });
  const cards: (string | undefined)[] = customers.map(() => undefined);
  const today = dayInIsrael(new Date());
  const issue = async (who: number, body: CreateDocument, send = false): Promise<CreatedDocument> => {
    const known = cards[who];
    const customer = known === undefined ? customers[who] : { id: known };
    const document = await stack.issueUntilAnswered(issuer.key, {
      ...body,
      customer,
      send,
    } as CreateDocument);
    cards[who] ??= document.customer.id ?? undefined;
    return document;
  };
  const itemsOf = (n: number) =>
    [work[n % work.length], ...(n % 3 === 0 ? [work[(n + 2) % work.length]] : [])] as CreateDocument['items'];
  const receipt = (of: CreatedDocument, amount: number, date: string, n: number) =>
    invoice(amount, {
      type: 'receipt',
      date,
      based_on: of.id,
      prices_include_vat: true,
      items: [{ description: 'תשלום', quantity: 1, unit_price: amount }],
      payments: [
        n % 2 === 0
          ? { method: 'bank_transfer', amount, reference: String(100_200 + n) }
          : { method: 'credit_card', amount, card_last_digits: '4580' },
      ],
    });

  // Oldest first, as dates of a type may not go back.
  for (let n = 0; n < 48; n += 1) {
    const date = addDays(today, -days + n * 10);
    const who = (n * n + (n % 3)) % customers.length;
    const items = itemsOf(n);
    const total = (items ?? []).reduce((sum, item) => sum + item.quantity * item.unit_price, 0) * 1.18;
    const paid = Math.round(total * 100) / 100;
    if (n % 4 === 1) {
      const payments = [{ method: 'wallet_method_1', amount: paid, reference: String(n) }] as const;
      await issue(who, invoice(1, { type: 'tax_invoice_receipt', date, items, payments: [...payments] }));
      continue;
    }
    const bill = await issue(who, invoice(1, { date, due_date: addDays(date, 30), items }));
    if (n < 38 && n % 9 !== 4) {
      await issue(who, receipt(bill, bill.totals.total, addDays(date, 6), n));
    } else if (n % 5 === 0) {
      await issue(who, receipt(bill, Math.round(bill.totals.total / 2), addDays(date, 6), n));
    }
    if (n === 20) {
      const credited = invoice(1, { type: 'credit_note', date: addDays(date, 6), items, based_on: bill.id });
      await issue(who, credited);
    }
  }
  const quote = await issue(1, invoice(1, { type: 'quote', items: itemsOf(6) }), true);
  await issue(0, invoice(1, { type: 'proforma', items: itemsOf(1), due_date: addDays(today, 14) }), true);
  const large = [{ description: 'הקמת חנות מקוונת', quantity: 1, unit_price: 14_800 }];
  const bill = await issue(
    2,
    invoice(1, { items: large, external_ref: 'order-1042', title: 'חנות מקוונת' }),
    true,
  );
  await issue(2, receipt(bill, 5_000, today, 0), true);
  const withoutNumber = invoice(1, {
    items: [{ ...large[0], unit_price: 6_200 }] as CreateDocument['items'],
  });
  const refused = await issueRefused(stack, () => issue(0, withoutNumber, true));
  await rejectAddress(stack, customers[5]?.email ?? '', () =>
    issue(5, invoice(1, { items: itemsOf(2) }), true),
  );

  const business = ['--business', issuer.business.id];
  await stack.pinkas<ApiKey>('key', 'create', ...business, '--name', 'האתר שלנו');
  await stack.pinkas('person', 'invite', 'bookkeeper@pinkas.localhost', ...business, '--role', 'bookkeeper');
  // Nothing listens there: its log has attempts that failed.
  const { endpoint } = await stack.pinkas<{ endpoint: WebhookEndpoint }>(
    ...['webhook', 'create', 'http://127.0.0.1:65000/events', ...business, '--description', 'CRM'],
  );
  await stack.pinkas('webhook', 'test', endpoint.id);
  const keys = await stack.pinkas<ApiKey[]>('key', 'list', ...business);
  // An order that was refused, corrected, and sent once more.
  const request = await sendRefusedRequest(stack, issuer.key, 'חולצה לדוגמה', demoOrder);
  const order = invoice(120, { external_ref: demoOrder, customer: { id: cards[0] ?? '' } });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await stack.issueUntilAnswered(issuer.key, order, demoOrder);
  }
  const customer = bill.customer.id ?? '';
  return {
    issuer,
    institution: await makeInstitution(stack),
    ids: {
      '/documents/:id': bill.id,
      '/documents/:id/credit': bill.id,
      '/documents/:id/number': refused.id,
      '/documents/:id/refusal/:decision': `${refused.id}/refusal/object`,
      '/documents/:id/cancel': quote.id,
      '/documents/:id/set-offs': bill.id,
      '/documents/:id/withheld': bill.id,
      '/customers/:id': customer,
      '/customers/:id/statement': customer,
      '/customers/:id/statement/email': customer,
      '/debts/:id/reminder': customer,
      '/customers/:id/set-off': customer,
      '/connection/webhooks/:id': endpoint.id,
      '/connection/webhooks/:id/rotate': endpoint.id,
      '/connection/webhooks/:id/remove': endpoint.id,
      '/connection/:id/revoke': keys[0]?.id ?? '',
      '/connection/requests/:id': request,
    },
  };
}
