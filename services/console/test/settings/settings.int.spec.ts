import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Business,
  type BusinessChange,
  listDocuments,
  listKeys,
  type RequestOf,
  renderPage,
  revokeKey,
  serviceNames,
  showConnection,
  storeLogo,
  type TrailEntry,
  trails,
  updateBusiness,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { fieldsIn, textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser, versionOf } from '../console.js';

const at = '2026-06-15T08:00:00.000Z';

let console: ConsoleUnderTest;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console.stop());

describe('the settings of a business that two people change', () => {
  let business: Business;
  let browser: TestBrowser;
  let path: string;
  let saved: BusinessChange[];
  /** What another person changes between the check of the page and the transaction of the gateway. */
  let raced: Partial<Business> | null;
  const change = (settings: Partial<Business>) =>
    console.businesses.set(business.id, { ...business, ...settings });
  beforeAll(() => {
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

describe('the trail, the keys and the connection of a business', () => {
  let businessId: string;
  let browser: TestBrowser;
  /** The trail of issuing, the latest entry first. */
  let trail: TrailEntry[];
  let isIssuingAway = false;
  const revoked: string[] = [];

  beforeAll(async () => {
    for (const name of serviceNames.filter((service) => service !== 'console')) {
      console.network.answer(trails[name].listLatestTrailEntries, ({ before, limit }) => {
        if (isIssuingAway && name === 'issuing') {
          throw new ApiError('engine_error');
        }
        const entries = name === 'issuing' ? trail : [];
        const rest = entries.filter(({ n }) => before === null || n < before);
        const shown = rest.slice(0, limit);
        return { entries: shown, next_before: rest.length > limit ? (shown.at(-1)?.n ?? null) : null };
      });
    }
    console.network.answer(listKeys, () => ({ keys: [] }));
    console.network.answer(revokeKey, ({ key_id }) => {
      revoked.push(key_id);
      throw new ApiError('engine_error');
    });
    console.network.answer(showConnection, ({ business_id }) => ({
      connection: { business_id, state: 'connected' as const, since: at, connected_at: at, until: null },
      request: null,
    }));
  });
  beforeEach(async () => {
    isIssuingAway = false;
    businessId = console.addBusiness({ tax_authority_connected: false }).id;
    browser = await console.signedIn(await console.addPerson({ [businessId]: 'owner' }));
    trail = Array.from({ length: 100 }, (_, index) => ({
      business_id: businessId,
      n: 100 - index,
      // Many changes of one instant, and a replica whose clock is behind.
      at: index === 50 ? '2026-06-14T08:00:00.000Z' : at,
      action: `test.entry-${100 - index}-`,
      subject: 'x',
      actor: 'operator',
      request_id: null,
      before: { paid: '0.00' },
      after: { paid: '1234.50' },
      hash: '00'.repeat(32),
    })) as unknown as TrailEntry[];
  });

  const shownOn = (text: string) => [...text.matchAll(/test\.entry-(\d+)-/g)].map(([, n]) => Number(n));
  const nextOf = (text: string) =>
    /href="([^"]*before=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? null;

  it('the pages of the trail have every entry once, however many are of one instant', async () => {
    const seen: number[] = [];
    for (let next: string | null = `/b/${businessId}/trail`; next !== null; ) {
      const { text }: { text: string } = await browser.get(next);
      seen.push(...shownOn(text));
      next = nextOf(text);
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => 100 - index));
  });

  it('the trail is a table with every entry once, and no table where a service does not answer', async () => {
    const { text } = await browser.get(`/b/${businessId}/trail/csv`);
    const [head, ...rows] = text.trimEnd().split('\r\n');
    expect(head).toBe('When,What,About,By whom,Changes');
    expect(shownOn(rows.join('\n'))).toEqual(Array.from({ length: 100 }, (_, index) => 100 - index));
    expect(rows[0]).toBe('15 Jun 2026 11:00,test.entry-100-,x,the operator,"Paid: 0.00 > 1,234.50"');
    isIssuingAway = true;
    expect((await browser.get(`/b/${businessId}/trail/csv`)).status).toBe(502);
  });

  it('a service that was away on the first page is asked again on the next', async () => {
    isIssuingAway = true;
    const first = (await browser.get(`/b/${businessId}/trail`)).text;
    isIssuingAway = false;
    const seen: number[] = shownOn(first);
    for (let next = nextOf(first); next !== null; ) {
      const { text }: { text: string } = await browser.get(next);
      seen.push(...shownOn(text));
      next = nextOf(text);
    }
    expect(seen.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
  });

  it.each([
    ['en', 'unpaid', 'partly_paid', 'open', 'State: To pay > Partly paid', 'Open'],
    ['he', 'partly_paid', 'settled', 'closed', 'מצב: שולם בחלקו > שולם', 'סגור'],
    ['en', 'settled', 'overpaid', 'closed', 'State: Paid > Overpaid', 'Closed'],
    ['he', 'unpaid', 'credited', 'closed', 'מצב: לתשלום > זוכה', 'סגור'],
    // A proforma asks for no payment once it is invoiced.
    ['en', 'unpaid', undefined, 'closed', 'Status: Open > Closed', 'To pay'],
  ] as const)(
    'the trail in %s states that a document was %s and is %s, whatever its status',
    async (language, was, is, status, stated, not) => {
      const state = (settlement: string | undefined) => ({ paid: '0.00', ...(settlement && { settlement }) });
      trail = trail.slice(0, 1).map((entry) => ({
        ...entry,
        action: 'document.state',
        before: { ...state(was), status: 'open' },
        after: { ...state(is), status },
      }));
      await browser.post('/language', { language, next: '/' });
      const [, row = ''] = (await browser.get(`/b/${businessId}/trail/csv`)).text.split('\r\n');
      expect(row).toContain(stated);
      expect(row).not.toContain(not);
    },
  );

  it.each(['2026-13-01T00:00:00Z', '2026-02-30', '2026-13-01'])(
    'a text of a caller that only looks like a time, %s, is shown as it is',
    async (name) => {
      trail = trail.slice(0, 1).map((entry) => ({ ...entry, before: { name: 'x' }, after: { name } }));
      const { status, text } = await browser.get(`/b/${businessId}/trail`);
      expect(status).toBe(200);
      expect(textOf(text)).toContain(`Name: x`);
      expect(text).toContain(`<bdi dir="ltr">${name}</bdi>`);
      const [, row = ''] = (await browser.get(`/b/${businessId}/trail/csv`)).text.split('\r\n');
      expect(row).toContain(`Name: x > ${name}`);
    },
  );

  it('entries name people, documents and customers, and what an export is of, on the page and in the table', async () => {
    const { items: _i, prices_include_vat: _v, discount: _d, payments: _p, ...rest } = exampleDocument();
    const { title: _t, notes: _n, send: _s, ...document } = rest;
    const listed = {
      document,
      state: { status: 'open', paid: 0, allocation_number: null, cancelled_at: null },
      allocation: { status: 'not_required', number: null, reason: null },
      delivery: { status: 'disabled', channel: null, scheduled_for: null },
    } as const;
    const end = console.network.answer(listDocuments, () => ({ documents: [listed], next_before: null }));
    const [first, second] = trail as [TrailEntry, TrailEntry];
    const ids = { delivery_id: randomUUID(), customer_id: document.customer.id };
    const filter = JSON.stringify({ document_ids: [document.id], include_cancelled: true });
    trail = [
      {
        ...first,
        action: 'reminder.send',
        subject: document.id,
        before: null,
        after: { ...ids, documents: 1 },
      },
      {
        ...second,
        ...{ action: 'book.export', subject: businessId, before: null },
        after: { format: 'pdf-zip', from: '1948-05-14', to: '2026-06-15', filter },
      },
    ];
    const page = textOf((await browser.get(`/b/${businessId}/trail`)).text);
    const { text: csv } = await browser.get(`/b/${businessId}/trail/csv`);
    end();
    for (const text of [page, csv]) {
      expect(text).toContain(`Tax invoice ${document.number}`);
      expect(text).toContain(`Customer: ${document.customer.name}`);
      expect(text).toContain('Documents: 1');
      expect(text).toMatch(/File type: All signed PDFs, in a ZIP/);
      expect(text).toContain('chosen documents');
      expect(text).not.toMatch(/delivery id|1948|document_ids|pdf-zip/);
      expect(text).not.toContain(ids.customer_id);
    }
  });

  it('a key that the business does not have is not revoked, even by a gateway that would', async () => {
    const reply = await browser.post(`/b/${businessId}/connection/${randomUUID()}/revoke`);
    expect(reply.status).toBe(404);
    expect(revoked).toEqual([]);
  });

  it('a connection can be ended where the setting is off already', async () => {
    const { text } = await browser.get(`/b/${businessId}/authority`);
    expect(text).toContain(`/b/${businessId}/authority/disconnect`);
  });
});
