import { Module } from '@nestjs/common';
import { type Clock, kitTokens, type Logger, Metrics } from '@pinkas/service-kit';
import type { RenderingConfig } from '../config.js';
import { ShowSigningCertificate } from './show-signing-certificate.js';
import { SignatureChecks } from './signature-checks.js';
import { Signers } from './signers.js';
import { ValidationDataRefresher } from './validation-data-refresher.js';

/** The signing certificates of the process. */
@Module({
  controllers: [ShowSigningCertificate],
  providers: [
    {
      // A factory, since every certificate is opened and tested before the service serves.
      provide: Signers,
      useFactory: (config: RenderingConfig, clock: Clock, logger: Logger, metrics: Metrics) =>
        Signers.open(config, { clock, logger, metrics }),
      inject: [kitTokens.config, kitTokens.clock, kitTokens.logger, Metrics],
    },
    ValidationDataRefresher,
    SignatureChecks,
  ],
  exports: [Signers],
})
export class SignatureModule {}
