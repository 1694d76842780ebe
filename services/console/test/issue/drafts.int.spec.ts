import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Business,
  createCustomer,
  getDocument,
  issueDocument,
  listArticles,
  previewDocument,
  proposeReminder,
  type RequestOf,
  readStatement,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { Members } from '../../src/access/people/members.js';
import { SignInPurger } from '../../src/access/sign-in/sign-in-purger.js';
import { draftsMax } from '../../src/session/draft.repository.js';
import { fieldsIn, textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from '../console.js';
import { askForLink, linkFor, useLink } from '../mail.js';
import { previewOf } from './previewed.js';

const minuteMs = 60_000;
const invoiceId = randomUUID();
const dayMs = 24 * 60 * minuteMs;

describe('drafts in the console', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let person: TestPerson;
  let browser: TestBrowser;
  let root: string;
  const issued = new Map<string, RequestOf<typeof issueDocument>>();
  const ids = new Map<string, string>();

  beforeAll(async () => {
    console = await startConsole();
    console.network.answer(listArticles, () => ({ articles: [] }));
    console.network.answer(previewDocument, (request) => previewOf(request, { matched_by: 'name' }));
    console.network.answer(getDocument, ({ business_id, document_id }) => ({
      document: exampleDocument({
        ...{ business_id, id: document_id },
        type: document_id === invoiceId ? 'tax_invoice' : 'quote',
      }),
      state: { status: 'open' as const, paid: 0, credited: 0, allocation_number: null, cancelled_at: null },
    }));
    console.network.answer(issueDocument, (request) => {
      const first = issued.get(request.idempotency_key);
      if (first && JSON.stringify(first.body) !== JSON.stringify(request.body)) {
        throw new ApiError('idempotency_key_reused');
      }
      issued.set(request.idempotency_key, request);
      const id = ids.get(request.idempotency_key) ?? randomUUID();
      ids.set(request.idempotency_key, id);
      return {
        document: exampleDocument({ id, business_id: request.business.id, type: request.body.type }),
        state: { status: 'open' as const, paid: 0, allocation_number: null, cancelled_at: null },
        allocation: { status: 'not_required' as const, number: null, reason: 'below the threshold' },
        delivery: { status: 'disabled' as const, channel: null, scheduled_for: null },
        replayed: first !== undefined,
      };
    });
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    business = console.addBusiness({ prices_include_vat: false });
    person = await console.addPerson({ [business.id]: 'issuer' });
    browser = await console.signedIn(person);
    root = `/b/${business.id}`;
    issued.clear();
    await console.database.db.deleteFrom('attempt_count').execute();
  });

  const pass = (ms: number) => {
    console.clock.now = new Date(console.clock.now.getTime() + ms);
  };
  const typed: Record<string, string> = {
    'customer.name': 'Typed customer',
    'items.0.description': 'Work',
    'items.0.unit_price': '100',
  };
  const open = async (type = 'quote') =>
    fieldsIn((await browser.get(`${root}/issue/document?type=${type}`)).text);
  const send = (fields: Record<string, string>, step: string) =>
    browser.post(`${root}/issue/document`, { ...fields, step });
  const addressOf = ({ key }: Record<string, string>) => `${root}/issue/drafts/${key}`;
  const stored = async () =>
    console.database.db.selectFrom('draft').selectAll().where('person_id', '=', person.id).execute();
  const mainOf = ({ text }: { readonly text: string }) =>
    textOf(/<main[\s\S]*<\/main>/.exec(text)?.[0] ?? '');

  it('the form is kept as it is typed at each press of a button, and found again after signing out', async () => {
    const form = { ...(await open()), ...typed };
    const computed = await send(form, 'compute');
    expect(textOf(computed.text)).toContain('Draft saved');
    await browser.post('/sign-out');
    browser = await console.signedIn(person);
    const list = await browser.get(`${root}/issue`);
    expect(mainOf(list)).toMatch(/Drafts Quote Typed customer · Work · Draft saved/);
    expect(list.text).toContain(`href="${addressOf(form)}"`);
    const resumed = await browser.get(addressOf(form));
    expect(fieldsIn(resumed.text)).toMatchObject({ ...typed, key: form.key, type: 'quote' });
    const fresh = await browser.get(`${root}/issue/document?type=quote`);
    expect(mainOf(fresh)).toContain('You have a draft that was not issued');
    expect(fieldsIn(fresh.text).key).not.toBe(form.key);
    expect(mainOf(await browser.get(`${root}/issue/document?type=order`))).not.toContain('a draft');
  });

  it('a draft is saved by its button, and an empty form is none', async () => {
    const form = await open();
    await send(form, 'compute');
    await send(form, 'add_line');
    expect(await stored()).toHaveLength(0);
    const saved = await send({ ...form, ...typed }, 'save');
    expect(saved.location).toBe(addressOf(form));
    expect(mainOf(await browser.get(addressOf(form)))).toContain('The draft is saved.');
  });

  it('a draft is discarded, and then leads nowhere', async () => {
    const form = { ...(await open()), ...typed };
    await send(form, 'save');
    const { location } = await browser.post(`${addressOf(form)}/discard`);
    expect(mainOf(await browser.get(location ?? ''))).toContain('The draft is discarded.');
    expect(await stored()).toHaveLength(0);
    const gone = await browser.open(addressOf(form));
    expect([gone.path, mainOf(gone)]).toEqual([
      `${root}/issue`,
      expect.stringContaining('The draft is not here any more'),
    ]);
  });

  it('a draft has ended with the issue: going back to it, or to its question, leads to the document', async () => {
    const form = { ...(await open()), ...typed };
    const confirm = (await send(form, 'preview')).location ?? '';
    expect(confirm).toBe(`${addressOf(form)}/confirm`);
    const question = fieldsIn((await browser.get(confirm)).text);
    const { location } = await send(question, 'issue');
    expect((await send(question, 'issue')).location).toBe(location);
    expect(issued.size).toBe(1);
    for (const address of [addressOf(form), confirm]) {
      const back = await browser.open(address);
      expect([back.path, mainOf(back)]).toEqual([
        location,
        expect.stringContaining('Nothing was issued again.'),
      ]);
    }
    expect(mainOf(await browser.get(`${root}/issue`))).not.toContain('Drafts');
    // A page of before that is still open saves nothing into it, and issues nothing by mistake.
    const late = await send({ ...form, 'items.0.unit_price': '200' }, 'compute');
    expect([late.status, issued.size]).toEqual([422, 1]);
    expect(fieldsIn(late.text)).toMatchObject({ 'items.0.unit_price': '200' });
    expect(fieldsIn(late.text).key).not.toBe(form.key);
    expect(
      (await stored()).map(({ fields, document_id }) => [fields.length > 0, document_id !== null]).sort(),
    ).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it('a draft is seen by its person alone, in its own business and book', async () => {
    const form = { ...(await open()), ...typed };
    await send(form, 'save');
    const colleague = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    expect((await colleague.get(addressOf(form))).location).toBe(`${root}/issue`);
    expect((await colleague.get(`${root}/issue`)).text).not.toContain(form.key);
    await colleague.post(`${addressOf(form)}/discard`);
    expect((await browser.get(`/t/${business.id}/issue/drafts/${form.key}`)).location).toBe(
      `/t/${business.id}/issue`,
    );
    expect((await browser.get(`/t/${business.id}/issue`)).text).not.toContain(form.key);
    // The same key of somebody else is another draft.
    await colleague.get(`${root}/issue/document?type=quote`);
    await colleague.post(`${root}/issue/document`, { ...form, 'customer.name': 'Other', step: 'save' });
    expect(fieldsIn((await browser.get(addressOf(form))).text)).toMatchObject(typed);
  });

  it('the drafts saved last are kept, for 30 days, and until the person leaves the business', async () => {
    const form = await open();
    for (let index = 0; index <= draftsMax; index += 1) {
      await send({ ...form, ...typed, key: randomUUID(), title: `Draft ${index}` }, 'save');
      pass(1_000);
    }
    const titles = (await stored()).map(({ fields }) => new URLSearchParams(fields).get('title'));
    expect([titles.length, titles.includes('Draft 0'), titles.includes('Draft 1')]).toEqual([
      draftsMax,
      false,
      true,
    ]);
    const purge = () => console.service.app.get(SignInPurger, { strict: false }).tickNow();
    await purge();
    expect(await stored()).toHaveLength(draftsMax);
    pass(30 * dayMs);
    await purge();
    expect(await stored()).toHaveLength(0);
    browser = await console.signedIn(person);
    await send({ ...(await open()), ...typed }, 'save');
    await console.service.app
      .get(Members, { strict: false })
      .remove(business.id, { personId: person.id }, undefined);
    expect(await stored()).toHaveLength(0);
  });

  describe('another form', () => {
    const forms: [string, string, Record<string, string>][] = [
      ['a new customer', '/customers/new', { name: 'Typed customer', city: 'Typed city' }],
      [
        'a credit note',
        `/documents/${invoiceId}/credit`,
        { extent: 'part', amount: '12.5', description: 'Typed reason' },
      ],
      [
        'a reminder',
        `/debts/${randomUUID()}/reminder`,
        { recipient: 'typed@example.com', subject: 'Typed subject', text: 'Typed text' },
      ],
      ['the settings', '/business', { section: 'terms', default_notes: 'Typed notes' }],
    ];
    beforeAll(() => {
      console.network.answer(proposeReminder, () => ({
        ...{ debts: [], recipient: 'late@example.com', subject: 'Reminder', text: 'Text' },
        ...{ allowed_at: null, quiet_until: null },
      }));
      console.network.answer(readStatement, () => ({
        ...{ opening: 0, brought_forward: 0, debit: 300, credit: 100, open: 200, closing: 200 },
        ...{ documents: 2, entries: [], next_after: null },
      }));
    });
    beforeEach(async () => {
      person = await console.addPerson({ [business.id]: 'owner' });
      browser = await console.signedIn(person);
    });
    const has = async (path: string, values: Record<string, string>, viewer = browser) => {
      const { text } = await viewer.get(`${root}${path}`);
      return (
        text.includes('Here is what you typed and did not send.') &&
        Object.values(values).every((value) => text.includes(value))
      );
    };

    it.each(forms)(
      '%s is kept as it is typed, is found again after signing out, and by its person alone',
      async (_name, path, values) => {
        const page = `${root}${path}`;
        const form = fieldsIn((await browser.get(page)).text);
        const kept = await browser.post(page, { ...form, ...values, step: 'keep_draft' });
        expect([kept.status, kept.text]).toEqual([200, '{"saved":true}']);
        await browser.post('/sign-out');
        browser = await console.signedIn(person);
        expect(await has(path, values)).toBe(true);
        const colleague = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
        expect(await has(path, {}, colleague)).toBe(false);
        // Without scripts, by its button.
        const again = fieldsIn((await browser.get(page)).text);
        const saved = await browser.post(page, { ...again, ...values, step: 'save_draft' });
        expect([saved.status, saved.location]).toEqual([303, page]);
        expect(await stored()).toHaveLength(1);
        expect(await has(path, values)).toBe(true);
        const discarded = await browser.post(page, { ...again, step: 'discard_draft' });
        expect(discarded.location).toBe(page);
        expect([await has(path, {}), await stored()]).toEqual([false, []]);
      },
    );

    it('the draft of another form ends when the form has done its work, and stays where it was refused', async () => {
      const page = `${root}/customers/new`;
      const form = { ...fieldsIn((await browser.get(page)).text), name: 'Typed customer' };
      await browser.post(page, { ...form, step: 'keep_draft' });
      console.network.answer(createCustomer, () => {
        throw new ApiError('customer_identity_conflict', { details: { existing_customer_id: randomUUID() } });
      });
      expect((await browser.post(page, form)).status).toBe(422);
      expect(await has('/customers/new', { name: 'Typed customer' })).toBe(true);
      console.network.answer(createCustomer, ({ customer, customer_id: id }) => ({
        customer: {
          ...{ id, name: customer.name, tax_id: null, legal_type: null, email: null, phone: null },
          ...{ address: null, city: null, created_at: console.clock.now.toISOString() },
        },
      }));
      expect((await browser.post(page, form)).status).toBe(303);
      expect([await has('/customers/new', {}), await stored()]).toEqual([false, []]);
    });
  });

  describe('a session that ends while a form is open', () => {
    const signInAgain = async (location: string | null, email = person.email) => {
      const next = new URLSearchParams(location?.split('?')[1]).get('next') ?? '';
      await askForLink(browser, email, next);
      const link = await linkFor(
        console,
        email,
        console.notices.filter(({ recipient }) => recipient === email).length + 1,
      );
      return browser.open((await useLink(browser, link)).location ?? '');
    };
    const invitation = () => ({ email: `i-${randomUUID()}@example.com`, role: 'bookkeeper' });

    it.each(['compute', 'preview', 'issue'])(
      'the form of a document that is sent by %s is there after signing in, and nothing was issued',
      async (step) => {
        const form = { ...(await open()), ...typed };
        pass(3 * 60 * minuteMs);
        const refused = await send(form, step);
        expect(refused.status).toBe(303);
        const signIn = await browser.get(refused.location ?? '');
        expect(mainOf(signIn)).toContain(
          'You are signed out. After you sign in, the form goes on where you were.',
        );
        const resumed = await signInAgain(refused.location);
        expect(resumed.path).toBe(addressOf(form));
        expect(mainOf(resumed)).toContain('Nothing is lost');
        expect(fieldsIn(resumed.text)).toMatchObject({ ...typed, key: form.key });
        const question = await browser.open((await send(fieldsIn(resumed.text), 'preview')).location ?? '');
        expect(issued.size).toBe(0);
        await send(fieldsIn(question.text), 'issue');
        expect(issued.size).toBe(1);
      },
    );

    it('another form goes on by one press, with a fresh token, and only where it is pressed', async () => {
      const owner = await console.addPerson({ [business.id]: 'owner' });
      person = owner;
      browser = await console.signedIn(owner);
      const typedInvitation = invitation();
      await browser.get(`${root}/people/invite`);
      pass(3 * 60 * minuteMs);
      const refused = await browser.post(`${root}/people/invite`, typedInvitation);
      const resumed = await signInAgain(refused.location);
      expect(mainOf(resumed)).toContain('What you typed is kept, and was not sent.');
      const invited = () =>
        console.database.db
          .selectFrom('person')
          .select('id')
          .where('email', '=', typedInvitation.email)
          .execute();
      expect(await invited()).toEqual([]);
      const [, action = ''] = /<form method="post" action="([^"]*invite)"/.exec(resumed.text) ?? [];
      expect((await browser.post(action, fieldsIn(resumed.text))).status).toBe(303);
      expect(await invited()).toHaveLength(1);
    });

    it('a form keeps what was typed while its person proves who they are', async () => {
      person = await console.addPerson({ [business.id]: 'owner' });
      browser = await console.signedIn(person);
      const typedInvitation = invitation();
      pass(11 * minuteMs);
      const refused = await browser.post(`${root}/people/invite`, typedInvitation);
      expect(refused.location).toMatch(/^\/prove\?/);
      const prove = await browser.get(refused.location ?? '');
      expect(mainOf(prove)).toContain('What you typed is kept');
      await browser.post('/prove', { next: fieldsIn(prove.text).next ?? '' });
      const { location } = await useLink(browser, await linkFor(console, person.email));
      const resumed = await browser.get(location ?? '');
      expect(fieldsIn(resumed.text)).toMatchObject(typedInvitation);
    });

    it('a form of before signing out and in again is kept, and is not sent automatically', async () => {
      const form = { ...(await open()), ...typed, _csrf: browser.csrfToken };
      await browser.post('/sign-out');
      const refused = await send(form, 'preview');
      // No cookie states whose form it is.
      expect(mainOf(await browser.get(refused.location ?? ''))).toContain(
        'You are signed out, so nothing was done.',
      );
      await signInAgain(refused.location);
      const kept = await browser.open((await send(form, 'issue')).location ?? '');
      expect([kept.path, issued.size]).toEqual([addressOf(form), 0]);
      expect(fieldsIn(kept.text)).toMatchObject(typed);
    });

    it('the person who signs in next does not see the form of another one', async () => {
      const form = { ...(await open()), ...typed };
      pass(3 * 60 * minuteMs);
      const refused = await send(form, 'preview');
      const colleague = await console.addPerson({ [business.id]: 'owner' });
      const opened = await signInAgain(refused.location, colleague.email);
      expect([opened.status, opened.text.includes('Typed customer')]).toEqual([404, false]);
      browser.cookies.clear();
      const own = await signInAgain(refused.location);
      expect(fieldsIn(own.text)).toMatchObject(typed);
    });

    it('a form without the session of its person and a token of it enters no drafts', async () => {
      const attacker = await console.signedIn(await console.addPerson({ [business.id]: 'issuer' }));
      const form = { ...(await open()), ...typed };
      const session = browser.cookies.get('session') ?? '';
      pass(3 * 60 * minuteMs);
      const forged: [string, TestBrowser, Record<string, string>][] = [
        ['a stranger', console.browser(), {}],
        ['the token of another person', browser, { _csrf: attacker.csrfToken }],
        ['no token', browser, { _csrf: '' }],
        ['the own token with the cookie of the victim', attacker, { _csrf: attacker.csrfToken }],
      ];
      attacker.cookies.set('session', session);
      for (const [name, sender, more] of forged) {
        const reply = await sender.post(`${root}/issue/document`, { ...form, ...more, step: 'preview' });
        expect([name, reply.location]).toEqual([name, expect.stringContaining('ended=session')]);
      }
      const cross = { 'sec-fetch-site': 'cross-site' };
      await browser.post(`${root}/issue/document`, { ...form, step: 'preview' }, cross);
      expect(await stored()).toEqual([]);
    });
  });
});
