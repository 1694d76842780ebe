import { type ReplyOf, type RequestOf, readHeads } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { HeadsTables } from '../db/heads.tables.js';
import { statementsAfter } from './heads.repository.js';

/** Reads the signed statements, a page at a time. */
@Operation(readHeads)
export class ReadHeads {
  constructor(@InjectDatabase() private readonly db: Database<HeadsTables>) {}

  async handle({ after }: RequestOf<typeof readHeads>): Promise<ReplyOf<typeof readHeads>> {
    const rows = await statementsAfter(this.db, after);
    return {
      signed: rows.map(({ n, statement, signature, certificate_sha256 }) => ({
        n,
        statement,
        signature: signature.toString('base64'),
        certificate_sha256: certificate_sha256.toString('hex'),
      })),
    };
  }
}
