import { describe, expect, it } from '@jest/globals';
import { compareSchema } from '@pinkas/testkit';
import { migrations } from '../src/db/migrations.js';

describe('schema.sql of customer', () => {
  it('schema.sql equals the migrated database of customer', async () => {
    const { migrated, recorded } = await compareSchema(
      migrations,
      new URL('../src/db/schema.sql', import.meta.url),
    );
    expect(migrated).toBe(recorded);
  });
});
