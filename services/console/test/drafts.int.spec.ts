import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Business,
  getDocument,
  issueDocument,
  listArticles,
  previewDocument,
  type RequestOf,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { Members } from '../src/people/members.js';
import { draftsMax } from '../src/session/draft.repository.js';
import { SignInPurger } from '../src/sign-in/sign-in-purger.js';
import { fieldsIn, textOf } from './browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from './console.js';
import { previewOf } from './previewed.js';

const minuteMs = 60_000;
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
      document: exampleDocument({ business_id, id: document_id, type: 'quote' }),
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
  const typed = {
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

  it('what is typed is kept at each press of a button, and found again after signing out', async () => {
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
    const purge = () => console.service.app.get(SignInPurger, { strict: false }).tick();
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
});
