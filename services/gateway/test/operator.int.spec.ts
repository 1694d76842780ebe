import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BusinessChange,
  createBusiness,
  createKey,
  listBusinesses,
  listKeys,
  listSeries,
  revokeKey,
  showBusiness,
  storeLogo,
  updateBusiness,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { errorPathsOf, type GatewayUnderTest, startGateway } from './gateway.js';

describe('operator contracts', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.network.answer(listSeries, () => ({
      series: [{ type: 'tax_invoice' as const, first_number: 5, next_number: 8, last_date: '2026-06-01' }],
    }));
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  const create = async (business: BusinessChange) =>
    (await gateway.network.call(createBusiness, { business })).business;
  const change = async (id: string, settings: BusinessChange) =>
    (await gateway.network.call(updateBusiness, { business_id: id, change: settings })).business;

  it('createBusiness fills in the defaults', async () => {
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
      allocation_hold_minutes: 10,
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
    expect(await gateway.network.call(showBusiness, { business_id: business.id })).toMatchObject({
      business,
      view_url_base: expect.stringMatching(/^http.*\/d$/),
      pdf_url_base: expect.stringMatching(/^http.*\/pdf$/),
    });
  });

  it.each(['osek_patur', 'amuta', 'public_institution'] as const)(
    'a business of type %s charges no VAT by default',
    async (legalType) => {
      expect((await create({ name: 'עסק', legal_type: legalType })).vat_rate).toBe(0);
    },
  );

  it('a given VAT rate overrides the default, except for an exempt dealer, who may charge none', async () => {
    expect((await create({ name: 'עסק', legal_type: 'amuta', vat_rate: 17.5 })).vat_rate).toBe(17.5);
    await expect(create({ name: 'עסק', legal_type: 'osek_patur', vat_rate: 18 })).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/business/vat_rate' }] },
    });
  });

  it('a change of the legal type sets its VAT rate, unless the change contains one', async () => {
    const { id } = await create({ name: 'עסק', legal_type: 'osek_murshe' });
    const changed = (change: BusinessChange) =>
      gateway.network
        .call(updateBusiness, { business_id: id, change })
        .then((reply) => reply.business.vat_rate);
    expect(await changed({ legal_type: 'osek_patur' })).toBe(0);
    expect(await changed({ legal_type: 'hevra_baam', vat_rate: 0 })).toBe(0);
    expect(await changed({ legal_type: 'osek_murshe' })).toBe(18);
  });

  it('a business may have neither legal type nor tax id', async () => {
    expect(await create({ name: 'עסק', legal_type: null, tax_id: null })).toMatchObject({
      legal_type: null,
      tax_id: null,
      vat_rate: 18,
    });
  });

  it('every invalid field is reported, including a wrong check digit of the tax id', async () => {
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
      color: 'blue',
    };
    expect(await errorPathsOf(create(wrong as unknown as BusinessChange))).toEqual(
      [
        '/business/auto_send/quiet_hours',
        '/business/color',
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
    expect(await errorPathsOf(create({}))).toEqual(['/business/name']);
  });

  it('messages are held for an allocation number for ten minutes, or as long as the business says', async () => {
    const { id } = await create({ name: 'עסק לדוגמה' });
    const shown = async () => (await gateway.network.call(showBusiness, { business_id: id })).business;
    expect((await shown()).allocation_hold_minutes).toBe(10);
    await change(id, { allocation_hold_minutes: 0 });
    expect((await shown()).allocation_hold_minutes).toBe(0);
    await change(id, { allocation_hold_minutes: 1_440 });
    for (const minutes of [-1, 1_441, 1.5]) {
      expect(await errorPathsOf(change(id, { allocation_hold_minutes: minutes }))).toEqual([
        '/change/allocation_hold_minutes',
      ]);
    }
    expect((await shown()).allocation_hold_minutes).toBe(1_440);
  });

  it('an accent color must be readable on paper, and can be removed', async () => {
    const { id } = await create({ name: 'עסק לדוגמה', accent_color: '#0B6E4F' });
    const shown = async () => (await gateway.network.call(showBusiness, { business_id: id })).business;
    expect((await shown()).accent_color).toBe('#0b6e4f');
    expect(await errorPathsOf(change(id, { accent_color: '#ffd700' }))).toEqual(['/change/accent_color']);
    expect(await errorPathsOf(change(id, { accent_color: 'url(https://example.test)' }))).toEqual([
      '/change/accent_color',
    ]);
    expect((await change(id, { name: 'עסק אחר לדוגמה' })).accent_color).toBe('#0b6e4f');
    await change(id, { accent_color: null });
    expect(await shown()).not.toHaveProperty('accent_color');
  });

  it('the term of quotes, delivery notes without prices and the sender of emails are settings that can be set and removed', async () => {
    const { id } = await create({
      name: 'עסק לדוגמה',
      quote_valid_days: 0,
      delivery_notes_without_prices: true,
      mail_from: 'documents@shop.example.com',
    });
    const shown = async () => (await gateway.network.call(showBusiness, { business_id: id })).business;
    expect(await shown()).toMatchObject({ quote_valid_days: 0, delivery_notes_without_prices: true });
    await change(id, { quote_valid_days: 30 });
    expect(await shown()).toMatchObject({ quote_valid_days: 30, delivery_notes_without_prices: true });
    expect((await shown()).mail_from).toBe('documents@shop.example.com');
    expect(await errorPathsOf(change(id, { mail_from: 'חנות@shop.example.com' }))).toEqual([
      '/change/mail_from',
    ]);
    await change(id, { quote_valid_days: null, delivery_notes_without_prices: false, mail_from: null });
    expect(await shown()).not.toHaveProperty('mail_from');
    expect(await shown()).not.toHaveProperty('quote_valid_days');
    expect(await shown()).not.toHaveProperty('delivery_notes_without_prices');
  });

  it('how customers pay is stored member by member, checked, and removed with its last member', async () => {
    const { id } = await create({ name: 'עסק לדוגמה' });
    const shown = async () =>
      (await gateway.network.call(showBusiness, { business_id: id })).business.payment_instructions;
    const instructions = (payment_instructions: Exclude<BusinessChange['payment_instructions'], undefined>) =>
      change(id, { payment_instructions });
    await instructions({ bank: ' הפועלים (12) ', branch: '601', account: '12-345678', iban: null });
    expect(await shown()).toEqual({ bank: 'הפועלים (12)', branch: '601', account: '12-345678' });
    await instructions({ iban: 'il62 0108 0000 0009 9999 999', link: 'https://pay.example.com/me' });
    expect(await shown()).toMatchObject({
      account: '12-345678',
      iban: 'IL620108000000099999999',
      link: 'https://pay.example.com/me',
    });
    const at = (name: string) => [`/change/payment_instructions/${name}`];
    for (const link of [
      'http://pay.example.com',
      'javascript:alert(1)',
      'https://user@pay.example.com',
      'https://pay.example.com/a b',
      'https://pay.example.com/\u202eem',
      'https://',
      'https://localhost',
    ]) {
      expect(await errorPathsOf(instructions({ link }))).toEqual(at('link'));
    }
    expect(await errorPathsOf(instructions({ iban: 'IL620108000000099999998' }))).toEqual(at('iban'));
    expect(await errorPathsOf(instructions({ branch: null }))).toEqual(at('branch'));
    expect(await errorPathsOf(instructions({ account: 'x' }))).toEqual(at('account'));
    await instructions({ bank: null, branch: null, account: null, iban: '' });
    expect(await shown()).toEqual({ link: 'https://pay.example.com/me' });
    await instructions({ link: null });
    expect(await shown()).toBeUndefined();
    await instructions({ link: 'https://pay.example.com/me' });
    await instructions(null);
    expect(await shown()).toBeUndefined();
  });

  it('the days of payment terms count from the end of the month where the business wants it', async () => {
    const { id } = await create({ name: 'עסק לדוגמה', payment_terms_from: 'end_of_month' });
    const shown = async () => (await gateway.network.call(showBusiness, { business_id: id })).business;
    expect(await shown()).toMatchObject({ payment_terms_days: 30, payment_terms_from: 'end_of_month' });
    expect((await change(id, { payment_terms_days: 60 })).payment_terms_from).toBe('end_of_month');
    await change(id, { payment_terms_from: 'date' });
    expect(await shown()).not.toHaveProperty('payment_terms_from');
  });

  it('an approval for donations is stored with its number and its last day, and can be removed', async () => {
    const donation_approval = { number: '46-123', valid_until: '2026-12-31' };
    const { id } = await create({ name: 'עמותה לדוגמה', legal_type: 'amuta', donation_approval });
    const shown = async () => (await gateway.network.call(showBusiness, { business_id: id })).business;
    expect((await shown()).donation_approval).toEqual(donation_approval);
    await change(id, { donation_approval: { number: '46-124', valid_until: null } });
    expect((await shown()).donation_approval).toEqual({ number: '46-124', valid_until: null });
    expect(
      await errorPathsOf(change(id, { donation_approval: { number: 'מס 1', valid_until: '2026-02-30' } })),
    ).toEqual(
      expect.arrayContaining(['/change/donation_approval/number', '/change/donation_approval/valid_until']),
    );
    await change(id, { donation_approval: null });
    expect(await shown()).not.toHaveProperty('donation_approval');
  });

  it('rendering stores a logo, and the business contains only its reference', async () => {
    const sha256 = 'ab'.repeat(32);
    const stored: unknown[] = [];
    gateway.network.answer(storeLogo, (request) => {
      stored.push(request);
      return { sha256 };
    });
    const { id, logo } = await create({ name: 'עסק לדוגמה', logo: 'data:image/png;base64,AAAA' });
    expect(logo).toEqual({ sha256 });
    expect(stored).toEqual([{ business_id: id, logo: 'data:image/png;base64,AAAA' }]);
    expect((await change(id, { language: 'en' })).logo).toEqual({ sha256 });
    expect(stored).toHaveLength(1);
    expect(await change(id, { logo: null })).not.toHaveProperty('logo');
  });

  it('a logo that rendering rejects is a validation error of the change, which then changes nothing', async () => {
    gateway.network.answer(storeLogo, () => {
      throw ApiError.invalid([{ path: '/logo', message: 'must not hold scripts' }]);
    });
    const { id } = await create({ name: 'עסק לדוגמה' });
    await expect(
      change(id, { name: 'שם אחר', logo: 'data:image/svg+xml;base64,AAAA' }),
    ).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/change/logo', message: 'must not hold scripts' }] },
    });
    expect((await gateway.network.call(showBusiness, { business_id: id })).business.name).toBe('עסק לדוגמה');
  });

  it('fields that are invalid only in combination are reported', async () => {
    expect(
      await errorPathsOf(
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

  it('updateBusiness merges any part of the settings, nested ones included, and keeps the rest', async () => {
    const { id } = await create({
      name: 'עסק',
      auto_send: { channel: 'whatsapp', quiet_hours: '22:00-07:00' },
    });
    const before = (await gateway.network.call(showBusiness, { business_id: id })).business;
    expect(await change(id, { auto_send: { enabled: true } })).toEqual({
      ...before,
      auto_send: { enabled: true, channel: 'whatsapp', quiet_hours: '22:00-07:00' },
    });
    const labelled = await change(id, { wallet_labels: { wallet_method_2: { en: 'Box' } }, city: 'חיפה' });
    expect(labelled.wallet_labels.wallet_method_2).toEqual({ he: 'פייבוקס', en: 'Box' });
    expect(
      (await change(id, { city: null, auto_send: { quiet_hours: null } })).auto_send.quiet_hours,
    ).toBeNull();
    expect(await errorPathsOf(change(id, { accountant_copy: { enabled: true } }))).toEqual([
      '/change/accountant_copy/email',
    ]);
    expect(await change(id, { accountant_copy: { enabled: true, email: 'a@example.com' } })).toMatchObject({
      accountant_copy: { enabled: true, email: 'a@example.com' },
    });
  });

  it('the second of two changes that are based on the same settings is refused', async () => {
    const { id } = await create({ name: 'עסק' });
    const shown = () => gateway.network.call(showBusiness, { business_id: id });
    const { settings_version: version } = await shown();
    const save = (settings: BusinessChange, expected_version: string) =>
      gateway.network.call(updateBusiness, { business_id: id, change: settings, expected_version });
    const outcomes = await Promise.allSettled([
      save({ city: 'חיפה' }, version),
      save({ phone: '03-1234567' }, version),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await errorPathsOf(save({ city: 'עכו' }, version))).toEqual(['/expected_version']);
    const { business, settings_version: next } = await shown();
    expect([business.city, business.phone].filter((value) => value !== null)).toHaveLength(1);
    expect((await save({ city: 'עכו' }, next)).business.city).toBe('עכו');
    // What changes nothing is no change for others.
    const { settings_version: now } = await shown();
    await save({ city: 'עכו' }, now);
    expect((await shown()).settings_version).toBe(now);
  });

  it('a change of a business applies to its next request', async () => {
    const { business, key } = await gateway.caller();
    await change(business.id, { name: 'שם חדש', vat_rate: 0 });
    expect((await gateway.http('/v1/me', { key: key.key })).json.business).toMatchObject({
      name: 'שם חדש',
      vat_rate: 0,
    });
  });

  it('two concurrent changes of a business are both applied', async () => {
    const { id } = await create({ name: 'עסק' });
    await Promise.all([change(id, { city: 'חיפה' }), change(id, { address: 'רחוב 1' })]);
    expect((await gateway.network.call(showBusiness, { business_id: id })).business).toMatchObject({
      city: 'חיפה',
      address: 'רחוב 1',
    });
  });

  it('a first number can change until its type has a document', async () => {
    const { id } = await create({ name: 'עסק', first_numbers: { tax_invoice: 5 } });
    expect((await change(id, { first_numbers: { quote: 100 } })).first_numbers).toEqual({
      tax_invoice: 5,
      quote: 100,
    });
    expect(await errorPathsOf(change(id, { first_numbers: { tax_invoice: 6, quote: 101 } }))).toEqual([
      '/change/first_numbers/tax_invoice',
    ]);
    expect((await change(id, { first_numbers: { tax_invoice: 5 } })).first_numbers).toMatchObject({
      tax_invoice: 5,
      quote: 100,
    });
  });

  it('a first number that was changed while the first document was issued can be set to that of the book', async () => {
    // The book begins at 5.
    const { id } = await create({ name: 'עסק', first_numbers: { tax_invoice: 500 } });
    expect(await errorPathsOf(change(id, { first_numbers: { tax_invoice: 6 } }))).toEqual([
      '/change/first_numbers/tax_invoice',
    ]);
    expect((await change(id, { first_numbers: { tax_invoice: 5 } })).first_numbers).toEqual({
      tax_invoice: 5,
    });
  });

  it('a business or key that does not exist is not_found', async () => {
    const id = randomUUID();
    const notFound = expect.objectContaining({ code: 'not_found' });
    await expect(change(id, { city: 'חיפה' })).rejects.toEqual(notFound);
    await expect(gateway.network.call(showBusiness, { business_id: id })).rejects.toEqual(notFound);
    await expect(gateway.network.call(createKey, { business_id: id })).rejects.toEqual(notFound);
    await expect(gateway.network.call(listKeys, { business_id: id })).rejects.toEqual(notFound);
    await expect(gateway.network.call(revokeKey, { key_id: id })).rejects.toEqual(notFound);
  });

  it('listBusinesses returns every business once, page by page, in the order of creation', async () => {
    for (let part = 0; part < 7; part += 1) {
      await Promise.all(Array.from({ length: 15 }, (_, index) => create({ name: `עסק ${part}-${index}` })));
    }
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await gateway.network.call(listBusinesses, after === undefined ? {} : { after });
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
});
