import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CreateDocument, DocumentPreview } from '@pinkas/contracts';
import { computeTotals } from '@pinkas/domain';
import fc from 'fast-check';
import type { Issuer, RunningStack } from '../../harness/running-stack.js';
import { repositoryRoot } from '../../harness/sources.js';
import { seed } from '../../properties/config.js';
import type { PhpDriver } from './php-driver.js';
import { type OrderChange, wooCommerceOrder } from './woocommerce-order.js';

const ordersDrawn = 400;

/** One row of the page: what WooCommerce has, and what each document is and comes to. */
interface Row {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the page has it as JSON.
  readonly blocks: readonly { readonly kind: string; readonly json: any }[];
  readonly totals: readonly { readonly total: number; readonly vat: number }[];
}

/** `docs/from-woocommerce.md` and the functions of the examples in PHP. */
export function fromWooCommerce(
  system: () => RunningStack,
  driver: () => Promise<PhpDriver | undefined>,
): void {
  describe('From WooCommerce', () => {
    let php: PhpDriver | undefined;
    let issuer: Issuer;
    let exempt: Issuer;
    let page: string;
    beforeAll(async () => {
      php = await driver();
      page = await readFile(join(repositoryRoot, 'docs/from-woocommerce.md'), 'utf8');
      [issuer, exempt] = await Promise.all([
        system().newIssuer(),
        system().newIssuer({ legal_type: 'osek_patur' }),
      ]);
    });

    const documentsOf = async (calls: readonly unknown[][]): Promise<CreateDocument[]> => {
      const { ok, error } = await (php as PhpDriver).ask({ do: 'woocommerce', arguments: calls });
      expect(error).toBeUndefined();
      return ok;
    };
    const preview = async (body: CreateDocument) => {
      const { key } = body.type === 'receipt' ? exempt : issuer;
      const answer = await system().call<DocumentPreview>(key, 'POST', '/documents/preview', { body });
      expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
      return answer.body.totals;
    };

    /** The documents that the functions make for a row. */
    async function documentsOfRow({ blocks }: Row): Promise<CreateDocument[]> {
      const given = wooCommerceOrder(blocks.find(({ kind }) => kind === 'order')?.json);
      const refund = blocks.find(({ kind }) => kind === 'refund')?.json;
      const parts = blocks.filter(({ kind }) => kind === 'part').map(({ json }) => json);
      if (parts.length > 0) {
        return documentsOf(parts.map(([amount, name]) => ['partOf', given, amount, name]));
      }
      const type = blocks.find(({ kind }) => kind === 'document')?.json.type;
      if (refund === undefined) {
        return documentsOf([['documentOf', given, ...(type === undefined ? [] : [type])]]);
      }
      const [source] = (await documentsOf([['documentOf', given]])) as [CreateDocument];
      const issued = await system().issue(issuer.key, source);
      return documentsOf([['creditNoteOf', given, refund, issued.body.id]]);
    }

    it('each row of the page is what the functions make of the order, and comes to what the page states', async () => {
      const rows = rowsOf(page);
      const linked = [...page.matchAll(/\]\(#([a-z-]+)\) \|$/gm)].map(([, anchor]) => anchor);
      expect(new Set(linked)).toEqual(new Set(rows.map(({ name }) => anchorOf(name))));
      if (!php) {
        return;
      }
      for (const row of rows) {
        const documents = await documentsOfRow(row);
        const stated = row.blocks.filter(({ kind }) => kind === 'document').map(({ json }) => json);
        expect([row.name, documents.map(shownOf)]).toEqual([row.name, stated.map(shownOf)]);
        const totals = [];
        for (const document of documents) {
          const { total, vat } = await preview(document);
          expect(document.expected_total).toBe(total);
          totals.push({ total, vat });
        }
        expect([row.name, totals]).toEqual([row.name, row.totals]);
      }
    });

    it('an order of another currency, or with other VAT than of its total, has no document', async () => {
      const refusalOf = async (change: OrderChange, ...call: unknown[]) => {
        const [name = 'documentOf', ...others] = call;
        const asked = [[name, wooCommerceOrder(change), ...others]];
        return (await (php as PhpDriver).ask({ do: 'woocommerce', arguments: asked })).error?.message;
      };
      if (!php) {
        return;
      }
      const mug = { total: '100.00', total_tax: '18.00' };
      const fruit = { total: '100.00', total_tax: '0.00' };
      const dollars = { currency: 'USD', total: '118.00', line_items: [mug] };
      const inDollars = 'order 1042 is in USD, and documents are in ILS';
      expect(await refusalOf(dollars)).toBe(inDollars);
      expect(await refusalOf(dollars, 'partOf', '18.00', 'מקדמה')).toBe(inDollars);
      expect(await refusalOf(dollars, 'creditNoteOf', { id: 1, amount: '18.00' }, 'id')).toBe(inDollars);
      const declared = (tax: string, vat: string) =>
        `the VAT of order 1042 is ${tax}, and 18% of its total is ${vat}`;
      expect(await refusalOf({ total: '100.00', line_items: [fruit] })).toBe(declared('0.00', '15.25'));
      const mixed = { total: '218.00', line_items: [mug, fruit] };
      expect(await refusalOf(mixed)).toBe(declared('18.00', '33.25'));
      expect(await refusalOf(mixed, 'partOf', '18.00', 'מקדמה')).toBe(declared('18.00', '33.25'));
      const giftCard = { name: 'Gift card', total: '-50.00', total_tax: '0.00' };
      expect(await refusalOf({ total: '68.00', line_items: [mug], fee_lines: [giftCard] })).toBe(
        declared('18.00', '10.37'),
      );
      const taxed = { total: '118.00', line_items: [mug] };
      expect(await refusalOf(taxed, 'documentOf', 'receipt')).toBe(
        'the VAT of order 1042 is 18.00, and 0% of its total is 0.00',
      );
    });

    it('the names, quantities and means of payment of a shop become what the API takes', async () => {
      if (!php) {
        return;
      }
      const lineOf = async (line: object, total = '118.00') => {
        const mug = { total: '100.00', total_tax: '18.00', ...line };
        const [made] = await documentsOf([['documentOf', wooCommerceOrder({ total, line_items: [mug] })]]);
        expect(await preview(made as CreateDocument)).toMatchObject({ total: Number(total) });
        return made?.items[0];
      };
      const half = { subtotal: '50.00', subtotal_tax: '9.00', total: '50.00', total_tax: '9.00' };
      expect(await lineOf({ quantity: 1.25 })).toMatchObject({ quantity: 1.25, unit_price: 94.4 });
      expect(await lineOf({ quantity: 0.5, ...half }, '59.00')).toMatchObject({
        quantity: 0.5,
        unit_price: 118,
      });
      expect(await lineOf({ quantity: '2' })).toMatchObject({ quantity: 2, unit_price: 59 });
      expect(await lineOf({ quantity: 1.7 })).toMatchObject({ quantity: 1, description: '1.7 × Mug' });
      expect(await lineOf({ quantity: 0.33333 })).toMatchObject({ quantity: 1, unit_price: 118 });
      expect(await lineOf({ name: 'Salt &amp; <b>Pepper</b> &#8211; 5&lt;6' })).toMatchObject({
        description: 'Salt & Pepper – 5<6',
      });
      const family = '👨‍👩‍👧‍👦';
      expect((await lineOf({ name: `${'א'.repeat(195)}${family}` }))?.description).toBe('א'.repeat(195));
      expect((await lineOf({ name: 'א'.repeat(199), quantity: 7 }))?.description).toBe(
        `7 × ${'א'.repeat(196)}`,
      );
      expect(await lineOf({ sku: 's'.repeat(70) })).toMatchObject({ sku: 's'.repeat(64) });
      expect(await lineOf({ name: '' })).toMatchObject({ description: 'פריט' });

      const made = async (change: OrderChange) => {
        const mug = { total: '100.00', total_tax: '18.00' };
        const order = wooCommerceOrder({ total: '118.00', line_items: [mug], ...change });
        const [document] = (await documentsOf([['documentOf', order]])) as [CreateDocument];
        await preview(document);
        return document;
      };
      const courier = { method_title: '', total: '10.00', total_tax: '1.80' };
      const shipped = await made({ total: '129.80', shipping_lines: [courier] });
      expect(shipped.items[1]).toMatchObject({ description: 'משלוח' });
      const nameOf = async (billing: object) => (await made({ billing })).customer.name;
      const nobody = { first_name: '', last_name: '' };
      expect(await nameOf(nobody)).toBe('customer@example.com');
      expect(await nameOf({ ...nobody, first_name: 'x', email: '' })).toBe('לקוח של הזמנה 1042');
      expect(await nameOf({ company: 'דוגמה &quot;בע״מ&quot;' })).toBe('דוגמה "בע״מ"');
      expect(await nameOf({ company: 'ב'.repeat(130) })).toBe('ב'.repeat(120));
      for (const [id, title, method] of [
        ['bacs', 'Direct bank transfer', 'bank_transfer'],
        ['cheque', 'Check payments', 'check'],
        ['cod', 'Cash on delivery', 'cash'],
        ['stripe', 'Credit / Debit Card', 'credit_card'],
        ['grow_bit', 'תשלום בביט', 'wallet_method_1'],
        ['gateway', 'ביט', 'wallet_method_1'],
        ['coins', 'Bitcoin', 'credit_card'],
        ['paybox', 'PayBox', 'wallet_method_2'],
        ['ppcp-gateway', 'PayPal', 'wallet_method_3'],
        ['ppcp-credit-card-gateway', 'Debit & Credit Cards', 'credit_card'],
        ['stripe', 'Google Pay (Stripe)', 'wallet_method_4'],
        ['ppcp-applepay', 'Apple Pay', 'wallet_method_5'],
      ] as const) {
        const { payments } = await made({ payment_method: id, payment_method_title: title });
        expect([id, title, payments?.[0]?.method]).toEqual([id, title, method]);
      }
      const order = wooCommerceOrder({
        total: '118.00',
        line_items: [{ total: '100.00', total_tax: '18.00' }],
      });
      expect(await documentsOf([['creditNoteOf', order, { id: 3, amount: '0.00' }, 'id']])).toEqual([null]);
    });

    it('an order of any lines, taxes, coupons and fees comes to its total to the agora', async () => {
      if (!php) {
        return;
      }
      const orders = fc.sample(anyOrder, { numRuns: ordersDrawn, seed });
      const documents = await documentsOf(orders.map((drawn) => ['documentOf', wooCommerceOrder(drawn)]));
      for (const [index, { items, discount, expected_total }] of documents.entries()) {
        const { total } = computeTotals({
          vatRate: 18,
          pricesIncludeVat: true,
          items: items.map(({ quantity, unit_price }) => ({ quantity, unitPrice: unit_price })),
          discount: discount ?? null,
        });
        expect([orders[index], agorotText(total)]).toEqual([orders[index], orders[index]?.total]);
        expect(expected_total).toBe(Number(orders[index]?.total));
      }
    });
  });
}

function rowsOf(page: string): Row[] {
  const [, rows = ''] = page.split('\n## Rows\n');
  return rows
    .split(/^### /m)
    .slice(1)
    .map((text) => ({
      name: text.split('\n')[0] ?? '',
      blocks: [...text.matchAll(/```json (\w+)\n([\s\S]*?)```/g)].map(([, kind = '', json = '']) => ({
        kind,
        json: JSON.parse(json),
      })),
      totals: [...text.matchAll(/comes to \*\*([\d.]+)\*\*, of it VAT \*\*([\d.]+)\*\*/g)].map(
        ([, total, vat]) => ({ total: Number(total), vat: Number(vat) }),
      ),
    }));
}

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '')
    .replaceAll(' ', '-');

/** What the page shows of a document. */
const shownOf = ({ type, items, discount }: Partial<CreateDocument>) => ({
  type: type ?? 'tax_invoice_receipt',
  items,
  discount,
});

const agorotText = (agorot: bigint | number) => (Number(agorot) / 100).toFixed(2);
const halfUp = (value: number) => Math.floor(value + 0.5);

/** Amounts before VAT in agorot; the tax of each is rounded alone, as the API of WooCommerce shows it. */
const anyLine = fc.record({
  quantity: fc.integer({ min: 1, max: 12 }),
  net: fc.integer({ min: 1, max: 500_000 }),
  couponPercent: fc.constantFrom(0, 0, 10, 33, 100),
});

const anyOrder = fc
  .record({
    lines: fc.array(anyLine, { minLength: 1, maxLength: 8 }),
    shipping: fc.constantFrom(0, 1_271, 2_999),
    fee: fc.constantFrom(0, 847, 333),
    roundsOnce: fc.boolean(),
  })
  .map(({ lines, shipping, fee, roundsOnce }) => {
    const taxOf = (net: number) => halfUp((net * 18) / 100);
    const priced = lines.map(({ quantity, net, couponPercent }) => ({
      quantity,
      subtotal: net * quantity,
      total: net * quantity - halfUp((net * quantity * couponPercent) / 100),
    }));
    const nets = [...priced.map(({ total }) => total), shipping, fee];
    const sum = nets.reduce((before, net) => before + net, 0);
    const tax = roundsOnce ? taxOf(sum) : nets.reduce((before, net) => before + taxOf(net), 0);
    const amount = (name: string, net: number) => ({
      [name]: agorotText(net),
      [`${name}_tax`]: agorotText(taxOf(net)),
    });
    return {
      line_items: priced.map(({ quantity, subtotal, total }, index) => ({
        name: `Line ${index}`,
        quantity,
        ...amount('subtotal', subtotal),
        ...amount('total', total),
      })),
      shipping_lines: [{ method_title: 'Courier', ...amount('total', shipping) }],
      fee_lines: [{ name: 'Fee', ...amount('total', fee) }],
      total: agorotText(sum + tax),
      total_tax: agorotText(tax),
    } as unknown as OrderChange & { total: string };
  });
