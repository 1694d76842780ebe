import { Controller } from '@nestjs/common';
import { listLostArtifacts, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  type Clock,
  type Database,
  databaseNow,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { ArtifactStore } from './artifact-store.js';
import { documentObject, recordListed, withoutRow } from './object.repository.js';

/** A younger file may get its row now. */
const inFlightMs = 10 * 60_000;

/** Lists the files of the object store that no row names, for a person, and records that: others are never deleted. */
@Controller()
export class ListLostArtifacts {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly store: ArtifactStore,
  ) {}

  @Operation(listLostArtifacts)
  async list({ after }: RequestOf<typeof listLostArtifacts>): Promise<ReplyOf<typeof listLostArtifacts>> {
    if (!this.store.isConfigured) {
      throw ApiError.invalid([{ path: '/after', message: 'there is no object store' }]);
    }
    const all = acrossTenants(this.db);
    const now = await databaseNow(all, this.clock);
    const page = await this.store.list(after);
    const settled = page.filter(({ modifiedAt }) => now.getTime() - modifiedAt.getTime() > inFlightMs);
    const objects = settled.flatMap(({ key, modifiedAt }) => {
      const object = documentObject(key);
      return object ? [{ ...object, modifiedAt }] : [];
    });
    const lost = new Set(
      await withoutRow(
        all,
        objects.map(({ modifiedAt: _, ...object }) => object),
      ),
    );
    await recordListed(all, [...lost], now);
    return {
      files: objects
        .filter(({ key }) => lost.has(key))
        .map(({ key, business_id, document_id, modifiedAt }) => ({
          ...{ business_id, document_id, day: key.slice(0, 10), object_key: key },
          modified_at: modifiedAt.toISOString(),
        })),
      next: page.at(-1)?.key ?? null,
    };
  }
}
