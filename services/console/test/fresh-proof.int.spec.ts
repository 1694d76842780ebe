import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type BusinessChange, showConnection, updateBusiness } from '@pinkas/contracts';
import { fieldsIn } from './browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from './console.js';

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

  it.each([
    ['POST', '/authority/connect'],
    ['GET', '/authority/disconnect'],
    ['POST', '/authority/disconnect'],
    ['GET', '/connection/new'],
    ['POST', '/connection/new'],
    ['GET', `/connection/${randomUUID()}/revoke`],
    ['POST', `/connection/${randomUUID()}/revoke`],
    ['GET', '/connection/webhooks/new'],
    ['POST', '/connection/webhooks/new'],
    ['GET', `/connection/webhooks/${randomUUID()}/rotate`],
    ['POST', `/connection/webhooks/${randomUUID()}/rotate`],
    ['GET', `/connection/webhooks/${randomUUID()}/remove`],
    ['POST', `/connection/webhooks/${randomUUID()}/remove`],
    ['GET', `/documents/${randomUUID()}/number`],
    ['POST', `/documents/${randomUUID()}/number`],
    ['GET', `/documents/${randomUUID()}/refusal/continue`],
    ['POST', `/documents/${randomUUID()}/refusal/continue`],
    ['GET', '/people/leave'],
    ['POST', '/people/leave'],
    ['POST', '/people/invite'],
    ['POST', `/people/${randomUUID()}/remove`],
    ['POST', '/exports'],
    ['GET', `/exports/${randomUUID()}/file`],
  ])('%s %s asks for a proof of the last ten minutes', async (method, path) => {
    const reply = await (method === 'GET' ? browser.get(`/b/${id}${path}`) : browser.post(`/b/${id}${path}`));
    expect(reply.location).toMatch(/^\/prove\?/);
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
  ])('a change of %s needs a proof, and what was typed stays', async (name, section, value) => {
    const refused = await browser.post(`/b/${id}/business`, { ...(await formOf(section)), [name]: value });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Prove who you are');
    expect(fieldsIn(refused.text)[name]).toBe(value);
    expect(saved).toEqual([]);
  });

  it('other settings need no proof', async () => {
    const reply = await browser.post(`/b/${id}/business`, { ...(await formOf('details')), city: 'Acre' });
    expect(reply.status).toBe(303);
    expect(saved).toMatchObject([{ city: 'Acre' }]);
  });
});
