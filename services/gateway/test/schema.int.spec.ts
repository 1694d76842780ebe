import { describe, expect, it } from '@jest/globals';
import { compareSchema } from '@pinkas/testkit';
import { migrations } from '../src/db/migrations.js';

describe('migrations', () => {
  it('the migrations of the gateway create the schema that schema.sql records', async () => {
    const { migrated, recorded } = await compareSchema(
      migrations,
      new URL('../src/db/schema.sql', import.meta.url),
      { messaging: false },
    );
    expect(migrated).toBe(recorded);
  });
});
