import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CreateDocument, cancelDocument, getDocument } from '@pinkas/contracts';
import { type DocumentType, documentTypeRules, documentTypes } from '@pinkas/domain';
import { cash, holdRendering, type IssuingUnderTest, net, startIssuing, untilOneWaits } from './issuing.js';

describe('source documents', () => {
  let issuing: IssuingUnderTest;
  /** One document of each type, issued before the tests; the tests of pairs base documents on them. */
  const sources = new Map<DocumentType, string>();

  const issueA = (type: DocumentType, based_on?: string, change: Partial<CreateDocument> = {}) =>
    issuing.issue({
      type,
      ...(documentTypeRules[type].payments === 'required' ? { payments: cash(118) } : {}),
      ...(based_on ? { based_on } : {}),
      ...change,
    });
  /** A receipt, or a credit note, over a net amount (VAT is 18 percent). */
  const receipt = (based_on: string, gross: number, unit_price: number) =>
    issueA('receipt', based_on, { items: net(unit_price), payments: cash(gross) });
  const credit = (based_on: string, unit_price: number) =>
    issueA('credit_note', based_on, { items: net(unit_price) });
  const stateOf = async (document_id: string) =>
    (await issuing.network.call(getDocument, { business_id: issuing.business.id, document_id })).state;

  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0 });
    for (const type of documentTypes) {
      const invoice = type === 'credit_note' ? (await issueA('tax_invoice')).document.id : undefined;
      sources.set(type, (await issueA(type, invoice)).document.id);
    }
  });
  afterEach(() => {
    issuing.render = async () => {};
  });
  afterAll(() => issuing.stop());

  const pairs = documentTypes.flatMap((type) => documentTypes.map((source) => [type, source] as const));
  const allowed = (type: DocumentType) => documentTypeRules[type].sources;

  it.each(pairs.filter(([type, source]) => allowed(type).includes(source)))(
    'a %s can be based on a %s',
    async (type, source) => {
      const id = sources.get(source) ?? '';
      const { document } = await issueA(type, id);
      expect(document.based_on).toMatchObject({ id, type: source, date: document.date });
    },
  );

  it.each(pairs.filter(([type, source]) => !allowed(type).includes(source)))(
    'a %s cannot be based on a %s',
    async (type, source) => {
      await expect(issueA(type, sources.get(source))).rejects.toMatchObject({
        code: 'based_on_type_not_allowed',
        details: { allowed_source_types: allowed(type) },
      });
    },
  );

  it.each([
    ['order', 'quote', 'open'],
    ['delivery_note', 'order', 'open'],
    ['return_note', 'delivery_note', 'open'],
    ['proforma', 'delivery_note', 'open'],
    ['tax_invoice', 'quote', 'closed'],
    ['tax_invoice', 'return_note', 'closed'],
    ['tax_invoice', 'proforma', 'closed'],
    ['tax_invoice_receipt', 'delivery_note', 'closed'],
    ['receipt', 'proforma', 'closed'],
    ['receipt', 'tax_invoice', 'closed'],
  ] as const)('a %s leaves the %s that it is based on %s', async (type, source, status) => {
    const { document } = await issueA(source);
    await issueA(type, document.id);
    expect((await stateOf(document.id)).status).toBe(status);
  });

  it.each(['tax_invoice', 'proforma'] as const)(
    'a receipt of a part closes a %s, and receipts add up',
    async (type) => {
      const { document } = await issueA(type);
      const first = await receipt(document.id, 59, 50);
      expect(await stateOf(document.id)).toMatchObject({ status: 'closed', paid: 59 });
      expect(first.state).toMatchObject({ status: 'closed', paid: 59 });
      // A closed document can still be a source.
      await receipt(document.id, 29.5, 25);
      expect(await stateOf(document.id)).toMatchObject({ status: 'closed', paid: 88.5 });
      expect(await stateOf(first.document.id)).toMatchObject({ paid: 59 });
    },
  );

  it('only receipts count as payments of their source: those of an invoice / receipt stay its own', async () => {
    const { document } = await issueA('proforma');
    const closing = await issueA('tax_invoice_receipt', document.id);
    expect(await stateOf(document.id)).toMatchObject({ status: 'closed', paid: 0 });
    expect(closing.state).toMatchObject({ status: 'closed', paid: 118 });
    await credit(closing.document.id, 100);
    expect(await stateOf(closing.document.id)).toMatchObject({ status: 'closed', paid: 118 });
  });

  it('credit notes close an invoice when they reach its total, not before', async () => {
    const { document } = await issueA('tax_invoice');
    await credit(document.id, 40);
    expect((await stateOf(document.id)).status).toBe('open');
    await credit(document.id, 59.99);
    expect((await stateOf(document.id)).status).toBe('open');
    await credit(document.id, 0.01);
    expect(await stateOf(document.id)).toMatchObject({ status: 'closed', paid: 0 });
  });

  it('no document can be based on a cancelled document', async () => {
    const { document } = await issueA('quote');
    await issuing.network.call(cancelDocument, {
      business_id: issuing.business.id,
      document_id: document.id,
      reason: null,
    });
    await expect(issueA('order', document.id)).rejects.toMatchObject({ code: 'based_on_cancelled' });
    await expect(issueA('receipt', document.id)).rejects.toMatchObject({ code: 'based_on_type_not_allowed' });
  });

  it('a source of another business is not found', async () => {
    const other = { business: { ...issuing.business, id: randomUUID() } };
    const { document } = await issuing.issue({ type: 'quote' }, randomUUID(), other);
    await expect(issueA('order', document.id)).rejects.toMatchObject({ code: 'based_on_not_found' });
    await expect(issueA('order', randomUUID())).rejects.toMatchObject({ code: 'based_on_not_found' });
  });

  it('simultaneous receipts of one invoice are all counted', async () => {
    const { document } = await issueA('tax_invoice');
    await Promise.all([
      receipt(document.id, 59, 50),
      receipt(document.id, 35.4, 30),
      receipt(document.id, 23.6, 20),
    ]);
    expect(await stateOf(document.id)).toMatchObject({ status: 'closed', paid: 118 });
  });

  it('a receipt locks its source, so that a simultaneous credit note counts on top of it', async () => {
    const { document } = await issueA('tax_invoice');
    const { begun, open } = holdRendering(issuing, 'receipt');
    const paying = receipt(document.id, 59, 50);
    await begun();
    const crediting = credit(document.id, 50);
    await untilOneWaits(issuing);
    open();
    await Promise.all([paying, crediting]);
    expect(await stateOf(document.id)).toMatchObject({ status: 'closed', paid: 59 });
  });

  it('documents of several types on the same sources never deadlock', async () => {
    const quotes = await Promise.all([issueA('quote'), issueA('quote')]);
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        issueA(
          (['order', 'proforma', 'tax_invoice'] as const)[index % 3] ?? 'order',
          quotes[index % 2]?.document.id,
        ),
      ),
    );
    expect(made).toHaveLength(12);
    for (const { document } of quotes) {
      expect((await stateOf(document.id)).status).toBe('closed');
    }
  });
});
