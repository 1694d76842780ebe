import { type ReplyOf, type RequestOf, readHeads } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { RenderingTables } from '../artifact/artifact.tables.js';
import { statementAfter } from './heads.repository.js';

/** Reads the signed statements, one at a time. */
@Operation(readHeads)
export class ReadHeads {
  constructor(@InjectDatabase() private readonly db: Database<RenderingTables>) {}

  async handle({ after }: RequestOf<typeof readHeads>): Promise<ReplyOf<typeof readHeads>> {
    const row = await statementAfter(this.db, after);
    return {
      signed: row
        ? {
            n: row.n,
            statement: row.statement,
            signature: row.signature.toString('base64'),
            certificate_sha256: row.certificate_sha256.toString('hex'),
          }
        : null,
    };
  }
}
