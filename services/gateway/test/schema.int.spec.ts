import { describe, expect, it } from '@jest/globals';
import { compareSchema } from '@pinkas/testkit';
import { migrations } from '../src/db/migrations.js';

describe('the database of the gateway', () => {
  it('is what schema.sql says after all migrations', async () => {
    const { migrated, recorded } = await compareSchema(
      migrations,
      new URL('../src/db/schema.sql', import.meta.url),
    );
    expect(migrated).toBe(recorded);
  });
});
