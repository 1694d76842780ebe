import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { completeConnection, type ReplyOf, type RequestOf, showBusiness } from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit';
import { type GatewayUnderTest, startGateway } from './gateway.js';

describe('where the tax authority sends an owner back to', () => {
  let gateway: GatewayUnderTest;
  const asked: RequestOf<typeof completeConnection>[] = [];
  let answer: () => ReplyOf<typeof completeConnection>;
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.network.answer(completeConnection, (request) => {
      asked.push(request);
      return answer();
    });
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    asked.length = 0;
    answer = () => ({ outcome: 'stale', business_id: null, reason: null });
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });
  const visit = (query: string) => gateway.http(`/tax-authority/connected${query}`);

  it('completes the connection, says so in both languages, and marks the business as connected', async () => {
    const { business } = await gateway.caller();
    expect(business.tax_authority_connected).toBe(false);
    answer = () => ({ outcome: 'connected', business_id: business.id, reason: null });
    const page = await visit('?code=the+code%2F&state=the-state');
    expect(asked).toEqual([{ state: 'the-state', code: 'the code/' }]);
    expect(page.status).toBe(200);
    expect(page.text).toContain('The business is connected to the tax authority');
    expect(page.text).toContain('העסק מחובר לרשות המסים');
    const shown = await gateway.network.ask(showBusiness, { business_id: business.id });
    expect(shown.business).toEqual({ ...business, tax_authority_connected: true });
  });

  it('is a page that keeps to itself: no script, no index, no referrer, no copy', async () => {
    const page = await visit('?code=c&state=s');
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-robots-tag': expect.stringContaining('noindex'),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(page.text).not.toMatch(/code=|state=/);
  });

  it.each(['?code=c&state=used', '', '?code=c', `?code=c&state=${'s'.repeat(300)}`])(
    'tells a visitor with a link that is used or too old to start again: %s',
    async (query) => {
      const page = await visit(query);
      expect(page.status).toBe(410);
      expect(page.text).toContain('This link was used or is too old');
      expect(page.text).toContain('הקישור כבר נוצל או שאינו בתוקף');
    },
  );

  it('passes on that the owner did not agree', async () => {
    answer = () => ({ outcome: 'failed', business_id: null, reason: 'The owner did not agree.' });
    const page = await visit('?error=access_denied&state=s');
    expect(asked).toEqual([{ state: 's', code: null }]);
    expect(page.status).toBe(502);
    expect(page.text).toContain('Please start the connection again');
  });

  it('says so where allocation is away', async () => {
    answer = () => {
      throw new Problem('engine_error');
    };
    const page = await visit('?code=c&state=s');
    expect(page.status).toBe(502);
    expect(page.text).toContain('החיבור לרשות המסים לא הושלם');
  });
});
