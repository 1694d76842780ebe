import { Module } from '@nestjs/common';
import { SignatureModule } from '../signature/signature.module.js';
import { CheckHeads } from './check-heads.js';
import { HeadsOperations } from './heads-operations.js';
import { HeadsSigner } from './heads-signer.js';

/** The signed ends of the chains of hashes (ADR 0050). It is in this service because the key is. */
@Module({
  imports: [SignatureModule],
  controllers: [HeadsOperations, CheckHeads],
  providers: [HeadsSigner],
})
export class HeadsModule {}
