import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BusinessChange, CreatedDocument, DocumentPage } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { eventually } from '@pinkas/testkit';
import { documentOf, newName, newTaxId } from '../example-bodies.js';
import { textOfPdf } from '../pdf-text.js';
import type { Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';

const connected: BusinessChange = { tax_authority_connected: true };

/** Of documents whose numbers are to be in their responses. */
const attemptsMax = 3;

/** A document with its number in its response, where the authority answers in time: for that a busy machine may be too slow. */
async function withNumber(issue: () => Promise<CreatedDocument>): Promise<CreatedDocument> {
  let document = await issue();
  for (let attempt = 2; attempt <= attemptsMax && document.allocation.status === 'failed'; attempt += 1) {
    document = await issue();
  }
  return document;
}

/** Rule 4.5 of section 4.4, section 3.2, and the decisions on allocation. */
export function allocation(suite: Suite): void {
  describe('4.4 rule 4.5 allocation', () => {
    let issuer: Issuer;
    let key: string;
    beforeAll(async () => {
      issuer = await suite.newIssuer(connected);
      key = issuer.key;
    });
    afterAll(() => suite.stack.setMode('tax_authority', { mode: 'ok' }));

    /** A document of so much net, to a customer with a tax id. */
    const netOf = (type: DocumentType, net: number, change: object = {}) => ({
      ...documentOf(type),
      customer: { name: newName(), tax_id: newTaxId() },
      items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: net }],
      prices_include_vat: false,
      ...(documentOf(type).payments
        ? { payments: [{ method: 'bank_transfer', amount: Math.round(net * 118) / 100 }] }
        : {}),
      ...change,
    });
    interface Granted {
      granted: { invoice_id: string; confirmation_number: string }[];
    }
    const grantsFor = async (id: string) =>
      (await suite.stack.calls<Granted>('tax_authority')).granted.filter((grant) => grant.invoice_id === id);

    const asking = ['tax_invoice', 'tax_invoice_receipt', 'credit_note'] as const;
    const issueAboveThreshold = async (type: DocumentType) => {
      const source =
        type === 'credit_note' ? await suite.issued(key, netOf('tax_invoice', 9_000)) : undefined;
      return suite.issued(key, netOf(type, 5_000.01, source ? { based_on: source.id } : {}));
    };
    const issued = answersTo(asking, (type) => withNumber(() => issueAboveThreshold(type)));

    it.each(asking)(
      'a %s above the threshold is given a number: nine digits of what the authority answered',
      async (type) => {
        const { id, allocation: actual, allocation_number } = issued(type);
        expect(actual).toEqual({ status: 'issued', number: allocation_number, reason: null });
        const grants = await grantsFor(id);
        expect(grants).toHaveLength(1);
        expect(allocation_number).toBe(grants[0]?.confirmation_number.slice(-9));
        expect(allocation_number).toMatch(/^\d{9}$/);
      },
    );

    it.each(asking)(
      'the page and the PDF of a %s have the number from the moment of the 201',
      async (type) => {
        const { allocation_number, view_url, pdf_url, id } = issued(type);
        const [page, pdf] = await Promise.all([suite.visit(view_url), suite.visit(pdf_url)]);
        expect(page.text).toContain(allocation_number);
        const text = await textOfPdf(pdf.bytes);
        expect(text).toContain(allocation_number);
        // Made before delivery, it is the original.
        expect(text).toContain('מקור | מסמך ממוחשב');
        expect((await suite.read(key, id)).allocation_number).toBe(allocation_number);
      },
    );

    const notRequired: [string, () => object][] = [
      ['exactly at the threshold', () => netOf('tax_invoice', 5_000)],
      ['below it', () => netOf('tax_invoice', 100)],
      [
        'below it by its discount',
        () => netOf('tax_invoice', 5_100, { discount: { type: 'amount', value: 100 } }),
      ],
      ['gross above, net at it', () => netOf('tax_invoice', 5_900, { prices_include_vat: true })],
      ['a proforma', () => netOf('proforma', 9_000)],
      ['a quote', () => netOf('quote', 9_000)],
      ['a receipt', () => netOf('receipt', 9_000)],
      ['a donation_receipt', () => netOf('donation_receipt', 9_000)],
    ];
    const without = answersTo(notRequired, ([, body]) => suite.issued(key, body()));
    const expectNone = ({ allocation: actual, allocation_number }: CreatedDocument, status: string) => {
      expect([actual.status, actual.number, allocation_number]).toEqual([status, null, null]);
      expect(actual.reason).toMatch(/\S/);
    };
    it.each(notRequired.map((entry) => [entry[0], entry] as const))(
      '%s needs none: not_required',
      async (_what, entry) => {
        expectNone(without(entry), 'not_required');
        expect(await grantsFor(without(entry).id)).toEqual([]);
      },
    );

    const businesses: [string, BusinessChange, object, string][] = [
      ['a business that is not connected', {}, {}, 'not_required'],
      ['a date before the law took effect', connected, { date: '2024-05-04' }, 'not_required'],
      ['a business without VAT', { ...connected, vat_rate: 0 }, {}, 'not_required'],
      [
        'a customer without a tax id',
        connected,
        { customer: { name: newName() } },
        'skipped_customer_tax_id_missing',
      ],
      ...[{}, { tax_id: newTaxId() }].flatMap((id) =>
        (['private', 'osek_patur'] as const).map((legal_type): [string, BusinessChange, object, string] => [
          `a customer of the kind ${legal_type} with${id.tax_id ? '' : 'out'} a tax id, who deducts no VAT`,
          connected,
          { customer: { name: newName(), legal_type, ...id } },
          'not_required',
        ]),
      ),
      ['a business without a tax id', { ...connected, tax_id: null }, {}, 'skipped_business_tax_id_missing'],
      [
        'neither with a tax id',
        { ...connected, tax_id: null },
        { customer: { name: newName() } },
        'skipped_business_tax_id_missing',
      ],
      [
        'a higher threshold of the business',
        { ...connected, allocation_threshold_net: 6_000 },
        {},
        'not_required',
      ],
      ['a lower threshold of the business', { ...connected, allocation_threshold_net: 10 }, {}, 'issued'],
    ];
    const actual = answersTo(businesses, async ([, settings, change]) => {
      const own = await suite.newIssuer(settings);
      return withNumber(() => suite.issued(own.key, netOf('tax_invoice', 6_000, change)));
    });
    it.each(businesses.map((entry) => [entry[0], entry[3], entry] as const))(
      'the allocation of %s is %s',
      (_what, status, entry) => {
        if (status === 'issued') {
          expect(actual(entry).allocation.status).toBe('issued');
        } else {
          expectNone(actual(entry), status);
        }
      },
    );

    describe('3.2 the authority', () => {
      const modes = ['refuse', 'error', 'malformed', 'hang'] as const;
      it.each(modes)(
        'an authority that answers with %s leads to failed with a reason, and the document is',
        async (mode) => {
          const own = await suite.newIssuer(connected);
          await suite.stack.setMode('tax_authority', { mode });
          const idempotencyKey = randomUUID();
          const body = netOf('tax_invoice', 6_000);
          const document = await suite.issued(own.key, body, idempotencyKey);
          await suite.stack.setMode('tax_authority', { mode: 'ok' });
          expectNone(document, 'failed');
          expect((await suite.read(own.key, document.id)).number).toBe(1);
          // A replay stays what the creation answered, however it goes on.
          expect((await suite.issue(own.key, body, idempotencyKey)).body).toEqual(document);
        },
      );

      it('an authority that is back gives the number later, and the list, the page and the PDF show it, but a replay does not', async () => {
        const own = await suite.newIssuer({
          ...connected,
          auto_send: { enabled: true, channel: 'email', quiet_hours: null },
          // The message does not wait for the number.
          allocation_hold_minutes: 0,
        });
        await suite.stack.setMode('tax_authority', { mode: 'error' });
        const idempotencyKey = randomUUID();
        const to = `${randomUUID()}@example.com`;
        const body = netOf('tax_invoice', 6_000, {
          customer: { name: newName(), tax_id: newTaxId(), email: to },
        });
        const document = await suite.issued(own.key, body, idempotencyKey);
        await suite.stack.setMode('tax_authority', { mode: 'ok' });
        expectNone(document, 'failed');
        await eventually('the original is delivered', async () => (await suite.stack.mailsTo(to)).length > 0);
        const number = await eventually(
          'the number is set',
          async () => (await suite.read(own.key, document.id)).allocation_number,
        );
        const [listed] = (await suite.get<DocumentPage>(own.key, '/documents')).body.data;
        expect([listed?.allocation_number, listed?.allocation]).toEqual([
          number,
          { status: 'issued', number, reason: null },
        ]);
        const text = await eventually('the PDF has it', async () => {
          const actual = await textOfPdf((await suite.visit(document.pdf_url)).bytes);
          return actual.includes(number) ? actual : undefined;
        });
        expect(text).toContain('העתק | מסמך ממוחשב');
        expect((await suite.visit(document.view_url)).text).toContain(number);
        expect((await suite.issue(own.key, body, idempotencyKey)).body).toEqual(document);
      });
    });
  });
}
