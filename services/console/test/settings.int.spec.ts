import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Business,
  type BusinessChange,
  type RequestOf,
  renderPage,
  storeLogo,
  updateBusiness,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { fieldsIn } from './browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser, versionOf } from './console.js';

describe('the settings of a business that two people change', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let browser: TestBrowser;
  let path: string;
  let saved: BusinessChange[];
  /** What another person changes between the check of the page and the transaction of the gateway. */
  let raced: Partial<Business> | null;
  const change = (settings: Partial<Business>) =>
    console.businesses.set(business.id, { ...business, ...settings });
  beforeAll(async () => {
    console = await startConsole();
    console.network.answer(updateBusiness, (request) => {
      if (raced) {
        change(raced);
      }
      const found = console.businesses.get(request.business_id);
      if (!found || request.expected_version !== versionOf(found)) {
        throw ApiError.invalid([{ path: '/expected_version', message: 'the settings have changed since' }]);
      }
      saved.push(request.change);
      return { business: found };
    });
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    saved = [];
    raced = null;
    business = console.addBusiness({
      city: 'Haifa',
      default_notes: 'Two\nlines "quoted" & more',
      auto_send: { enabled: true, channel: 'email', quiet_hours: null },
    });
    path = `/b/${business.id}/business`;
    browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
  });
  /** A form with a file, as a browser sends it. */
  const upload = async (to: string, fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ _csrf: browser.csrfToken, ...fields })) {
      body.set(name, value);
    }
    body.set('logo', new Blob(['<svg/>'], { type: 'image/svg+xml' }), 'logo.svg');
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return fetch(new URL(to, console.origin), {
      method: 'POST',
      headers: { ...browser.headers, cookie },
      body,
      redirect: 'manual',
    });
  };
  /** The form of a section, with the fields of the others, which change nothing. */
  const fieldsOf = (text: string, section = 'details') => ({ ...fieldsIn(text), section });
  const formOf = async (section?: string) => fieldsOf((await browser.get(path)).text, section);
  const wordsOf = (text: string) => text.replaceAll(/<[^>]*>|[\u2066-\u2069]/g, ' ').replaceAll(/\s+/g, ' ');

  it('a section saves its own settings and leaves those of the others', async () => {
    const form = { ...(await formOf('terms')), city: 'Acre', payment_terms_days: '7' };
    const reply = await browser.post(path, form);
    expect(reply.status).toBe(303);
    expect(Object.keys(saved.at(-1) ?? {}).toSorted()).toEqual([
      'default_notes',
      'delivery_notes_without_prices',
      'payment_terms_days',
      'payment_terms_from',
      'prices_include_vat',
      'quote_valid_days',
    ]);
  });

  it('how customers pay is saved, and what is emptied is removed', async () => {
    const payment = {
      ...(await formOf('payment')),
      pay_bank: '12',
      pay_branch: '601',
      pay_account: '345678',
    };
    const proved = await browser.post(path, payment);
    expect(proved.status).toBe(303);
    expect(saved).toEqual([
      {
        payment_instructions: {
          ...{ bank: '12', branch: '601', account: '345678' },
          ...{ account_holder: null, iban: null, link: null },
        },
      },
    ]);
    change({ payment_instructions: { bank: '12', branch: '601', account: '345678' } });
    const shown = await formOf('payment');
    expect(shown).toMatchObject({ pay_bank: '12', pay_branch: '601', pay_account: '345678', pay_link: '' });
  });

  it('a first number that is typed is saved, and those that are not stay as they are', async () => {
    const reply = await browser.post(path, { ...(await formOf('numbers')), first_tax_invoice: '5001' });
    expect(reply.status).toBe(303);
    expect(saved).toEqual([{ first_numbers: { tax_invoice: 5001 } }]);
  });

  it('a form that no other form has overtaken is saved', async () => {
    const reply = await browser.post(path, { ...(await formOf()), city: 'Acre' });
    expect(reply.status).toBe(303);
    expect(saved).toMatchObject([{ city: 'Acre', name: business.name }]);
  });

  it.each(['', 'everything'])('a form of the section %j is refused, and saves nothing', async (section) => {
    const { section: _, ...form } = await formOf();
    for (const step of ['save', 'preview']) {
      const sent = { ...form, step, city: 'Acre', ...(section !== '' && { section }) };
      const reply = await browser.post(path, sent);
      expect(reply.status).toBe(400);
      expect(reply.text).toContain('Nothing was changed');
    }
    expect(saved).toEqual([]);
  });

  it.each(['before the form is sent', 'while it is saved'])(
    'settings that another person changes %s are not changed back, and the page tells which',
    async (when) => {
      const form = await formOf();
      const theirs = { auto_send: { ...business.auto_send, enabled: false }, phone: '03-1234567' };
      if (when === 'while it is saved') {
        raced = theirs;
      } else {
        change(theirs);
      }
      const refused = await browser.post(path, { ...form, city: 'Acre', address: '1 Demo St' });
      expect(refused.status).toBe(422);
      expect(saved).toEqual([]);
      const words = wordsOf(refused.text);
      expect(words).toContain('the settings have changed');
      expect(words).toMatch(/Send each document to the customer Yes → No/);
      expect(words).toMatch(/Phone \S+ → 03-1234567/);

      // What was typed is there, and what was not has the values of now: saving again changes nothing back.
      raced = null;
      const again = fieldsOf(refused.text);
      expect(again).toMatchObject({ city: 'Acre', address: '1 Demo St', phone: '03-1234567' });
      expect(again).not.toHaveProperty('auto_send');
      expect((await browser.post(path, again)).status).toBe(303);
      expect(saved).toMatchObject([{ city: 'Acre', phone: '03-1234567' }]);
      expect(saved[0]).not.toHaveProperty('auto_send');
    },
  );

  it('a preview between loading and saving does not hide the change of another person', async () => {
    const form = await formOf();
    change({ city: 'Eilat' });
    const shown = await browser.post(path, { ...form, name: 'Demo business', step: 'preview' });
    const refused = await browser.post(path, fieldsOf(shown.text));
    expect(refused.status).toBe(422);
    expect(wordsOf(refused.text)).toMatch(/City Haifa → Eilat/);
    expect(saved).toEqual([]);
  });

  it('a change of a setting that the form does not have is shown as well', async () => {
    const form = await formOf();
    change({ allocation_threshold_net: 1 });
    const refused = await browser.post(path, form);
    expect([refused.status, saved]).toEqual([422, []]);
    expect(refused.text).toContain('A setting that is not in the form.');
  });

  it.each([{ version: '' }, { base: '{' }, { base: '"text"', version: 'x' }, { base: 'null', version: 'x' }])(
    'a form with a version of its own saves nothing unseen: %j',
    async (own) => {
      const form = await formOf();
      change({ city: 'Eilat' });
      expect((await browser.post(path, { ...form, ...own })).status).toBe(422);
      expect(saved).toEqual([]);
    },
  );

  it('a business uploads 20 logos in a quarter of an hour, looked at or saved', async () => {
    const drawn: RequestOf<typeof storeLogo>[] = [];
    console.network.answer(storeLogo, (request) => {
      drawn.push(request);
      return { sha256: 'ab'.repeat(32) };
    });
    const form = await formOf('look');
    for (let count = 0; count < 19; count += 1) {
      expect((await upload(`${path}/logo`, {})).status).toBe(200);
    }
    expect((await upload(path, form)).status).toBe(303);
    expect((await upload(`${path}/logo`, {})).status).toBe(429);
    const refused = await upload(path, form);
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining('20 logos were uploaded within 15 minutes'),
    ]);
    expect(drawn).toHaveLength(19);
    expect(drawn[0]).toMatchObject({ business_id: business.id, preview: true });
    expect(saved).toHaveLength(1);
    const other = console.addBusiness();
    browser = await console.signedIn(await console.addPerson({ [other.id]: 'owner' }));
    expect((await upload(`/b/${other.id}/business/logo`, {})).status).toBe(200);
  });

  it('the preview shows what is typed, without what is half typed', async () => {
    const shown: Business[] = [];
    console.network.answer(renderPage, (request) => {
      shown.push(request.business);
      return { html: '<!doctype html><title>x</title>' };
    });
    const typed = { name: '', address: '', city: ' Acre ', email: 'shop@', phone: '0', default_notes: '' };
    const reply = await browser.get(`${path}/preview?${new URLSearchParams(typed)}`);
    expect([reply.status, reply.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("frame-ancestors 'self'"),
    ]);
    const { default_notes: _, ...others } = business;
    expect(shown).toEqual([{ ...others, address: null, city: 'Acre' }]);
  });

  it('the fields have only the autocomplete that HTML allows them', async () => {
    const { text } = await browser.get(path);
    const inputs = [...text.matchAll(/<input[^>]*>/g)].map(([tag]) => tag);
    expect(
      inputs.filter((tag) => /type="(file|hidden)"/.test(tag) && tag.includes(' autocomplete=')),
    ).toEqual([]);
    // Addresses of several lines are for text areas only.
    expect(inputs.filter((tag) => tag.includes('street-address'))).toEqual([]);
    expect(inputs.filter((tag) => tag.includes('address-line1'))).toHaveLength(1);
  });
});
