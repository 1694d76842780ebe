import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CancelledDocument, ErrorBody, NewDocument } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { expectRefusal, faultPathsOf } from '../error-table.js';
import { documentOf, quote } from '../example-bodies.js';
import type { Answer, Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';
import { accounting, cancellable } from '../type-tables.js';

/** Sections 2.7, 3.1 and 4.7: POST /documents/{id}/cancel. */
export function cancelling(suite: Suite): void {
  describe('4.7 POST /documents/{id}/cancel', () => {
    let issuer: Issuer;
    let key: string;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
      key = issuer.key;
    });
    const issueOne = async (type: DocumentType, change: object = {}): Promise<NewDocument> => {
      const source = type === 'credit_note' ? await suite.issued(key, documentOf('tax_invoice')) : undefined;
      return suite.issued(key, documentOf(type, { ...(source ? { based_on: source.id } : {}), ...change }));
    };

    const cancelled = answersTo(cancellable, async (type) => {
      const created = await issueOne(type, { external_ref: `ref-${type}` });
      const before = Date.now();
      return { created, before, answer: await suite.cancel<CancelledDocument>(key, created.id) };
    });
    it.each(cancellable)(
      '3.1 %s: answers the document as cancelled, without allocation and delivery',
      (type) => {
        const { created, before, answer } = cancelled(type);
        const { allocation: _allocation, delivery: _delivery, warnings: _warnings, ...rest } = created;
        expect(answer.status).toBe(200);
        expect(answer.body).toEqual({
          ...rest,
          status: 'cancelled',
          cancelled_at: answer.body.cancelled_at,
        });
        const at = Date.parse(answer.body.cancelled_at ?? '');
        expect(at).toBeGreaterThanOrEqual(before - 1_000);
        expect(at).toBeLessThanOrEqual(Date.now() + 1_000);
      },
    );

    it.each(cancellable)('4.6 %s: reads as cancelled from then on', async (type) => {
      const { created, answer } = cancelled(type);
      const { cancelled_at } = answer.body;
      expect(await suite.read(key, created.id)).toMatchObject({ status: 'cancelled', cancelled_at });
    });

    it.each(cancellable)('4.7 %s: a second time is already_cancelled', async (type) => {
      expectRefusal(await suite.cancel(key, cancelled(type).created.id), 'already_cancelled');
    });

    const refused = answersTo(accounting, async (type) => suite.cancel(key, (await issueOne(type)).id));
    it.each(accounting)('3.1 %s is an accounting document: use_credit_note', (type) =>
      expectRefusal(refused(type), 'use_credit_note'),
    );

    const invoiced = (['delivery_note', 'return_note'] as const).flatMap((source) =>
      (['tax_invoice', 'tax_invoice_receipt'] as const).map((by) => ({ source, by })),
    );
    const linked = answersTo(
      invoiced.filter(({ source, by }) => !(source === 'return_note' && by === 'tax_invoice_receipt')),
      async ({ source, by }) => {
        const { id } = await issueOne(source);
        await issueOne(by, { based_on: id });
        return suite.cancel(key, id);
      },
    );
    it.each(
      invoiced
        .filter(({ source, by }) => !(source === 'return_note' && by === 'tax_invoice_receipt'))
        .map((entry) => [entry.source, entry.by, entry] as const),
    )('3.1 a %s with a %s based on it is invoiced: linked_document_closed', (_source, _by, entry) =>
      expectRefusal(linked(entry), 'linked_document_closed'),
    );

    it('decisions, Documents: a delivery_note with only a return_note or a proforma based on it is not invoiced', async () => {
      const [returned, billed] = await Promise.all([issueOne('delivery_note'), issueOne('delivery_note')]);
      await issueOne('return_note', { based_on: returned.id });
      await issueOne('proforma', { based_on: billed.id });
      for (const { id } of [returned, billed]) {
        expect((await suite.cancel(key, id)).status).toBe(200);
      }
    });

    const closable = ['quote', 'order', 'proforma'] as const;
    const closed = answersTo(closable, async (type): Promise<Answer<CancelledDocument & ErrorBody>> => {
      const { id } = await issueOne(type);
      await issueOne('tax_invoice', { based_on: id });
      expect((await suite.read(key, id)).status).toBe('closed');
      return suite.cancel<CancelledDocument>(key, id);
    });
    it.each(closable)('decisions, Settled, Rules: a closed %s may be cancelled', (type) => {
      expect([closed(type).status, closed(type).body.status]).toEqual([200, 'cancelled']);
    });

    it('4.7 a document that is missing is not_found, and so is an id that is no UUID', async () => {
      for (const id of [randomUUID(), '17', 'quote', '%20']) {
        expectRefusal(await suite.cancel(key, id), 'not_found');
      }
    });

    it('4.7 a document of another business is not_found, and stays as it is', async () => {
      const { id } = await issueOne('quote');
      const stranger = await suite.newIssuer();
      expectRefusal(await suite.cancel(stranger.key, id), 'not_found');
      expect((await suite.read(key, id)).status).toBe('open');
    });

    const bodies: [string, unknown][] = [
      ['no body', undefined],
      ['an empty object', {}],
      ['a reason', { reason: 'הזמנה כפולה' }],
      ['an empty reason', { reason: '' }],
      ['a reason of 200 characters', { reason: 'א'.repeat(200) }],
      ['a reason of 200 characters outside of the basic plane', { reason: '😀'.repeat(200) }],
    ];
    const accepted = answersTo(bodies, async ([, body], index) => {
      const { id } = await issueOne(cancellable[index % cancellable.length] as DocumentType);
      return suite.cancel(key, id, body);
    });
    it.each(bodies.map((entry) => [entry[0], entry] as const))('2.7 takes %s', (_says, entry) =>
      expect(accepted(entry).status).toBe(200),
    );

    it.each([
      ['201 characters of reason', { reason: 'א'.repeat(201) }, '/reason'],
      ['201 characters outside of the basic plane', { reason: '😀'.repeat(201) }, '/reason'],
      ['a reason that is null', { reason: null }, '/reason'],
      ['a reason that is no text', { reason: 17 }, '/reason'],
      ['a reason with NUL', { reason: 'a\u0000' }, '/reason'],
      ['a reason with half a character', { reason: '\ud83d' }, '/reason'],
      ['another member', { why: 'x' }, '/why'],
    ])('2.7 refuses %s, and cancels nothing', async (_says, body, path) => {
      const { id } = await suite.issued(key, quote());
      expect(faultPathsOf(await suite.cancel(key, id, body))).toEqual([path]);
      expect((await suite.read(key, id)).status).toBe('open');
    });

    it('2.7 names several faults together', async () => {
      const { id } = await suite.issued(key, quote());
      const answer = await suite.cancel(key, id, { reason: 17, why: 'x', force: true });
      expect(faultPathsOf(answer)).toEqual(['/force', '/reason', '/why']);
    });

    it('decisions, Strictness: takes no query parameters', async () => {
      const { id } = await suite.issued(key, quote());
      const answer = await suite.call(key, 'POST', `/documents/${id}/cancel?force=1`);
      expect(faultPathsOf(answer)).toEqual(['/query/force']);
    });

    it('one of several concurrent cancels succeeds and the others are already_cancelled', async () => {
      const { id } = await suite.issued(key, quote());
      const answers = await Promise.all(Array.from({ length: 6 }, () => suite.cancel(key, id)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectRefusal(answer, 'already_cancelled');
      }
    });
  });
}
