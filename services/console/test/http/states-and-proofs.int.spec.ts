import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Business,
  type BusinessChange,
  type ErrorCode,
  errorCatalogue,
  getDocument,
  listKeys,
  removeEndpoint,
  setEndpointEnabled,
  showConnection,
  updateBusiness,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import type { Changes, PageBinding } from '../../src/http/console-page.js';
import { fieldsIn } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';
import { bindings, ofBusiness, pathsOf } from './bindings.js';

describe('the state of a business in the console', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let browser: TestBrowser;
  const id = randomUUID();
  beforeAll(async () => {
    console = await startConsole();
    console.network.answer(getDocument, ({ business_id }) => ({
      document: exampleDocument({ business_id, id, type: 'quote' }),
      state: { status: 'open' as const, paid: 0, allocation_number: null, cancelled_at: null },
    }));
    console.network.answer(showConnection, () => ({ connection: null, request: null }));
    console.network.answer(listKeys, () => ({ keys: [] }));
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    console.apiEnabled = true;
    business = console.addBusiness();
    browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
  });
  const become = (change: Partial<Business>) =>
    console.businesses.set(business.id, { ...business, ...change });

  /** The forms of a business that change something; no service answers what they would call. */
  const formsThat = (change: Changes) =>
    ofBusiness.filter(({ changes, method }) => changes === change && method === 'POST');
  const [issues, book, settings] = [formsThat('issues'), formsThat('book'), formsThat('settings')];
  const refusedBy = async (code: ErrorCode, forms: readonly PageBinding[]) => {
    for (const form of forms) {
      const [path = ''] = pathsOf(form, business.id);
      const reply = await browser.post(path);
      expect([path, reply.status]).toEqual([path, errorCatalogue[code].httpStatus]);
      expect(reply.text).toContain(errorCatalogue[code].message);
    }
  };

  it('the forms are found', () => {
    expect(issues.map(({ path }) => path)).toContain('/issue/document');
    expect(book.map(({ path }) => path)).toContain('/documents/:id/cancel');
    expect(settings.map(({ path }) => path)).toContain('/business');
  });

  it.each([
    ['business_archived', { archived: true }],
    ['external_provider_not_supported', { provider: 'external' }],
    ['subscription_required', { subscription: 'inactive' }],
  ] as const)('every change is refused with %s', async (code, change) => {
    become(change);
    await refusedBy(code, [...issues, ...book, ...settings]);
  });

  it('every change is refused while the kill switch is on, in the test book as well', async () => {
    console.apiEnabled = false;
    await refusedBy('api_disabled', [...issues, ...book, ...settings]);
    const inTest = await browser.post(`/t/${business.id}/documents/${id}/cancel`);
    expect(inTest.status).toBe(503);
  });

  it('a business for expenses only issues nothing, and may do the rest', async () => {
    become({ track: 'expenses_only' });
    await refusedBy('issuing_blocked_expenses_only', issues);
    expect((await browser.get(`/b/${business.id}/documents/${id}/cancel`)).status).toBe(200);
  });

  it('an incomplete profile stops changes of the book, and can be completed', async () => {
    become({ legal_type: null });
    await refusedBy('business_profile_incomplete', [...issues, ...book]);
    expect((await browser.get(`/b/${business.id}/connection/new`)).status).toBe(200);
  });

  it('an archived business can be read and exported, and permissions can be taken away', async () => {
    become({ archived: true });
    for (const path of ['/business', '/exports', '/authority', '/authority/disconnect', '/people']) {
      expect([path, (await browser.get(`/b/${business.id}${path}`)).status]).toEqual([path, 200]);
    }
    const dates = { from: '2026-01-01', to: '2026-01-31' };
    const exported = await browser.post(`/b/${business.id}/exports`, { format: 'csv', ...dates });
    expect(exported.status).toBe(303);
    expect((await browser.post(`/b/${business.id}/connection/${id}/revoke`)).status).toBe(404);
    console.network.answer(setEndpointEnabled, ({ enabled }) => {
      throw new ApiError(enabled ? 'internal_error' : 'not_found');
    });
    console.network.answer(removeEndpoint, () => {
      throw new ApiError('not_found');
    });
    for (const act of ['disable', 'remove']) {
      const reply = await browser.post(`/b/${business.id}/connection/webhooks/${id}/${act}`);
      expect([act, reply.status]).toEqual([act, 404]);
    }
  });
});

describe('fresh proofs', () => {
  let console: ConsoleUnderTest;
  let id: string;
  let browser: TestBrowser;
  let saved: BusinessChange[];
  beforeAll(async () => {
    console = await startConsole();
    console.network.answer(showConnection, () => ({ connection: null, request: null }));
    console.network.answer(updateBusiness, ({ business_id, change }) => {
      saved.push(change);
      const business = console.businesses.get(business_id);
      return { business: business ?? console.addBusiness() };
    });
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    saved = [];
    ({ id } = console.addBusiness({ email: 'shop@example.com' }));
    browser = await console.signedIn(await console.addPerson({ [id]: 'owner' }));
    console.clock.now = new Date(console.clock.now.getTime() + 10 * 60_000 + 1);
  });
  const formOf = async (section: string) => ({
    ...fieldsIn((await browser.get(`/b/${id}/business`)).text),
    section,
  });

  it('the acts that give power or take it away need a fresh proof', () => {
    const proved = bindings.filter(({ freshProof }) => freshProof).map(({ path }) => path);
    expect(proved).toEqual(
      expect.arrayContaining([
        '/authority/connect',
        '/authority/disconnect',
        '/connection/new',
        '/connection/:id/revoke',
        '/connection/webhooks/new',
        '/connection/webhooks/:id/rotate',
        '/connection/webhooks/:id/remove',
        '/documents/:id/number',
        '/documents/:id/refusal/:decision',
        '/people/leave',
        '/people/invite',
        '/people/:person/remove',
        '/exports',
        '/exports/:id/file',
      ]),
    );
  });

  it.each(
    ofBusiness
      .filter(({ freshProof }) => freshProof)
      .map((binding) => [`${binding.method} ${binding.path}`, binding] as const),
  )('%s asks for a proof of the last ten minutes', async (_name, binding) => {
    for (const path of pathsOf(binding, id)) {
      const reply = await (binding.method === 'GET' ? browser.get(path) : browser.post(path));
      expect(reply.location).toMatch(/^\/prove\?/);
    }
  });

  it('a form leads back to its page after the proof', async () => {
    const page = `/b/${id}/authority`;
    const headers = { referer: `${console.config.consoleUrl}${page}` };
    const { location } = await browser.post(`${page}/connect`, {}, headers);
    expect(location).toBe(`/prove?next=${encodeURIComponent(page)}`);
  });

  it.each([
    ['email', 'details', 'other@example.com'],
    ['accountant_email', 'accountant', 'attacker@example.com'],
    ['accountant_copy', 'accountant', 'yes'],
    ['pay_account', 'payment', '345678'],
    ['pay_link', 'payment', 'https://attacker.example.com'],
    ['first_tax_invoice', 'numbers', '5001'],
  ])('a change of %s needs a proof, and what was typed stays', async (name, section, value) => {
    const refused = await browser.post(`/b/${id}/business`, { ...(await formOf(section)), [name]: value });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Confirm it&#39;s you');
    expect(fieldsIn(refused.text)[name]).toBe(value);
    expect(saved).toEqual([]);
  });

  it('other settings need no proof', async () => {
    const reply = await browser.post(`/b/${id}/business`, { ...(await formOf('details')), city: 'Acre' });
    expect(reply.status).toBe(303);
    expect(saved).toMatchObject([{ city: 'Acre' }]);
  });
});
