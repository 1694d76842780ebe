import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type BusinessLegalType, compile, documentTypes, getDocumentTypes } from '@pinkas/contracts';
import { errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

const forEveryone = [
  'quote',
  'order',
  'delivery_note',
  'return_note',
  'proforma',
  'receipt',
  'donation_receipt',
];

describe('the types of document of a business', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  const typesOf = async (legalType: BusinessLegalType) => {
    // Any key will do: it needs no scope.
    const { key } = await gateway.caller({
      business: { legal_type: legalType },
      key: { scopes: ['customers:read'] },
    });
    const answer = await gateway.http('/v1/document-types', { key: key.key });
    expect(answer.status).toBe(200);
    expect(compile(getDocumentTypes.reply)(answer.json)).toMatchObject({ ok: true });
    const me = await gateway.http('/v1/me', { key: key.key });
    const types = answer.json.data.map((entry: { type: string }) => entry.type);
    expect(me.json.allowed_document_types).toEqual(types);
    return { types, data: answer.json.data };
  };

  it.each(['osek_murshe', 'hevra_baam'] as const)('are all ten for %s', async (legalType) => {
    expect((await typesOf(legalType)).types).toEqual(documentTypes);
  });

  it.each(['osek_patur', 'amuta', 'public_institution'] as const)(
    'are without tax documents for %s',
    async (legalType) => expect((await typesOf(legalType)).types).toEqual(forEveryone),
  );

  it('say what each takes, and what it may be based on', async () => {
    const { data } = await typesOf('osek_murshe');
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at members of any answer.
    const entry = (type: string) => data.find((one: any) => one.type === type);
    expect(entry('credit_note')).toEqual({
      type: 'credit_note',
      name: 'Credit note',
      name_he: 'חשבונית זיכוי',
      requires_payments: false,
      allows_discount: true,
      based_on_types: ['tax_invoice', 'tax_invoice_receipt'],
      based_on_required: true,
    });
    expect(entry('receipt')).toMatchObject({
      requires_payments: true,
      allows_discount: false,
      based_on_types: ['tax_invoice', 'proforma'],
      based_on_required: false,
    });
    expect(entry('tax_invoice_receipt').based_on_types).toEqual([
      'quote',
      'order',
      'delivery_note',
      'proforma',
    ]);
    expect(entry('quote').based_on_types).toEqual([]);
  });

  it('need a key, and take no parameter', async () => {
    expect(errorCodeOf(await gateway.http('/v1/document-types'))).toBe('unauthorized');
    const { key } = await gateway.caller();
    const answer = await gateway.http('/v1/document-types?type=quote', { key: key.key });
    expect(errorCodeOf(answer)).toBe('validation_error');
  });
});
