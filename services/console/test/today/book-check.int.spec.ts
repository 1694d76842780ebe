import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  auditAllocations,
  auditArtifacts,
  auditCustomers,
  auditDeliveries,
  auditSeries,
  type Business,
  type Contract,
  listSeries,
  type ReplyOf,
  type RequestOf,
  readBook,
  serviceNames,
  trails,
} from '@pinkas/contracts';
import { type ExampleSystem, exampleSystem } from '@pinkas/exports/example-book';
import { ApiError, acrossTenants, type Database, kitTokens } from '@pinkas/service-kit';
import { scrape } from '@pinkas/testkit';
import type { ConsoleTables } from '../../src/db/console.tables.js';
import { claimCheck, type DueCheck, releaseCheck, storePart } from '../../src/today/book-check.repository.js';
import { BookChecks, documentsMax, nextRound } from '../../src/today/book-checks.js';
import { type ConsoleUnderTest, startConsole, type TestPerson } from '../console.js';

const hourMs = 60 * 60_000;

describe('the daily check of a book', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let owner: TestPerson;
  let system: ExampleSystem;
  let isAway = false;
  const read: RequestOf<typeof readBook>[] = [];
  beforeAll(async () => {
    console = await startConsole();
    const { network } = console;
    const answer = <C extends Contract>(contract: C) =>
      network.answer(contract, async (request: RequestOf<C>): Promise<ReplyOf<C>> => {
        if (isAway) {
          throw new ApiError('engine_error');
        }
        if (contract.subject === readBook.subject) {
          read.push(request as RequestOf<typeof readBook>);
        }
        return system.call(contract, request);
      });
    for (const contract of [
      listSeries,
      readBook,
      auditSeries,
      auditArtifacts,
      auditAllocations,
      auditDeliveries,
      auditCustomers,
      ...serviceNames.filter((name) => name !== 'console').map((name) => trails[name].listTrailEntries),
    ]) {
      answer(contract);
    }
    business = console.addBusiness();
    owner = await console.addPerson({ [business.id]: 'owner' });
  });
  afterAll(() => console?.stop());
  beforeEach(() => {
    read.length = 0;
    isAway = false;
    system = exampleSystem(33);
  });

  const check = () => console.service.app.get(BookChecks, { strict: false }).tickNow();
  /** What the page of the check states. */
  const shown = async () => (await (await console.signedIn(owner)).get(`/b/${business.id}/check`)).text;
  const today = async () => (await (await console.signedIn(owner)).get(`/b/${business.id}`)).text;
  const checkAfter = async (hours: number) => {
    console.clock.now = new Date(console.clock.now.getTime() + hours * hourMs);
    await check();
  };

  it('a sound book is stated with its documents and the time, and is due again the day after', async () => {
    expect(await shown()).toContain('The book is not checked yet');
    await check();
    expect(await shown()).toContain('<bdi dir="ltr">33</bdi>');
    expect(await today()).toContain('<bdi dir="ltr">33</bdi> documents, no gap, checked');
    const requests = read.length;
    expect(requests).toBeGreaterThan(0);
    await check();
    expect(read).toHaveLength(requests);
    await checkAfter(37);
    expect(read.length).toBeGreaterThan(requests);
  });

  it('a gap is a finding that needs a person, with the number that is missing', async () => {
    system.entries.splice(4, 1);
    await checkAfter(37);
    expect(await shown()).toContain('before it number 5 is missing');
    expect(await today()).toContain('The daily check of the book has findings');
    expect(await today()).not.toContain('no gap');
  });

  it('a finding about a document is one where its second look has it as well', async () => {
    const [entry] = system.entries;
    const audits = system.audits.get(entry?.document.id ?? '');
    Object.assign(audits?.allocation ?? {}, { number: '999999999' });
    await checkAfter(37);
    expect(await shown()).toContain('and the tax authority gave 999999999');
    expect(await shown()).not.toContain('the check after that was not completed');
  });

  it('a check that is old, or whose next attempt failed, does not state that there is no gap', async () => {
    await checkAfter(37);
    expect(await shown()).not.toContain('the check after that was not completed');
    isAway = true;
    await checkAfter(37);
    expect(await shown()).toContain('the check after that was not completed');
    isAway = false;
    await checkAfter(1);
    expect(await shown()).not.toContain('the check after that was not completed');
    console.clock.now = new Date(console.clock.now.getTime() + 37 * hourMs);
    expect(await shown()).toContain('the check after that was not completed');
  });

  it('a large book is checked in parts, each behind the one before, until its end', async () => {
    system = exampleSystem(documentsMax + 50);
    await checkAfter(37);
    expect(read.filter(({ after }) => after === null)).toHaveLength(1);
    expect(await shown()).not.toContain(String(documentsMax + 50));
    // However long it takes: a book of a million takes days.
    console.clock.now = new Date(console.clock.now.getTime() + 60 * 60_000);
    expect(await shown()).toContain('under way; so far it has checked <bdi dir="ltr">2000</bdi> documents');
    expect(await shown()).not.toContain('the check after that was not completed');
    await checkAfter(1);
    expect(read.filter(({ after }) => after === null)).toHaveLength(1);
    expect(await shown()).toContain(`<bdi dir="ltr">${documentsMax + 50}</bdi>`);
  });

  it('a book whose check was never completed is the oldest from its first attempt on', async () => {
    isAway = true;
    const never = console.addBusiness();
    await console.addPerson({ [never.id]: 'owner' });
    await checkAfter(1);
    console.clock.now = new Date(console.clock.now.getTime() + 200 * hourMs);
    const age = (await scrape(console.service)).get('pinkas_book_check_age_seconds') ?? 0;
    expect(age).toBeGreaterThanOrEqual(200 * 3_600);
    await console.database.db.deleteFrom('book_check').where('business_id', '=', never.id).execute();
  });

  it('the result of a check that another process has taken over is not stored', async () => {
    const row = () =>
      console.database.db
        .selectFrom('book_check')
        .selectAll()
        .where('business_id', '=', business.id)
        .executeTakeFirstOrThrow();
    console.clock.now = new Date(console.clock.now.getTime() + 37 * hourMs);
    const before = await row();
    const all = acrossTenants(console.service.app.get<Database<ConsoleTables>>(kitTokens.database));
    const late = await claimCheck(all, console.clock.now, console.clock.now);
    expect(late?.business_id).toBe(business.id);
    const taken = await claimCheck(all, console.clock.now, new Date(console.clock.now.getTime() + hourMs));
    await storePart(all, { ...(late as DueCheck), round_documents: 7 }, console.clock.now);
    expect(await row()).toMatchObject({ round_documents: before.round_documents });
    await releaseCheck(all, taken as DueCheck);
    expect(await row()).toMatchObject({ claimed_until: null });
  });

  it('a round that takes longer than half a day is followed by the next at the next second of the business', () => {
    const began = new Date('2026-06-15T08:00:00Z');
    const now = new Date('2026-06-18T20:00:00Z');
    const id = '00000000-0000-4000-8000-000000000000';
    expect(nextRound(began, now, id)).toEqual(new Date('2026-06-19T00:00:00Z'));
  });

  it('each business has a second of the day of its own, half a day from now at the earliest', () => {
    const now = new Date('2026-06-15T08:00:00Z');
    for (const id of ['00000000-0000-4000-8000-000000000000', 'ffffffff-0000-4000-8000-000000000000']) {
      const after = nextRound(now, now, id).getTime() - now.getTime();
      expect(after).toBeGreaterThanOrEqual(12 * hourMs);
      expect(after).toBeLessThan(36 * hourMs);
    }
    expect(nextRound(now, now, 'ffffffff-0000-4000-8000-000000000000')).not.toEqual(
      nextRound(now, now, '00000000-0000-4000-8000-000000000000'),
    );
  });
});
