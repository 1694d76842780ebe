import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import { expectRefusal, faultPathsOf } from '../error-table.js';
import { documentOf, plainType, quote, typesWithPayments, withCheckDigit } from '../example-bodies.js';
import { dayInIsrael } from '../israel-time.js';
import type { Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';
import { forbiddenToExempt } from '../type-tables.js';

const legalTypes = ['osek_murshe', 'hevra_baam', 'osek_patur', 'amuta', 'public_institution'] as const;
const typesWithoutPayments = documentTypes.filter((type) => !typesWithPayments.includes(type));
const typesWithoutDiscount: readonly DocumentType[] = ['receipt', 'donation_receipt'];
const cash = [{ method: 'cash' as const, amount: 100 }];

/** Rules 4.3, 4.4 and 4.7 of section 4.4, and table 2.1: what a business may issue, and with what. */
export function businessRules(suite: Suite): void {
  describe('4.4 POST /documents: what a business may issue', () => {
    const pairs = legalTypes.flatMap((legalType) =>
      documentTypes.map((type) => ({
        legalType,
        type,
        may: legalType === 'osek_murshe' || legalType === 'hevra_baam' || !forbiddenToExempt.includes(type),
      })),
    );
    const issuers = new Map<string, Issuer>();
    beforeAll(async () => {
      await Promise.all(
        legalTypes.map(async (legalType) =>
          issuers.set(legalType, await suite.newIssuer({ legal_type: legalType })),
        ),
      );
    });
    const answers = answersTo(pairs, async ({ legalType, type, may }) => {
      const { key } = issuers.get(legalType) as Issuer;
      const source =
        type === 'credit_note' && may
          ? (await suite.issued(key, documentOf('tax_invoice'))).id
          : randomUUID();
      return suite.issue(key, documentOf(type, type === 'credit_note' ? { based_on: source } : {}));
    });
    it.each(pairs.map((pair) => [pair.legalType, pair.may ? 'may' : 'may not', pair.type, pair] as const))(
      '2.1 %s %s issue %s',
      (_legalType, _may, _type, pair) => {
        if (pair.may) {
          expect(answers(pair).status).toBe(201);
        } else {
          expectRefusal(answers(pair), 'legal_type_forbidden');
        }
      },
    );
  });

  describe('4.4 POST /documents: rules', () => {
    let issuer: Issuer;
    let key: string;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
      key = issuer.key;
    });

    it.each(typesWithPayments)('4.7 %s without payments is payments_required', async (type) => {
      const { payments: _payments, ...body } = documentOf(type);
      expectRefusal(await suite.issue(key, body), 'payments_required');
    });

    it.each(typesWithPayments)(
      '4.7 %s of a total of 0 needs no payments, and empty ones are validation_error',
      async (type) => {
        const { payments: _payments, ...body } = documentOf(type);
        const free = { ...body, items: [{ description: 'מתנה', quantity: 1, unit_price: 0 }] };
        expectRefusal(await suite.issue(key, { ...free, payments: [] }), 'validation_error');
        const { status, body: issued } = await suite.issue(key, free);
        expect([status, issued.status, issued.totals?.total, issued.totals?.paid]).toEqual([
          201,
          'closed',
          0,
          0,
        ]);
      },
    );

    it.each(['tax_invoice', 'proforma'] as const)('a %s of a total of 0 is closed at once', async (type) => {
      const items = [{ description: 'מתנה', quantity: 1, unit_price: 0 }];
      expect((await suite.issued(key, documentOf(type, { items }))).status).toBe('closed');
    });

    it('4.4 the hint of a refusal of rounded cash names the amount to state', async () => {
      const items = [{ description: 'פריט', quantity: 1, unit_price: 99.96 }];
      const body = documentOf('receipt', { items, payments: [{ method: 'cash', amount: 100 }] });
      const answer = await suite.issue(key, body);
      expectRefusal(answer, 'payments_total_mismatch');
      expect(answer.body.error.hint).toContain('99.96');
    });

    it.each(typesWithoutPayments)('4.7 %s with payments is payments_not_allowed', async (type) => {
      expectRefusal(await suite.issue(key, documentOf(type, { payments: cash })), 'payments_not_allowed');
    });

    it.each(typesWithoutDiscount)('4.7 %s with a discount is discount_not_allowed', async (type) => {
      const body = documentOf(type, { discount: { type: 'percent', value: 10 } });
      expectRefusal(await suite.issue(key, body), 'discount_not_allowed');
    });

    const discounted = documentTypes.filter((type) => !typesWithoutDiscount.includes(type));
    const withDiscount = answersTo(discounted, async (type) => {
      const source = type === 'credit_note' ? await suite.issued(key, documentOf('tax_invoice')) : undefined;
      return suite.issue(
        key,
        documentOf(type, {
          discount: { type: 'amount', value: 10 },
          ...(type === 'tax_invoice_receipt' ? { payments: [{ method: 'cash', amount: 90 }] } : {}),
          ...(source ? { based_on: source.id } : {}),
        }),
      );
    });
    it.each(discounted)('2.1 %s may have a discount', (type) => {
      expect([withDiscount(type).status, withDiscount(type).body.totals?.total]).toEqual([201, 90]);
    });

    it('4.7 a credit_note without a source is based_on_required', async () => {
      expectRefusal(await suite.issue(key, documentOf('credit_note')), 'based_on_required');
    });

    it.each(['514713289', '000000001', '12345'])(
      '4.2 the tax id %s fails its checksum: invalid_customer_tax_id',
      async (taxId) => {
        const body = quote({ customer: { name: 'לקוח לדוגמה', tax_id: taxId } });
        expectRefusal(await suite.issue(key, body), 'invalid_customer_tax_id');
      },
    );

    it('4.2 every check digit but the right one is refused', async () => {
      const right = withCheckDigit('20345671');
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, digit) =>
          suite.issue(
            key,
            quote({
              type: plainType(digit),
              customer: { name: 'לקוח לספרת ביקורת', tax_id: `20345671${digit}` },
            }),
          ),
        ),
      );
      const passed = answers.flatMap((answer, digit) => (answer.status === 201 ? [`20345671${digit}`] : []));
      expect(passed).toEqual([right]);
    });

    it('4.3 tomorrow in Israel is future_date, today is not', async () => {
      const own = await suite.newIssuer();
      expectRefusal(await suite.issue(own.key, quote({ date: dayInIsrael(1) })), 'future_date');
      expectRefusal(await suite.issue(own.key, quote({ date: '2999-12-31' })), 'future_date');
      expect((await suite.issue(own.key, quote({ date: dayInIsrael() }))).status).toBe(201);
    });

    it('4.3 a date before the last document of the type is date_before_last_document, and the details name it', async () => {
      const own = await suite.newIssuer();
      await suite.issued(own.key, quote({ date: '2026-03-10' }));
      const early = await suite.issue(own.key, quote({ date: '2026-03-09' }));
      expectRefusal(early, 'date_before_last_document');
      expect(early.body.error.details).toEqual({ last_document_date: '2026-03-10' });
      expect((await suite.issue(own.key, quote({ date: '2026-03-10' }))).status).toBe(201);
      expect((await suite.issue(own.key, quote({ date: '2026-03-11' }))).status).toBe(201);
    });

    it('4.3 each type has its own last document', async () => {
      const own = await suite.newIssuer();
      await suite.issued(own.key, quote({ date: '2026-03-10' }));
      expect((await suite.issued(own.key, documentOf('order', { date: '2026-01-01' }))).date).toBe(
        '2026-01-01',
      );
    });

    it('decisions, Dates: a cancelled document still counts as the last of its type', async () => {
      const own = await suite.newIssuer();
      const { id } = await suite.issued(own.key, quote({ date: '2026-03-10' }));
      expect((await suite.cancel(own.key, id)).status).toBe(200);
      const early = await suite.issue(own.key, quote({ date: '2026-03-09' }));
      expectRefusal(early, 'date_before_last_document');
    });

    it('decisions, Numbers: each business and type counts from 1, one by one', async () => {
      const own = await suite.newIssuer();
      const numbers = [];
      for (const type of ['quote', 'order', 'quote', 'order', 'quote'] as const) {
        numbers.push((await suite.issued(own.key, quote({ type }))).number);
      }
      expect(numbers).toEqual([1, 1, 2, 2, 3]);
    });

    it("decisions, Numbers: or from where the business's earlier books ended, until the type has a document", async () => {
      const own = await suite.newIssuer({ first_numbers: { quote: 5001 } });
      expect((await suite.issued(own.key, quote())).number).toBe(5001);
      expect((await suite.issued(own.key, quote())).number).toBe(5002);
      await expect(suite.change(own, { first_numbers: { quote: 1 } })).rejects.toMatchObject({
        code: 'validation_error',
      });
      await suite.change(own, { first_numbers: { order: 70 } });
      expect((await suite.issued(own.key, quote({ type: 'order' }))).number).toBe(70);
      expect((await suite.issued(own.key, quote())).number).toBe(5003);
    });

    it('4.4 expected_total within 0.01 passes; 0.02 off is total_mismatch with the computed total', async () => {
      for (const expected of [117.99, 118, 118.01]) {
        expect((await suite.issue(key, quote({ expected_total: expected }))).status).toBe(201);
      }
      for (const expected of [117.98, 118.02, 0]) {
        const answer = await suite.issue(key, quote({ expected_total: expected }));
        expectRefusal(answer, 'total_mismatch');
        expect(answer.body.error.details).toEqual({ computed_total: 118 });
      }
    });

    it('4.4 payments within 0.01 of the total pass; 0.02 off is payments_total_mismatch with the total', async () => {
      const receipt = (...amounts: number[]) =>
        suite.issue(
          key,
          documentOf('receipt', { payments: amounts.map((amount) => ({ method: 'cash', amount })) }),
        );
      for (const amount of [99.99, 100, 100.01]) {
        expect((await receipt(amount)).status).toBe(201);
      }
      expect((await receipt(33.33, 33.33, 33.33)).status).toBe(201);
      for (const amounts of [[99.98], [100.02], [50, 49.98]]) {
        const answer = await receipt(...amounts);
        expectRefusal(answer, 'payments_total_mismatch');
        expect(answer.body.error.details).toEqual({ total: 100 });
      }
    });

    it('decisions, Settled, Requests: totals above 999,999,999,999.99 are a validation_error', async () => {
      const item = { description: 'פריט לדוגמה', quantity: 10_000, unit_price: 100_000_000 };
      const total = (...change: object[]) =>
        suite.issue(
          key,
          quote({ prices_include_vat: true, items: change.map((part) => ({ ...item, ...part })) }),
        );
      const most = await total({ quantity: 9_999 }, { quantity: 1, unit_price: 99_999_999.99 });
      expect([most.status, most.body.totals?.total]).toEqual([201, 999_999_999_999.99]);
      expectRefusal(await total({ quantity: 10_000 }), 'validation_error');
    });

    it('decisions, Settled, Requests: a discount above the sum, or above 100 percent, is a fault of /discount/value', async () => {
      const discount = (type: 'percent' | 'amount', value: number) =>
        suite.issue(key, quote({ discount: { type, value } }));
      expect((await discount('amount', 100)).status).toBe(201);
      expect(faultPathsOf(await discount('amount', 100.01))).toEqual(['/discount/value']);
      expect((await discount('percent', 100)).status).toBe(201);
      expect(faultPathsOf(await discount('percent', 100.01))).toEqual(['/discount/value']);
    });

    it('decisions, Settled, Requests: an amount of discount with more than two decimals is rounded', async () => {
      const { totals } = await suite.issued(key, quote({ discount: { type: 'amount', value: 10.005 } }));
      expect(totals).toMatchObject({ subtotal: 100, discount: 10.01, vat: 16.2, total: 106.19 });
    });
  });
}
