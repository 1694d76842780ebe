import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CreatedDocument, type ErrorBody } from '@pinkas/contracts';
import { type DocumentType, documentTypes, type PaymentMethod } from '@pinkas/domain';
import { expectRefusal, faultPathsOf } from '../error-table.js';
import { documentOf, plainType, quote } from '../example-bodies.js';
import { addDays, dayInIsrael } from '../israel-time.js';
import type { Answer, Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';
import {
  absentCases,
  type Case,
  choiceCases,
  dateCases,
  extras,
  item,
  letters,
  methods,
  no,
  nullCases,
  numberCases,
  patternCases,
  textCases,
  unknownMembers,
} from './create-field-cases.js';

export function createFields(suite: Suite): void {
  let issuers: Issuer[];
  const keyOf = (index: number) => (issuers[index % issuers.length] as Issuer).key;

  function table(title: string, cases: readonly Case[]): void {
    describe(title, () => {
      const answers = answersTo(cases, (entry, index): Promise<Answer<CreatedDocument & ErrorBody>> => {
        const body = entry.body(entry.value) as { type?: unknown };
        // Of the plain types each has its own series, so that the accepted cases need not wait for one another.
        return suite.issue(keyOf(index), body.type === 'quote' ? { ...body, type: plainType(index) } : body);
      });
      it.each(
        cases.map((entry) => [entry.path, entry.ok ? 'may be' : 'may not be', entry.says, entry] as const),
      )('2.6 %s %s %s', (_path, _may, _says, entry) => {
        const answer = answers(entry);
        if (entry.ok) {
          expect([answer.status, answer.body.error]).toEqual([201, undefined]);
        } else {
          expect(faultPathsOf(answer)).toEqual([entry.path]);
        }
      });
    });
  }

  describe('2.6 the create request', () => {
    beforeAll(async () => {
      issuers = await Promise.all(Array.from({ length: 4 }, () => suite.newIssuer()));
    });

    table('lengths, in code points', textCases);
    table('formats', patternCases);
    table('ranges, decimals and counts', numberCases);
    table('days', dateCases);
    table('choices, flags and ids', choiceCases);
    table('null is no value', nullCases);
    table('what is required', absentCases);
    table(
      'unknown members',
      unknownMembers.map((field) => no(field, 'there', 1)),
    );

    it.each(documentTypes)('2.6 type may be %s', async (type) => {
      const key = keyOf(0);
      const source = type === 'credit_note' ? await suite.issued(key, documentOf('tax_invoice')) : undefined;
      const created = await suite.issued(key, documentOf(type, source ? { based_on: source.id } : {}));
      expect(created.type).toBe(type);
    });

    it('2.6 customer must contain id or name', async () => {
      const paths = faultPathsOf(await suite.issue(keyOf(0), quote({ customer: {} })));
      expect(paths.length).toBeGreaterThan(0);
      for (const path of paths) {
        expect(['/customer/id', '/customer/name']).toContain(path);
      }
    });

    it.each([
      ['quantity', '1.00000', '1'],
      ['quantity', '1e-4', '0.0001'],
      ['quantity', '2E2', '200'],
      ['unit_price', '19.900', '19.9'],
      ['unit_price', '1e2', '100'],
      ['unit_price', '-0', '0'],
    ])(
      'decisions, Numbers: decimals are counted on the shortest form, so %s may be written %s',
      async (field, written, value) => {
        const body = JSON.stringify(quote({ items: item({ [field]: '%' }) as never })).replace(
          '"%"',
          written,
        );
        const answer = await suite.issue(keyOf(0), undefined, randomUUID(), { bytes: Buffer.from(body) });
        expect(answer.status).toBe(201);
        const [stored] = (await suite.read(keyOf(0), answer.body.id)).items;
        expect(stored?.[field as 'quantity']).toBe(Number(value));
      },
    );

    it('decisions, Strictness: every fault is named, each by its pointer', async () => {
      const answer = await suite.issue(
        keyOf(0),
        {
          type: 'quote',
          number: 7,
          date: '2026-02-30',
          due_date: '2026-07-01',
          customer: { name: ' ', tax_id: '12', email: null, phone: 'call me' },
          items: [{ description: ' ', quantity: 0.00001, unit_price: 1.005, total: 1 }, { quantity: '1' }],
          discount: { type: 'percent', value: 0 },
          payments: [{ method: 'cash', amount: 1.001, check_number: '1', card_type: 'x' }],
          expected_total: 1.234,
        },
        'k'.repeat(129),
      );
      expect(faultPathsOf(answer)).toEqual(
        [
          '/customer/email',
          '/customer/name',
          '/customer/phone',
          '/customer/tax_id',
          '/date',
          '/discount/value',
          '/due_date',
          '/expected_total',
          '/headers/Idempotency-Key',
          '/items/0/description',
          '/items/0/quantity',
          '/items/0/total',
          '/items/0/unit_price',
          '/items/1/description',
          '/items/1/quantity',
          '/items/1/unit_price',
          '/number',
          '/payments/0/amount',
          '/payments/0/card_type',
          '/payments/0/check_number',
        ].sort(),
      );
    });

    it('decisions, Strictness: POST /documents takes no query parameters', async () => {
      const answer = await suite.call(keyOf(0), 'POST', '/documents?dry_run=1', {
        body: quote(),
        headers: { 'idempotency-key': randomUUID() },
      });
      expect(faultPathsOf(answer)).toEqual(['/query/dry_run']);
    });

    describe('decisions, Payment extras: each belongs to its methods', () => {
      const withExtras = (method: PaymentMethod, belonging: boolean) =>
        Object.entries(extras).filter(([, { of }]) => of.includes(method) === belonging);
      const bodyOf = (method: PaymentMethod, chosen: ReturnType<typeof withExtras>) =>
        documentOf('receipt', {
          payments: [
            {
              method,
              amount: 100,
              ...Object.fromEntries(chosen.map(([extra, { value }]) => [extra, value])),
            },
          ],
        });
      const answers = answersTo(methods, async (method, index) => ({
        own: await suite.issue(keyOf(index), bodyOf(method, withExtras(method, true))),
        others: await suite.issue(keyOf(index), bodyOf(method, withExtras(method, false))),
      }));

      it.each(methods)('%s takes its own and refuses every other', (method) => {
        expect(answers(method).own.status).toBe(201);
        expect(faultPathsOf(answers(method).others)).toEqual(
          withExtras(method, false)
            .map(([extra]) => `/payments/0/${extra}`)
            .sort(),
        );
      });
    });

    describe('2.6 due_date is for tax_invoice and proforma', () => {
      const others = documentTypes.filter((type) => type !== 'tax_invoice' && type !== 'proforma');
      const answers = answersTo(others, (type) =>
        suite.issue(keyOf(0), documentOf(type, { due_date: dayInIsrael(30) })),
      );
      it.each(others)('decisions, due_date: on %s it is a fault', (type) =>
        expect(faultPathsOf(answers(type))).toEqual(['/due_date']),
      );

      it.each(['tax_invoice', 'proforma'] as const)(
        'decisions, due_date: on %s it may be the date itself, and not the day before',
        async (type) => {
          const { key } = await suite.newIssuer();
          const date = '2026-01-05';
          const early = await suite.issue(key, documentOf(type, { date, due_date: addDays(date, -1) }));
          expect(faultPathsOf(early)).toEqual(['/due_date']);
          const same = await suite.issued(key, documentOf(type, { date, due_date: date }));
          expect(same.due_date).toBe(date);
        },
      );

      it('decisions, due_date: it may not precede today where the date is left to the service', async () => {
        const body = (due: string): object => documentOf('proforma', { due_date: due });
        expect(faultPathsOf(await suite.issue(keyOf(0), body(dayInIsrael(-1))))).toEqual(['/due_date']);
        expect((await suite.issue(keyOf(0), body(dayInIsrael(1)))).status).toBe(201);
      });

      it('2.6 without one the payment terms of the business decide; on other types it is null', async () => {
        const [usual, own] = await Promise.all([
          suite.newIssuer(),
          suite.newIssuer({ payment_terms_days: 45 }),
        ]);
        const dueOf = async ({ key }: Issuer, type: DocumentType) =>
          (await suite.issued(key, documentOf(type, { date: '2026-01-20' }))).due_date;
        expect(await dueOf(usual, 'tax_invoice')).toBe('2026-02-19');
        expect(await dueOf(usual, 'proforma')).toBe('2026-02-19');
        expect(await dueOf(own, 'tax_invoice')).toBe('2026-03-06');
        for (const type of ['quote', 'order', 'receipt'] as const) {
          expect(await dueOf(usual, type)).toBeNull();
        }
      });
    });

    it('2.6 date: without one the document has today', async () => {
      const today = dayInIsrael();
      expect([today, dayInIsrael()]).toContain((await suite.issued(keyOf(0), quote())).date);
    });

    it('2.6 prices_include_vat: without it the setting of the business decides', async () => {
      const [net, gross] = await Promise.all([
        suite.newIssuer({ prices_include_vat: false }),
        suite.newIssuer({ prices_include_vat: true }),
      ]);
      const totalOf = async (key: string, change: object) =>
        (await suite.issued(key, quote(change))).totals.total;
      expect(await totalOf(net.key, {})).toBe(118);
      expect(await totalOf(gross.key, {})).toBe(100);
      expect(await totalOf(net.key, { prices_include_vat: true })).toBe(100);
      expect(await totalOf(gross.key, { prices_include_vat: false })).toBe(118);
    });

    it('decisions, Payment extras: a payment without a date has the date of the document', async () => {
      const { key } = await suite.newIssuer();
      const { id } = await suite.issued(
        key,
        documentOf('receipt', {
          date: '2026-01-05',
          payments: [
            { method: 'cash', amount: 60 },
            { method: 'cash', amount: 40, date: '2025-12-31' },
          ],
        }),
      );
      const dates = (await suite.read(key, id)).payments.map(({ date }) => date);
      expect(dates).toEqual(['2026-01-05', '2025-12-31']);
    });

    it('2.6 external_ref is echoed', async () => {
      const created = await suite.issued(keyOf(0), quote({ external_ref: 'order-17' }));
      expect(created.external_ref).toBe('order-17');
    });
  });

  it('decisions, Empty texts: a text with nothing but a maximum is absent when it is empty, and null in answers', async () => {
    const { key } = await suite.newIssuer();
    const empty = { title: '', notes: '', external_ref: '' };
    const body = documentOf('receipt', {
      ...empty,
      items: item({ sku: '' }),
      payments: [{ method: 'cash', amount: 100, reference: '', card_type: '' }],
    });
    const { id, external_ref } = await suite.issued(key, body);
    const { title, notes, items, payments } = await suite.read(key, id);
    expect([external_ref, title, notes, items[0]?.sku, payments[0]?.reference]).toEqual(Array(5).fill(null));
  });

  describe('2.6 the Idempotency-Key header', () => {
    let key: string;
    beforeAll(async () => {
      ({ key } = await suite.newIssuer());
    });

    it.each([
      ['128 characters', 'k'.repeat(128)],
      ['one character', `${Math.random()}`.slice(-1)],
      ['128 Hebrew characters', letters(128)],
    ])('8 it may have %s', async (_says, idempotencyKey) => {
      const header = Buffer.from(idempotencyKey, 'utf8').toString('latin1');
      expect((await suite.issue(key, quote(), header)).status).toBe(201);
    });

    it('8 129 characters are a validation_error of the header', async () => {
      expect(faultPathsOf(await suite.issue(key, quote(), 'k'.repeat(129)))).toEqual([
        '/headers/Idempotency-Key',
      ]);
    });

    it.each([
      ['absent', undefined],
      ['empty', ''],
    ])('4.4 it may not be %s', async (_says, header) => {
      const answer = await suite.issue(key, quote(), '', { headers: { 'idempotency-key': header } });
      expectRefusal(answer, 'missing_idempotency_key');
    });
  });
}
