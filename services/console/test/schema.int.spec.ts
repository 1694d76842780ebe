import { describe, expect, it } from '@jest/globals';
import { compareSchema } from '@pinkas/testkit';
import { migrations } from '../src/db/migrations.js';

describe('schema.sql of console', () => {
  it('schema.sql equals the migrated database of console', async () => {
    const { migrated, recorded } = await compareSchema(
      migrations,
      new URL('../src/db/schema.sql', import.meta.url),
      { messaging: false },
    );
    expect(migrated).toBe(recorded);
  });
});
