import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AuditEntry,
  auditing,
  listKeys,
  revokeKey,
  serviceNames,
  showConnection,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from './console.js';

const at = '2026-06-15T08:00:00.000Z';

describe('the settings of a business in the console', () => {
  let console: ConsoleUnderTest;
  let businessId: string;
  let browser: TestBrowser;
  /** The trail of issuing, the latest entry first. */
  let trail: AuditEntry[];
  const revoked: string[] = [];

  beforeAll(async () => {
    console = await startConsole();
    for (const name of serviceNames.filter((service) => service !== 'console')) {
      console.network.answer(auditing[name].listLatestAuditEntries, ({ before, limit }) => {
        const entries = name === 'issuing' ? trail : [];
        return { entries: entries.filter(({ n }) => before === null || n < before).slice(0, limit) };
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
  afterAll(() => console.stop());
  beforeEach(async () => {
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
      before: null,
      after: null,
      hash: '00'.repeat(32),
    })) as unknown as AuditEntry[];
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
