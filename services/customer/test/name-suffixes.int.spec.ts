import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { migrate } from '@pinkas/service-kit/schema';
import { createTestDatabase } from '@pinkas/testkit';
import type { CustomerTables } from '../src/card/card.tables.js';
import { findByNameOrTaxId } from '../src/card/card-search.repository.js';
import { migrations } from '../src/db/migrations.js';

describe('the migration to searchable names', () => {
  it('makes the customers searchable that were there before', async () => {
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0003'));
    const database = await createTestDatabase<CustomerTables>(earlier);
    try {
      const card = { business_id: randomUUID(), id: randomUUID(), name: 'Before', name_key: 'before' };
      const at = new Date();
      await database.db
        .insertInto('card')
        .values({ ...card, created_at: at, confirmed_at: at })
        .execute();
      await migrate(database.ownerUrl, migrations);
      expect(
        await findByNameOrTaxId(database.db, card.business_id, { part: 'efo', taxId: null }, 20),
      ).toMatchObject([{ id: card.id }]);
    } finally {
      await database.close();
    }
  });
});
