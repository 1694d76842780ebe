import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type BusinessChange,
  type CreatedDocument,
  type ErrorCode,
  revokeKey,
  setKillSwitch,
} from '@pinkas/contracts';
import { aLongMinute } from '../avoid-minute-end.js';
import { errorTable, expectRefusal } from '../error-table.js';
import { documentOf, newTaxId, quote } from '../example-bodies.js';
import { dayInIsrael } from '../israel-time.js';
import type { CallOptions, Issuer, Suite } from '../suite.js';
import { bodyBytesMax } from './request-bodies.js';

/** The decisions on the order of checks: of two faults that are together, the earlier one is answered. */
export function orderOfChecks(suite: Suite): void {
  describe('decisions, Order of checks', () => {
    const tooLarge = Buffer.alloc(262_145, 'x');
    /** Everything that the bytes and headers of a request can have wrong. */
    const wrong: CallOptions = { bytes: tooLarge, headers: { 'content-type': 'text/plain' } };

    const postWith = (key: string | null, options: CallOptions = wrong) =>
      suite.call(key, 'POST', '/documents', options);

    /** A business, and a key of it, in which this and everything after it is wrong. */
    const states: [ErrorCode, BusinessChange][] = [
      ['business_archived', { archived: true }],
      ['external_provider_not_supported', { provider: 'external' }],
      ['business_profile_incomplete', { legal_type: null }],
      ['subscription_required', { subscription: 'inactive' }],
      ['issuing_blocked_expenses_only', { track: 'expenses_only' }],
    ];
    it.each(states.map(([code], index) => [code, index] as const))(
      '%s comes before whatever else the business, the key and the body have wrong',
      async (code, index) => {
        const settings = Object.assign({}, ...states.slice(index).map(([, change]) => change));
        const { key } = await suite.newIssuer(settings, { scopes: ['customers:read'] });
        expectRefusal(await postWith(key), code);
      },
    );

    it('api_disabled comes before a missing key', async () => {
      await suite.callContract(setKillSwitch, { enabled: false });
      try {
        expectRefusal(await postWith(null), 'api_disabled');
      } finally {
        await suite.callContract(setKillSwitch, { enabled: true });
      }
    });

    it('key_revoked comes before rate_limited and before the state of the business', async () => {
      await aLongMinute();
      const issuer = await suite.newIssuer({ archived: true }, { per_minute: 1 });
      expectRefusal(await postWith(issuer.key), 'business_archived');
      expectRefusal(await postWith(issuer.key), 'rate_limited');
      await suite.callContract(revokeKey, { key_id: issuer.apiKey.id });
      expectRefusal(await postWith(issuer.key), 'key_revoked');
    });

    it('rate_limited comes before the state of the business', async () => {
      await aLongMinute();
      const { key } = await suite.newIssuer({ archived: true }, { per_minute: 1 });
      expectRefusal(await postWith(key), 'business_archived');
      expectRefusal(await postWith(key), 'rate_limited');
    });

    it('insufficient_scope comes before payload_too_large', async () => {
      const { key } = await suite.newIssuer({}, { scopes: ['documents:read', 'customers:read'] });
      expectRefusal(await postWith(key), 'insufficient_scope');
    });

    it('payload_too_large comes before missing_idempotency_key, and that before invalid_json', async () => {
      const { key } = await suite.newIssuer();
      expectRefusal(await postWith(key), 'payload_too_large');
      const small = { ...wrong, bytes: Buffer.from('x') };
      expectRefusal(await postWith(key, small), 'missing_idempotency_key');
    });

    it('invalid_json comes before validation_error, that of the header included', async () => {
      const { key } = await suite.newIssuer();
      const answer = await suite.issue(key, undefined, 'k'.repeat(129), { bytes: Buffer.from('{') });
      expectRefusal(answer, 'invalid_json');
    });

    it('validation_error comes before legal_type_forbidden', async () => {
      const { key } = await suite.newIssuer({ legal_type: 'osek_patur' });
      expectRefusal(await suite.issue(key, documentOf('tax_invoice', { items: [] })), 'validation_error');
    });

    it.each([true, false])('an unknown path is not_found, a key with it or not (%s)', async (withKey) => {
      const { key } = await suite.newIssuer({ archived: true });
      expectRefusal(await suite.call(withKey ? key : null, 'POST', '/nothing', wrong), 'not_found');
    });
  });

  describe('decisions, Order of business rules', () => {
    let licensed: Issuer;
    let exempt: Issuer;
    /** Of the same business as `licensed`, and its day is over. */
    let spentKey: string;
    let sources: Record<'open' | 'cancelledQuote' | 'cancelledProforma', CreatedDocument>;
    const rivalTaxId = newTaxId();
    const issuedKey = randomUUID();
    beforeAll(async () => {
      [licensed, exempt] = await Promise.all([
        suite.newIssuer(),
        suite.newIssuer({ legal_type: 'osek_patur' }),
      ]);
      const { key } = licensed;
      const [spent, open, cancelledQuote, cancelledProforma] = await Promise.all([
        suite.newKey(licensed.business.id, { daily_documents: 0 }),
        suite.issued(key, documentOf('tax_invoice', { date: '2026-03-10' })),
        suite.issued(key, quote({ customer: { name: 'בעל מספר הזיהוי', tax_id: rivalTaxId } })),
        suite.issued(key, documentOf('proforma')),
        suite.issued(exempt.key, quote(), issuedKey),
      ]);
      spentKey = spent.key;
      sources = { open, cancelledQuote, cancelledProforma };
      for (const { id } of [cancelledQuote, cancelledProforma]) {
        await suite.cancel(key, id);
      }
    });
    afterAll(() => suite.stack.setMode('gotenberg', { fail_every: 0 }));

    const badTaxId = { name: 'לקוח לדוגמה', tax_id: '514713289' };
    const nobody = () => ({ id: randomUUID() });
    const rival = () => ({ name: 'שם אחר', tax_id: rivalTaxId });
    const discount = { type: 'percent', value: 10 } as const;
    const cash = [{ method: 'cash' as const, amount: 100 }];
    const wrongSum = [{ method: 'cash' as const, amount: 1 }];
    const tomorrow = () => dayInIsrael(1);

    type Attempt = [
      ErrorCode,
      ErrorCode,
      () => Promise<{ key: string; body: object; idempotencyKey?: string }>,
    ];
    const by = (body: () => object) => async () => ({ key: licensed.key, body: body() });
    const bySpent = (body: () => object) => async () => ({ key: spentKey, body: body() });
    const byExempt = (body: () => object) => async () => ({ key: exempt.key, body: body() });

    const pairs: Attempt[] = [
      [
        'validation_error',
        'idempotency_key_reused',
        async () => ({
          key: exempt.key,
          body: documentOf('quote', { items: [] }),
          idempotencyKey: issuedKey,
        }),
      ],
      [
        'idempotency_key_reused',
        'legal_type_forbidden',
        async () => ({ key: exempt.key, body: documentOf('tax_invoice'), idempotencyKey: issuedKey }),
      ],
      ['legal_type_forbidden', 'payments_required', byExempt(() => quote({ type: 'tax_invoice_receipt' }))],
      [
        'legal_type_forbidden',
        'payments_not_allowed',
        byExempt(() => documentOf('tax_invoice', { payments: cash })),
      ],
      ['legal_type_forbidden', 'based_on_required', byExempt(() => documentOf('credit_note'))],
      ['payments_required', 'discount_not_allowed', by(() => quote({ type: 'receipt', discount }))],
      ['payments_not_allowed', 'based_on_required', by(() => documentOf('credit_note', { payments: cash }))],
      [
        'payments_not_allowed',
        'invalid_customer_tax_id',
        by(() => quote({ payments: cash, customer: badTaxId })),
      ],
      [
        'discount_not_allowed',
        'invalid_customer_tax_id',
        by(() => documentOf('receipt', { discount, customer: badTaxId })),
      ],
      [
        'based_on_required',
        'invalid_customer_tax_id',
        by(() => documentOf('credit_note', { customer: badTaxId })),
      ],
      ['invalid_customer_tax_id', 'future_date', by(() => quote({ customer: badTaxId, date: tomorrow() }))],
      [
        'future_date',
        'based_on_not_found',
        by(() => documentOf('order', { date: tomorrow(), based_on: randomUUID() })),
      ],
      [
        'based_on_not_found',
        'validation_error',
        by(() => documentOf('order', { based_on: randomUUID(), discount: { type: 'percent', value: 101 } })),
      ],
      [
        'based_on_not_found',
        'total_mismatch',
        by(() => documentOf('order', { based_on: randomUUID(), expected_total: 1 })),
      ],
      [
        'based_on_type_not_allowed',
        'based_on_cancelled',
        by(() => documentOf('receipt', { based_on: sources.cancelledQuote.id })),
      ],
      [
        'based_on_type_not_allowed',
        'total_mismatch',
        by(() => documentOf('receipt', { based_on: sources.cancelledQuote.id, expected_total: 1 })),
      ],
      [
        'based_on_cancelled',
        'validation_error',
        by(() =>
          documentOf('order', {
            based_on: sources.cancelledQuote.id,
            discount: { type: 'percent', value: 101 },
          }),
        ),
      ],
      [
        'based_on_cancelled',
        'total_mismatch',
        by(() => documentOf('order', { based_on: sources.cancelledQuote.id, expected_total: 1 })),
      ],
      [
        'based_on_cancelled',
        'payments_total_mismatch',
        by(() => documentOf('receipt', { based_on: sources.cancelledProforma.id, payments: wrongSum })),
      ],
      [
        'validation_error',
        'total_mismatch',
        by(() => quote({ discount: { type: 'percent', value: 101 }, expected_total: 1 })),
      ],
      [
        'validation_error',
        'customer_not_found',
        by(() => quote({ discount: { type: 'percent', value: 101 }, customer: nobody() })),
      ],
      [
        'total_mismatch',
        'payments_total_mismatch',
        by(() => documentOf('receipt', { expected_total: 1, payments: wrongSum })),
      ],
      ['total_mismatch', 'customer_not_found', by(() => quote({ expected_total: 1, customer: nobody() }))],
      [
        'payments_total_mismatch',
        'customer_not_found',
        by(() => documentOf('receipt', { payments: wrongSum, customer: nobody() })),
      ],
      [
        'payments_total_mismatch',
        'customer_identity_conflict',
        by(() => documentOf('receipt', { payments: wrongSum, customer: rival() })),
      ],
      [
        'customer_not_found',
        'customer_identity_conflict',
        by(() => quote({ customer: { ...nobody(), tax_id: rivalTaxId } })),
      ],
      ['customer_not_found', 'daily_limit_reached', bySpent(() => quote({ customer: nobody() }))],
      ['customer_identity_conflict', 'daily_limit_reached', bySpent(() => quote({ customer: rival() }))],
      [
        'daily_limit_reached',
        'date_before_last_document',
        bySpent(() => documentOf('tax_invoice', { date: '2026-03-09' })),
      ],
    ];
    it.each(pairs)('%s comes before %s', async (first, _second, attempt) => {
      const { key, body, idempotencyKey } = await attempt();
      expectRefusal(await suite.issue(key, body, idempotencyKey), first);
    });

    it.each(pairs.filter(([first]) => first !== 'idempotency_key_reused'))(
      'a preview is refused by %s before %s, as its document is',
      async (first, _second, attempt) => {
        const { key, body } = await attempt();
        expectRefusal(await suite.preview(key, body), first);
      },
    );

    it('date_before_last_document refuses a preview', async () => {
      const body = documentOf('tax_invoice', { date: '2026-03-09' });
      const answer = await suite.preview(licensed.key, body);
      expectRefusal(answer, 'date_before_last_document');
    });

    it('date_before_last_document comes before document_generation_failed', async () => {
      await suite.stack.setMode('gotenberg', { fail_every: 1 });
      const early = documentOf('tax_invoice', { date: '2026-03-09' });
      expectRefusal(await suite.issue(licensed.key, early), 'date_before_last_document');
      expectRefusal(await suite.issue(licensed.key, documentOf('tax_invoice')), 'document_generation_failed');
      await suite.stack.setMode('gotenberg', { fail_every: 0 });
    });

    it('a replay comes before every business rule', async () => {
      const own = await suite.newIssuer();
      const idempotencyKey = randomUUID();
      const body = documentOf('tax_invoice', { date: '2026-03-10' });
      const first = await suite.issued(own.key, body, idempotencyKey);
      await suite.issued(own.key, documentOf('tax_invoice', { date: '2026-03-11' }));
      await suite.change(own, { legal_type: 'osek_patur' });
      const replay = await suite.issue(own.key, body, idempotencyKey);
      expect([replay.status, replay.body]).toEqual([201, first]);
    });

    it('every business rule of POST /documents is in these pairs', () => {
      const named = new Set(pairs.flatMap((pair) => pair.slice(0, 2)));
      const rules = (Object.keys(errorTable) as ErrorCode[]).filter((code) =>
        /^(legal_|payments_|discount_|based_on_|invalid_customer|future_|total_|customer_|daily_|date_)/.test(
          code,
        ),
      );
      expect(rules.filter((code) => !named.has(code))).toEqual([]);
    });
  });

  describe('decisions, Settled, Requests: cancelling', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
    });
    const cancelWith = (id: string, options: CallOptions) =>
      suite.call(issuer.key, 'POST', `/documents/${id}/cancel`, options);

    it.each([
      ['a body with unknown members', { body: { why: 'no' } }],
      ['a body that is no JSON', { bytes: Buffer.from('{') }],
    ] as [string, CallOptions][])('not_found comes before the faults of %s', async (_what, options) => {
      expectRefusal(await cancelWith(randomUUID(), options), 'not_found');
      expectRefusal(await cancelWith('17', options), 'not_found');
    });

    it('payload_too_large comes before not_found', async () => {
      const bytes = Buffer.from(`{}${' '.repeat(bodyBytesMax)}`);
      expectRefusal(await cancelWith(randomUUID(), { bytes }), 'payload_too_large');
    });

    it('the faults of the body come before already_cancelled and use_credit_note', async () => {
      const [cancelled, invoice] = await Promise.all([
        suite.issued(issuer.key, quote()),
        suite.issued(issuer.key, documentOf('tax_invoice')),
      ]);
      await suite.cancel(issuer.key, cancelled.id);
      for (const { id } of [cancelled, invoice]) {
        expectRefusal(await cancelWith(id, { body: { why: 'no' } }), 'validation_error');
        expectRefusal(await cancelWith(id, { bytes: Buffer.from('{') }), 'invalid_json');
      }
    });
  });
}
