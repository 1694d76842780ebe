import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type BusinessChange,
  type CreatedDocument,
  type CustomerList,
  type DocumentPage,
  type ErrorCode,
  postDocuments,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectRefusal } from '../error-table.js';
import { documentOf, newName, newTaxId, plainTypes, quote } from '../example-bodies.js';
import { dayInIsrael } from '../israel-time.js';
import type { CallOptions, Issuer, Suite } from '../suite.js';

/** What a business and a key of it have, as far as a caller can see it. */
interface Footprint {
  readonly used: number;
  readonly customers: CustomerList['data'];
  readonly documents: DocumentPage['data'];
}

/** General rule 1.10 and the end of the order of business rules: a refused request leaves nothing behind. */
export function nothingLeft(suite: Suite): void {
  describe('1.10 a refused request leaves nothing behind', () => {
    let issuer: Issuer;
    let spentKey: string;
    let noScopeKey: string;
    let invoice: CreatedDocument;
    let cancelled: CreatedDocument;
    let existing: CreatedDocument;
    const usedKey = randomUUID();
    const rivalTaxId = newTaxId();

    const footprint = async (key: string): Promise<Footprint> => {
      const [profile, customers, documents] = await Promise.all([
        suite.me(key),
        suite.get<CustomerList>(key, '/customers?limit=50'),
        suite.get<DocumentPage>(key, '/documents?include_cancelled=true&limit=100'),
      ]);
      return {
        used: profile.limits.used_today,
        customers: customers.body.data,
        documents: documents.body.data,
      };
    };

    beforeAll(async () => {
      issuer = await suite.newIssuer();
      const { key, business } = issuer;
      [existing, invoice, cancelled] = await Promise.all([
        suite.issued(
          key,
          quote({ customer: { name: 'לקוח קיים', tax_id: rivalTaxId }, date: '2026-03-10' }),
          usedKey,
        ),
        suite.issued(key, documentOf('tax_invoice')),
        suite.issued(key, documentOf('proforma')),
      ]);
      await suite.cancel(key, cancelled.id);
      await eventually('the customers of these documents are there', async () => {
        const { customers } = await footprint(key);
        return customers.length === 2;
      });
      spentKey = (await suite.newKey(business.id, { daily_documents: 0 })).key;
      noScopeKey = (await suite.newKey(business.id, { scopes: ['documents:read', 'customers:read'] })).key;
    });
    afterAll(() => suite.stack.setMode('gotenberg', { fail_every: 0 }));

    type Attempt = () => { key?: string; body?: object; idempotencyKey?: string; options?: CallOptions };
    /** Each speaks of a customer that is not there yet, so that a card that is left behind is seen. */
    const stranger = () => ({ customer: { name: newName(), email: 'customer@example.com' } });
    const attempts: [ErrorCode, Attempt][] = [
      ['insufficient_scope', () => ({ key: noScopeKey, body: quote(stranger()) })],
      ['payload_too_large', () => ({ options: { bytes: Buffer.alloc(262_145, ' ') } })],
      [
        'missing_idempotency_key',
        () => ({ body: quote(stranger()), options: { headers: { 'idempotency-key': undefined } } }),
      ],
      ['invalid_json', () => ({ options: { bytes: Buffer.from(`${JSON.stringify(quote(stranger()))}}`) } })],
      ['validation_error', () => ({ body: { ...quote(stranger()), number: 7 } })],
      ['idempotency_key_reused', () => ({ body: quote(stranger()), idempotencyKey: usedKey })],
      ['payments_required', () => ({ body: quote({ type: 'receipt', ...stranger() }) })],
      [
        'payments_not_allowed',
        () => ({ body: quote({ payments: [{ method: 'cash', amount: 118 }], ...stranger() }) }),
      ],
      [
        'discount_not_allowed',
        () => ({ body: documentOf('receipt', { discount: { type: 'percent', value: 1 }, ...stranger() }) }),
      ],
      ['based_on_required', () => ({ body: documentOf('credit_note', stranger()) })],
      [
        'invalid_customer_tax_id',
        () => ({ body: quote({ customer: { name: newName(), tax_id: '514713289' } }) }),
      ],
      ['future_date', () => ({ body: quote({ date: dayInIsrael(1), ...stranger() }) })],
      [
        'based_on_not_found',
        () => ({ body: documentOf('order', { based_on: randomUUID(), ...stranger() }) }),
      ],
      [
        'based_on_type_not_allowed',
        () => ({ body: documentOf('order', { based_on: invoice.id, ...stranger() }) }),
      ],
      [
        'based_on_cancelled',
        () => ({ body: documentOf('receipt', { based_on: cancelled.id, ...stranger() }) }),
      ],
      ['total_mismatch', () => ({ body: quote({ expected_total: 1, ...stranger() }) })],
      [
        'payments_total_mismatch',
        () => ({ body: documentOf('receipt', { payments: [{ method: 'cash', amount: 1 }], ...stranger() }) }),
      ],
      ['customer_not_found', () => ({ body: quote({ customer: { id: randomUUID() } }) })],
      [
        'customer_identity_conflict',
        () => ({ body: quote({ customer: { name: newName(), tax_id: rivalTaxId } }) }),
      ],
      [
        'daily_limit_reached',
        () => ({ key: spentKey, body: quote({ customer: { name: newName(), tax_id: newTaxId() } }) }),
      ],
      [
        'date_before_last_document',
        () => ({ body: quote({ date: '2026-03-09', customer: { name: newName(), tax_id: newTaxId() } }) }),
      ],
      [
        'document_generation_failed',
        () => ({
          body: documentOf('receipt', {
            based_on: invoice.id,
            customer: { name: newName(), tax_id: newTaxId() },
          }),
        }),
      ],
    ];

    it.each(attempts)('a rejection with %s leaves nothing', async (code, attempt) => {
      const { key = issuer.key, body, idempotencyKey = randomUUID(), options = {} } = attempt();
      const before = await footprint(issuer.key);
      if (code === 'document_generation_failed') {
        await suite.stack.setMode('gotenberg', { fail_every: 1 });
      }
      const answer = await suite.issue(key, body, idempotencyKey, options);
      if (code === 'document_generation_failed') {
        await suite.stack.setMode('gotenberg', { fail_every: 0 });
      }
      expectRefusal(answer, code);
      // The source too: its status and what was paid of it are in the list.
      expect(await footprint(issuer.key)).toEqual(before);
    });

    it('a rejection with legal_type_forbidden leaves nothing', async () => {
      const exempt = await suite.newIssuer({ legal_type: 'amuta' });
      expectRefusal(
        await suite.issue(exempt.key, documentOf('tax_invoice', stranger())),
        'legal_type_forbidden',
      );
      expect(await footprint(exempt.key)).toEqual({ used: 0, customers: [], documents: [] });
    });

    const states: [ErrorCode, BusinessChange, BusinessChange][] = [
      ['business_archived', { archived: true }, { archived: false }],
      ['external_provider_not_supported', { provider: 'external' }, { provider: 'native' }],
      ['business_profile_incomplete', { legal_type: null }, { legal_type: 'hevra_baam' }],
      ['subscription_required', { subscription: 'inactive' }, { subscription: 'active' }],
      ['issuing_blocked_expenses_only', { track: 'expenses_only' }, { track: 'full' }],
    ];
    it.each(states)('a rejection with %s leaves nothing', async (code, into, outOf) => {
      const own = await suite.newIssuer(into);
      expectRefusal(await suite.issue(own.key, quote(stranger())), code);
      await suite.change(own, outOf);
      expect(await footprint(own.key)).toEqual({ used: 0, customers: [], documents: [] });
    });

    it('the next document of every type has the next number after all rejections', async () => {
      const { key } = issuer;
      const [quoted, ordered, received, credited] = await Promise.all([
        suite.issued(key, quote()),
        suite.issued(key, documentOf('order')),
        suite.issued(key, documentOf('receipt')),
        suite.issued(key, documentOf('credit_note', { based_on: invoice.id })),
      ]);
      expect([quoted.number, ordered.number, received.number, credited.number]).toEqual([
        existing.number + 1,
        1,
        1,
        1,
      ]);
      const names = (await footprint(key)).customers.map(({ name }) => name);
      expect(names.sort()).toEqual(['לקוח לדוגמה', 'לקוח קיים']);
    });

    it('every code that POST /documents names is among these, but for the one that speaks of another request', () => {
      const tried = new Set<string>([...attempts.map(([code]) => code), 'legal_type_forbidden']);
      expect(postDocuments.errors.filter((code) => !tried.has(code))).toEqual(['request_in_progress']);
    });

    it('a document that failed to be generated is issued by the same request with the same key', async () => {
      const own = await suite.newIssuer();
      const idempotencyKey = randomUUID();
      await suite.stack.setMode('gotenberg', { fail_every: 1 });
      const failed = await suite.issue(own.key, quote(), idempotencyKey);
      await suite.stack.setMode('gotenberg', { fail_every: 0 });
      expectRefusal(failed, 'document_generation_failed');
      const again = await suite.issue(own.key, quote(), idempotencyKey);
      expect([again.status, again.body.number, again.headers['idempotent-replayed']]).toEqual([
        201,
        1,
        undefined,
      ]);
    });

    it('concurrent requests of which some fail get the numbers 1, 2, 3, …', async () => {
      const own = await suite.newIssuer();
      await suite.stack.setMode('gotenberg', { fail_every: 3 });
      const answers = await Promise.all(
        Array.from({ length: 15 }, (_, index) =>
          suite.issue(own.key, quote({ type: plainTypes[index % 2] as 'quote' })),
        ),
      );
      await suite.stack.setMode('gotenberg', { fail_every: 0 });
      const issued = answers.filter(({ status }) => status === 201).map(({ body }) => body);
      expect(issued.length).toBeLessThan(15);
      for (const type of plainTypes.slice(0, 2)) {
        const numbers = issued.filter((document) => document.type === type).map(({ number }) => number);
        expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
      }
      expect((await suite.me(own.key)).limits.used_today).toBe(issued.length);
    });
  });
}
