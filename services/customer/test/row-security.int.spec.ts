import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, forTenant, kitTokens } from '@pinkas/service-kit';
import type { CustomerTables } from '../src/card/card.tables.js';
import { type CustomerUnderTest, startCustomer } from './customer.js';

describe('row-level security', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
    await customer.issueTo({ name: 'Customer', tax_id: '777777715' });
    await customer.resolve({ name: 'Reserved', tax_id: '777777723' });
  });
  afterAll(() => customer.stop());

  it.each(['card', 'card_name_suffix', 'reservation'] as const)(
    'the rows of a business in %s are visible to that business only',
    async (table) => {
      const seenBy = async (db: typeof customer.db) =>
        (await db.selectFrom(table).select('business_id').execute()).length;
      // The one that the service itself has opened: it sees nobody's rows.
      const own = customer.service.app.get<Database<CustomerTables>>(kitTokens.database);
      const all = await seenBy(customer.db);
      expect(all).toBeGreaterThan(0);
      expect(await seenBy(forTenant(own, customer.business.id))).toBe(all);
      expect(await seenBy(forTenant(own, randomUUID()))).toBe(0);
      expect(await seenBy(own)).toBe(0);
    },
  );
});
