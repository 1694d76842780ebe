import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BusinessChange,
  createBusiness,
  createKey,
  keepLogo,
  listBusinesses,
  listKeys,
  listSeries,
  revokeKey,
  showBusiness,
  updateBusiness,
} from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit';
import { type GatewayUnderTest, startGateway } from './gateway.js';

describe('businesses and keys of the operator', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.network.answer(listSeries, () => ({
      series: [{ type: 'tax_invoice' as const, next_number: 8, last_date: '2026-06-01' }],
    }));
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  const create = async (business: BusinessChange) =>
    (await gateway.network.ask(createBusiness, { business })).business;
  const change = async (id: string, settings: BusinessChange) =>
    (await gateway.network.ask(updateBusiness, { business_id: id, change: settings })).business;
  const faultsOf = async (work: Promise<unknown>) => {
    const problem = await work.then(
      () => undefined,
      (error: { code: string; details: { errors: { path: string }[] } }) => error,
    );
    expect(problem?.code).toBe('validation_error');
    return problem?.details.errors.map((fault) => fault.path).sort();
  };

  it('a business has the defaults wherever its operator says nothing', async () => {
    const business = await create({
      name: ' עסק לדוגמה ',
      legal_type: 'hevra_baam',
      tax_id: '18'.padStart(5, '0'),
    });
    expect(business).toEqual({
      id: expect.any(String),
      name: 'עסק לדוגמה',
      legal_type: 'hevra_baam',
      tax_id: '000000018',
      address: null,
      city: null,
      email: null,
      phone: null,
      vat_rate: 18,
      prices_include_vat: false,
      payment_terms_days: 30,
      first_numbers: {},
      allocation_threshold_net: 5000,
      tax_authority_connected: false,
      auto_send: { enabled: false, channel: 'email', quiet_hours: null },
      accountant_copy: { enabled: false, email: null },
      wallet_labels: expect.objectContaining({ wallet_method_1: { he: 'ביט', en: 'Bit' } }),
      language: 'he',
      subscription: 'active',
      archived: false,
      provider: 'native',
      track: 'full',
      created_at: gateway.clock.now.toISOString(),
    });
    expect((await gateway.network.ask(showBusiness, { business_id: business.id })).business).toEqual(
      business,
    );
  });

  it.each(['osek_patur', 'amuta', 'public_institution'] as const)(
    '%s charges no VAT by default',
    async (legalType) => {
      expect((await create({ name: 'עסק', legal_type: legalType })).vat_rate).toBe(0);
    },
  );

  it('a rate that is named counts, but for an exempt dealer, who may charge none', async () => {
    expect((await create({ name: 'עסק', legal_type: 'amuta', vat_rate: 17.5 })).vat_rate).toBe(17.5);
    await expect(create({ name: 'עסק', legal_type: 'osek_patur', vat_rate: 18 })).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/business/vat_rate' }] },
    });
  });

  it('a change of the legal type brings its rate, unless the change names one', async () => {
    const { id } = await create({ name: 'עסק', legal_type: 'osek_murshe' });
    const changed = (change: BusinessChange) =>
      gateway.network
        .ask(updateBusiness, { business_id: id, change })
        .then((reply) => reply.business.vat_rate);
    expect(await changed({ legal_type: 'osek_patur' })).toBe(0);
    expect(await changed({ legal_type: 'hevra_baam', vat_rate: 0 })).toBe(0);
    expect(await changed({ legal_type: 'osek_murshe' })).toBe(18);
  });

  it('a business may lack its legal type and its tax id', async () => {
    expect(await create({ name: 'עסק', legal_type: null, tax_id: null })).toMatchObject({
      legal_type: null,
      tax_id: null,
      vat_rate: 18,
    });
  });

  it('every wrong field is named, the check digit of the tax id among them', async () => {
    const wrong = {
      name: 'x',
      legal_type: 'ltd',
      tax_id: '123456789',
      email: 'nobody',
      phone: '?',
      vat_rate: 18.123,
      payment_terms_days: -1,
      first_numbers: { invoice: 1, quote: 0 },
      auto_send: { quiet_hours: '25:00-07:00' },
      wallet_labels: { wallet_method_9: {} },
      colour: 'blue',
    };
    expect(await faultsOf(create(wrong as unknown as BusinessChange))).toEqual(
      [
        '/business/auto_send/quiet_hours',
        '/business/colour',
        '/business/email',
        '/business/first_numbers/invoice',
        '/business/first_numbers/quote',
        '/business/legal_type',
        '/business/name',
        '/business/payment_terms_days',
        '/business/phone',
        '/business/tax_id',
        '/business/vat_rate',
        '/business/wallet_labels/wallet_method_9',
      ].sort(),
    );
    expect(await faultsOf(create({}))).toEqual(['/business/name']);
  });

  it('a business takes an accent colour that can be read on paper, and may drop it again', async () => {
    const { id } = await create({ name: 'עסק לדוגמה', accent_color: '#0B6E4F' });
    const shown = async () => (await gateway.network.ask(showBusiness, { business_id: id })).business;
    expect((await shown()).accent_color).toBe('#0b6e4f');
    expect(await faultsOf(change(id, { accent_color: '#ffd700' }))).toEqual(['/change/accent_color']);
    expect(await faultsOf(change(id, { accent_color: 'url(https://example.test)' }))).toEqual([
      '/change/accent_color',
    ]);
    expect((await change(id, { name: 'עסק אחר לדוגמה' })).accent_color).toBe('#0b6e4f');
    await change(id, { accent_color: null });
    expect(await shown()).not.toHaveProperty('accent_color');
  });

  it('a picture is kept by rendering, and the business bears its reference alone', async () => {
    const sha256 = 'ab'.repeat(32);
    const kept: unknown[] = [];
    gateway.network.answer(keepLogo, (request) => {
      kept.push(request);
      return { sha256 };
    });
    const { id, logo } = await create({ name: 'עסק לדוגמה', logo: 'data:image/png;base64,AAAA' });
    expect(logo).toEqual({ sha256 });
    expect(kept).toEqual([{ business_id: id, logo: 'data:image/png;base64,AAAA' }]);
    expect((await change(id, { language: 'en' })).logo).toEqual({ sha256 });
    expect(kept).toHaveLength(1);
    expect(await change(id, { logo: null })).not.toHaveProperty('logo');
  });

  it('a picture that rendering refuses is a fault of the change, which changes nothing', async () => {
    gateway.network.answer(keepLogo, () => {
      throw Problem.invalid([{ path: '/logo', message: 'must not hold scripts' }]);
    });
    const { id } = await create({ name: 'עסק לדוגמה' });
    await expect(
      change(id, { name: 'שם אחר', logo: 'data:image/svg+xml;base64,AAAA' }),
    ).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/change/logo', message: 'must not hold scripts' }] },
    });
    expect((await gateway.network.ask(showBusiness, { business_id: id })).business.name).toBe('עסק לדוגמה');
  });

  it('fields that are wrong only together are named as well', async () => {
    expect(
      await faultsOf(
        create({
          name: '   ',
          address: 'a\u0000',
          allocation_threshold_net: 0.001,
          accountant_copy: { enabled: true },
          auto_send: { quiet_hours: '22:00-22:00' },
          wallet_labels: { wallet_method_1: { en: ' ' } },
        }),
      ),
    ).toEqual([
      '/business/accountant_copy/email',
      '/business/address',
      '/business/allocation_threshold_net',
      '/business/auto_send/quiet_hours',
      '/business/name',
      '/business/wallet_labels/wallet_method_1/en',
    ]);
  });

  it('an update takes any part, of nested settings as well, and leaves the rest', async () => {
    const { id } = await create({
      name: 'עסק',
      auto_send: { channel: 'whatsapp', quiet_hours: '22:00-07:00' },
    });
    const before = (await gateway.network.ask(showBusiness, { business_id: id })).business;
    expect(await change(id, { auto_send: { enabled: true } })).toEqual({
      ...before,
      auto_send: { enabled: true, channel: 'whatsapp', quiet_hours: '22:00-07:00' },
    });
    const labelled = await change(id, { wallet_labels: { wallet_method_2: { en: 'Box' } }, city: 'חיפה' });
    expect(labelled.wallet_labels.wallet_method_2).toEqual({ he: 'פייבוקס', en: 'Box' });
    expect(
      (await change(id, { city: null, auto_send: { quiet_hours: null } })).auto_send.quiet_hours,
    ).toBeNull();
    expect(await faultsOf(change(id, { accountant_copy: { enabled: true } }))).toEqual([
      '/change/accountant_copy/email',
    ]);
    expect(await change(id, { accountant_copy: { enabled: true, email: 'a@example.com' } })).toMatchObject({
      accountant_copy: { enabled: true, email: 'a@example.com' },
    });
  });

  it('a change counts with the very next request', async () => {
    const { business, key } = await gateway.caller();
    await change(business.id, { name: 'שם חדש', vat_rate: 0 });
    expect((await gateway.http('/v1/me', { key: key.key })).json.business).toMatchObject({
      name: 'שם חדש',
      vat_rate: 0,
    });
  });

  it('two changes at once both count', async () => {
    const { id } = await create({ name: 'עסק' });
    await Promise.all([change(id, { city: 'חיפה' }), change(id, { address: 'רחוב 1' })]);
    expect((await gateway.network.ask(showBusiness, { business_id: id })).business).toMatchObject({
      city: 'חיפה',
      address: 'רחוב 1',
    });
  });

  it('a first number moves until its type has a document', async () => {
    const { id } = await create({ name: 'עסק', first_numbers: { tax_invoice: 5 } });
    expect((await change(id, { first_numbers: { quote: 100 } })).first_numbers).toEqual({
      tax_invoice: 5,
      quote: 100,
    });
    expect(await faultsOf(change(id, { first_numbers: { tax_invoice: 6, quote: 101 } }))).toEqual([
      '/change/first_numbers/tax_invoice',
    ]);
    expect((await change(id, { first_numbers: { tax_invoice: 5 } })).first_numbers).toMatchObject({
      tax_invoice: 5,
      quote: 100,
    });
  });

  it('what does not exist is not found', async () => {
    const id = randomUUID();
    const notFound = expect.objectContaining({ code: 'not_found' });
    await expect(change(id, { city: 'חיפה' })).rejects.toEqual(notFound);
    await expect(gateway.network.ask(showBusiness, { business_id: id })).rejects.toEqual(notFound);
    await expect(gateway.network.ask(createKey, { business_id: id })).rejects.toEqual(notFound);
    await expect(gateway.network.ask(listKeys, { business_id: id })).rejects.toEqual(notFound);
    await expect(gateway.network.ask(revokeKey, { key_id: id })).rejects.toEqual(notFound);
  });

  it('all businesses are listed once, page by page, in the order of their creation', async () => {
    for (let part = 0; part < 7; part += 1) {
      await Promise.all(Array.from({ length: 15 }, (_, index) => create({ name: `עסק ${part}-${index}` })));
    }
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await gateway.network.ask(listBusinesses, after === undefined ? {} : { after });
      ids.push(...page.businesses.map((business) => business.id));
      after = page.next_after ?? undefined;
    } while (after !== undefined);
    const rows = await gateway.database.db
      .selectFrom('business')
      .select('id')
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    expect(ids).toEqual(rows.map((row) => row.id));
    expect(ids.length).toBeGreaterThan(105);
  });

  it('a key has the defaults of the interface, is shown without its value, and is revoked once', async () => {
    const { id } = await create({ name: 'עסק' });
    const made = await gateway.network.ask(createKey, { business_id: id });
    expect(made).toMatchObject({
      scopes: ['documents:write', 'documents:read', 'customers:read'],
      per_minute: 60,
      daily_documents: 300,
      revoked_at: null,
    });
    const revokedAt = gateway.clock.now.toISOString();
    expect((await gateway.network.ask(revokeKey, { key_id: made.id })).revoked_at).toBe(revokedAt);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 1_000);
    expect((await gateway.network.ask(revokeKey, { key_id: made.id })).revoked_at).toBe(revokedAt);
    const { key, ...shown } = made;
    const { keys } = await gateway.network.ask(listKeys, { business_id: id });
    expect(keys).toEqual([{ ...shown, revoked_at: revokedAt }]);
  });
});
