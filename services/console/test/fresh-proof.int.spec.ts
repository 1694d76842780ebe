import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type BusinessChange, showConnection, updateBusiness } from '@pinkas/contracts';
import { bindings, ofBusiness, pathsOf } from './bindings.js';
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
