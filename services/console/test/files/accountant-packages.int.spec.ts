import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountantPackages } from '../../src/files/months/accountant-packages.js';
import { type ConsoleUnderTest, startConsole } from '../console.js';

describe('the files of businesses that cannot be begun', () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  it('many of them are no busy loop, and keep no other waiting', async () => {
    const packages = console.service.app.get(AccountantPackages, { strict: false });
    // Its own ticks would take turns with those of the test.
    await packages.stop();
    const business = console.addBusiness();
    const { id: person } = await console.addPerson({ [business.id]: 'owner' });
    // No one answers for these businesses.
    const unknown = Array.from({ length: 20 }, () => randomUUID().replace(/^.{8}/, '00000000'));
    const schedule = { recipient_id: person, set_by: person, first_month: '2026-01-01', months: 1 };
    await console.database.db
      .insertInto('accountant_schedule')
      .values([...unknown, business.id].map((business_id) => ({ business_id, day_of_month: 1, ...schedule })))
      .execute();
    const begun = () => console.database.db.selectFrom('accountant_package').select('business_id').execute();
    expect(await packages.tickNow()).toEqual({ done: 0 });
    expect(await begun()).toEqual([]);
    expect(await packages.tickNow()).toBe('idle');
    expect(await begun()).toEqual([{ business_id: business.id }]);
    expect(await packages.tickNow()).toEqual({ done: 0 });
  });
});
