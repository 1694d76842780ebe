import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Business,
  type ErrorCode,
  errorCatalogue,
  getDocument,
  listKeys,
  removeEndpoint,
  setEndpointEnabled,
  showConnection,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from './console.js';

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

  /** Of each form of a business that changes its book or its settings; no service answers what they would call. */
  const book = [
    `/documents/${id}/cancel`,
    `/documents/${id}/allocation`,
    `/documents/${id}/resend`,
    `/documents/${id}/send`,
    `/customers/${id}`,
    '/suppressions/remove',
  ];
  const settings = [
    '/authority/connect',
    '/connection/new',
    '/connection/webhooks/new',
    `/connection/webhooks/${id}/enable`,
    `/connection/webhooks/${id}/test`,
    `/connection/webhooks/${id}/resend`,
    `/connection/webhooks/${id}/rotate`,
    '/business',
    '/business/logo',
  ];
  const issues = [`/documents/${id}/credit`, '/issue/document', '/issue/picture'];
  const refusedBy = async (code: ErrorCode, paths: readonly string[]) => {
    for (const path of paths) {
      const reply = await browser.post(`/b/${business.id}${path}`);
      expect([path, reply.status]).toEqual([path, errorCatalogue[code].httpStatus]);
      expect(reply.text).toContain(errorCatalogue[code].message);
    }
  };

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
