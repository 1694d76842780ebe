import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { compareSchema } from '@pinkas/testkit';

const withoutMessaging: readonly string[] = ['gateway', 'console'];

describe('the recorded schemas', () => {
  it.each(serviceNames)('schema.sql of %s is what its migrations create', async (service) => {
    const { migrations } = await import(`../../services/${service}/src/db/migrations.js`);
    const { migrated, recorded } = await compareSchema(
      migrations,
      new URL(`../../services/${service}/src/db/schema.sql`, import.meta.url),
      { messaging: !withoutMessaging.includes(service) },
    );
    expect(migrated).toBe(recorded);
  });
});
