import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { compareSchema } from '@pinkas/testkit';

const withoutMessaging: readonly string[] = ['gateway', 'console'];

describe('the recorded schemas', () => {
  it('schema.sql and generated.tables.ts of the kit are what its migrations create', async () => {
    const folder = new URL('../../packages/service-kit/src/db/', import.meta.url);
    const { migrated, recorded } = await compareSchema({}, folder);
    expect(recorded).toEqual(migrated);
  });

  it.each(serviceNames)(
    'schema.sql and generated.tables.ts of %s are what its migrations create',
    async (service) => {
      const folder = new URL(`../../services/${service}/src/db/`, import.meta.url);
      const { migrations } = await import(`../../services/${service}/src/db/migrations.js`);
      const { migrated, recorded } = await compareSchema(migrations, folder, {
        messaging: !withoutMessaging.includes(service),
      });
      expect(recorded).toEqual(migrated);
    },
  );
});
