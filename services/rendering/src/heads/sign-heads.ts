import { type ReplyOf, signHeads } from '@pinkas/contracts';
import { Operation } from '@pinkas/service-kit';
import { HeadsSigner } from './heads-signer.js';

/** Signs the ends of all chains now, for an operator. */
@Operation(signHeads)
export class SignHeads {
  constructor(private readonly signer: HeadsSigner) {}

  handle(): Promise<ReplyOf<typeof signHeads>> {
    return this.signer.sign();
  }
}
