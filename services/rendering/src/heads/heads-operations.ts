import { Controller } from '@nestjs/common';
import { type ReplyOf, type RequestOf, readHeads, signHeads } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { HeadsTables } from '../db/heads.tables.js';
import { signedHeadsAfter } from './heads.repository.js';
import { HeadsSigner } from './heads-signer.js';

/** Signed statements of the ends of chains. */
@Controller()
export class HeadsOperations {
  constructor(
    private readonly signer: HeadsSigner,
    @InjectDatabase() private readonly db: Database<HeadsTables>,
  ) {}

  /** Signs the ends of all chains now, for an operator. */
  @Operation(signHeads)
  sign(): Promise<ReplyOf<typeof signHeads>> {
    return this.signer.sign();
  }

  /** Reads the signed statements, a page at a time. */
  @Operation(readHeads)
  async read({ after }: RequestOf<typeof readHeads>): Promise<ReplyOf<typeof readHeads>> {
    const rows = await signedHeadsAfter(this.db, after);
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
