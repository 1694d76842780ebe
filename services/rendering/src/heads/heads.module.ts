import { Module } from '@nestjs/common';
import { SignatureModule } from '../signature/signature.module.js';
import { CheckHeads } from './check-heads.js';
import { HeadsSigner } from './heads-signer.js';
import { ReadHeads } from './read-heads.js';
import { SignHeads } from './sign-heads.js';

/** The signed ends of the chains of hashes (ADR 0050). It is in this service because the key is. */
@Module({
  imports: [SignatureModule],
  controllers: [SignHeads, ReadHeads, CheckHeads],
  providers: [HeadsSigner],
})
export class HeadsModule {}
