import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Migrations, migrate } from '@pinkas/service-kit/schema';
import { createTestDatabase } from '@pinkas/testkit';
import type { RenderingTables } from '../src/artifact/artifact.tables.js';
import { migrations } from '../src/db/migrations.js';

const before: Migrations = Object.fromEntries(
  Object.entries(migrations).filter(([name]) => name < '0004-further-outputs'),
);

describe('the migration that tells original and copy by delivery', () => {
  it('takes every document that was announced before for delivered, and no other', async () => {
    const database = await createTestDatabase<RenderingTables>(before);
    try {
      const pdf = Buffer.from('%PDF');
      const sha256 = createHash('sha256').update(pdf).digest();
      const announcedAt = new Date('2026-01-01T10:00:00Z');
      const row = (change: { document_id: string; revision: number; announced_at: Date | null }) => ({
        business_id,
        request_sha256: sha256,
        sha256,
        pdf,
        size_bytes: pdf.length,
        template_version: 1,
        certificate_sha256: sha256,
        allocation_number: null,
        confirmed_at: announcedAt,
        ...change,
      });
      const business_id = randomUUID();
      const [announced, silent] = [randomUUID(), randomUUID()];
      await database.db
        .insertInto('artifact')
        .values([
          row({ document_id: announced, revision: 1, announced_at: announcedAt }),
          row({ document_id: announced, revision: 2, announced_at: new Date('2026-01-02T10:00:00Z') }),
          row({ document_id: silent, revision: 1, announced_at: null }),
        ])
        .execute();
      await migrate(database.ownerUrl, migrations);
      expect(await database.db.selectFrom('delivered').selectAll().execute()).toEqual([
        { business_id, document_id: announced, delivered_at: announcedAt },
      ]);
    } finally {
      await database.close();
    }
  });
});
