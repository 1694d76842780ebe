import { Controller } from '@nestjs/common';
import { clearTestArtifacts, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { clearTestBook, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';

const tables = ['artifact', 'artifact_release'] as const;

/** Empties a test book. */
@Controller()
export class ClearTestArtifacts {
  constructor(@InjectDatabase() private readonly db: Database<RenderingTables>) {}

  @Operation(clearTestArtifacts)
  handle({ business_id }: RequestOf<typeof clearTestArtifacts>): Promise<ReplyOf<typeof clearTestArtifacts>> {
    return clearTestBook(this.db, business_id, { tables });
  }
}
