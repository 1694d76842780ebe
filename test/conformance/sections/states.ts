import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CreatedDocument } from '@pinkas/contracts';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import { expectRefusal } from '../error-table.js';
import { documentOf, typesWithPayments } from '../example-bodies.js';
import type { Suite } from '../suite.js';
import { answersTo } from '../tables.js';
import { cancellable, expectedSources } from '../type-tables.js';

/** Section 3.1, rule 4.7 on sources, and the decisions on documents: states, sources, and what a document does to its source. */
export function states(suite: Suite): void {
  let key: string;

  /** A document of any type; a credit note brings an invoice of its own. */
  const issueOne = async (type: DocumentType, change: object = {}): Promise<CreatedDocument> => {
    const invoiceOf = async () => (await suite.issued(key, documentOf('tax_invoice'))).id;
    return suite.issued(
      key,
      documentOf(type, { ...(type === 'credit_note' ? { based_on: await invoiceOf() } : {}), ...change }),
    );
  };
  const stateOf = async (id: string) => {
    const { status, totals, cancelled_at } = await suite.read(key, id);
    return { status, paid: totals.paid, cancelled_at };
  };
  const payments = (amount: number) => [{ method: 'cash' as const, amount }];

  describe('3.1 states', () => {
    const one = new Map<DocumentType, CreatedDocument>();
    beforeAll(async () => {
      ({ key } = await suite.newIssuer());
      await Promise.all(documentTypes.map(async (type) => one.set(type, await issueOne(type))));
    });

    const closed: readonly DocumentType[] = [
      'tax_invoice_receipt',
      'receipt',
      'donation_receipt',
      'credit_note',
    ];
    it.each(documentTypes)('decisions, Created as: %s has its state from the start', async (type) => {
      const created = one.get(type) as CreatedDocument;
      const expected = closed.includes(type) ? 'closed' : 'open';
      expect([created.status, created.cancelled_at]).toEqual([expected, null]);
    });

    it.each(documentTypes)(
      'decisions, totals.paid: of %s it is the sum of its own payments',
      async (type) => {
        const paid = typesWithPayments.includes(type) ? 100 : 0;
        expect((one.get(type) as CreatedDocument).totals.paid).toBe(paid);
      },
    );

    describe('4.7 and decisions, Sources: what may be based on what', () => {
      const pairs = documentTypes.flatMap((type) =>
        documentTypes.map((source) => ({ type, source, may: expectedSources[type].includes(source) })),
      );
      const answers = answersTo(pairs, ({ type, source }) =>
        suite.issue(key, documentOf(type, { based_on: (one.get(source) as CreatedDocument).id })),
      );
      it.each(pairs.map((pair) => [pair.type, pair.may ? 'may' : 'may not', pair.source, pair] as const))(
        '%s %s be based on %s',
        (_type, _may, _source, pair) => {
          const answer = answers(pair);
          if (pair.may) {
            expect([answer.status, answer.body.based_on]).toEqual([
              201,
              (one.get(pair.source) as CreatedDocument).id,
            ]);
          } else {
            expectRefusal(answer, 'based_on_type_not_allowed');
            const { allowed_source_types: actual } = answer.body.error.details as {
              allowed_source_types: string[];
            };
            expect([...actual].sort()).toEqual([...expectedSources[pair.type]].sort());
          }
        },
      );
    });

    it('2.1 a receipt and a tax_invoice_receipt need no source; without one based_on is null', async () => {
      for (const type of ['receipt', 'tax_invoice_receipt'] as const) {
        expect((await issueOne(type)).based_on).toBeNull();
      }
    });

    it('4.7 based_on that is in no book of this business is based_on_not_found', async () => {
      expectRefusal(
        await suite.issue(key, documentOf('receipt', { based_on: randomUUID() })),
        'based_on_not_found',
      );
      const { id } = one.get('quote') as CreatedDocument;
      const stranger = await suite.newIssuer();
      expectRefusal(
        await suite.issue(stranger.key, documentOf('order', { based_on: id })),
        'based_on_not_found',
      );
    });

    describe('3.1 a cancelled document cannot be a source', () => {
      const sources = cancellable.map((source) => ({
        source,
        type: documentTypes.find((type) => expectedSources[type].includes(source)) as DocumentType,
      }));
      const answers = answersTo(sources, async ({ source, type }) => {
        const { id } = await issueOne(source);
        expect((await suite.cancel(key, id)).status).toBe(200);
        return suite.issue(key, documentOf(type, { based_on: id }));
      });
      it.each(sources.map((entry) => [entry.source, entry] as const))(
        'a source that is cancelled, %s, is based_on_cancelled',
        (_source, entry) => expectRefusal(answers(entry), 'based_on_cancelled'),
      );
    });
  });

  describe('3.1 and decisions: what a document does to its source', () => {
    beforeAll(async () => {
      ({ key } = await suite.newIssuer());
    });

    it.each(['tax_invoice', 'proforma'] as const)(
      'a receipt closes its %s and adds to what was paid of it',
      async (type) => {
        const { id } = await issueOne(type);
        expect(await stateOf(id)).toEqual({ status: 'open', paid: 0, cancelled_at: null });
        await issueOne('receipt', { based_on: id });
        expect(await stateOf(id)).toEqual({ status: 'closed', paid: 100, cancelled_at: null });
      },
    );

    it('decisions, Settled, Rules: any receipt closes, also a partial one; a closed invoice may be a source again', async () => {
      const { id } = await issueOne('tax_invoice');
      const items = [{ description: 'תשלום חלקי', quantity: 1, unit_price: 30 }];
      await issueOne('receipt', { based_on: id, items, payments: payments(30) });
      expect(await stateOf(id)).toMatchObject({ status: 'closed', paid: 30 });
      const rest = [{ description: 'יתרה', quantity: 1, unit_price: 70 }];
      await issueOne('receipt', { based_on: id, items: rest, payments: payments(70) });
      expect(await stateOf(id)).toMatchObject({ status: 'closed', paid: 100 });
    });

    it('two receipts at once are both counted', async () => {
      const { id } = await issueOne('tax_invoice');
      await Promise.all([issueOne('receipt', { based_on: id }), issueOne('receipt', { based_on: id })]);
      expect((await stateOf(id)).paid).toBe(200);
    });

    const closing = (['tax_invoice', 'tax_invoice_receipt'] as const).flatMap((type) =>
      expectedSources[type].map((source) => [type, source] as const),
    );
    it.each(closing)('a %s closes its %s, and pays nothing of it', async (type, source) => {
      const { id } = await issueOne(source);
      await issueOne(type, { based_on: id });
      expect(await stateOf(id)).toEqual({ status: 'closed', paid: 0, cancelled_at: null });
    });

    const leaving = (['order', 'delivery_note', 'return_note', 'proforma'] as const).flatMap((type) =>
      expectedSources[type].map((source) => [type, source] as const),
    );
    it.each(leaving)('a %s leaves its %s open', async (type, source) => {
      const { id } = await issueOne(source);
      await issueOne(type, { based_on: id });
      expect((await stateOf(id)).status).toBe('open');
    });

    describe('a credit_note closes a tax_invoice once credits and receipts reach its total', () => {
      const credit = (id: string, amount: number) =>
        issueOne('credit_note', {
          based_on: id,
          items: [{ description: 'זיכוי', quantity: 1, unit_price: amount }],
        });

      it('a whole credit closes it', async () => {
        const { id } = await issueOne('tax_invoice');
        await credit(id, 100);
        expect(await stateOf(id)).toEqual({ status: 'closed', paid: 0, cancelled_at: null });
      });

      it('partial credits leave it open until their sum reaches the total', async () => {
        const { id } = await issueOne('tax_invoice');
        await credit(id, 40);
        expect((await stateOf(id)).status).toBe('open');
        await credit(id, 59.99);
        expect((await stateOf(id)).status).toBe('open');
        await credit(id, 0.01);
        expect((await stateOf(id)).status).toBe('closed');
      });

      it('a tax_invoice_receipt is closed before and after', async () => {
        const { id } = await issueOne('tax_invoice_receipt');
        await credit(id, 10);
        expect(await stateOf(id)).toMatchObject({ status: 'closed', paid: 100 });
      });
    });

    it('decisions, Settled, Rules: a closed document may be a source again', async () => {
      const { id } = await issueOne('quote');
      await issueOne('tax_invoice', { based_on: id });
      await issueOne('tax_invoice', { based_on: id });
      expect((await stateOf(id)).status).toBe('closed');
    });
  });
}
