import { Module } from '@nestjs/common';
import { type Clock, kitTokens, type Logger, Metrics, type ServiceOptions } from '@pinkas/service-kit';
import { ArtifactPress } from './artifact/artifact-press.js';
import { AuditArtifacts } from './artifact/audit-artifacts.js';
import { CancelArtifact } from './artifact/cancel-artifact.js';
import { FurtherRevision } from './artifact/further-revision.js';
import { GetArtifact } from './artifact/get-artifact.js';
import { HandOverArtifact } from './artifact/hand-over-artifact.js';
import { NoteCancellation } from './artifact/note-cancellation.js';
import { PressRoom } from './artifact/press-room.js';
import { PurgeOrphans } from './artifact/purge-orphans.js';
import { RenderArtifact } from './artifact/render-artifact.js';
import { RenderPage } from './artifact/render-page.js';
import { SettleArtifact } from './artifact/settle-artifact.js';
import type { RenderingConfig } from './config.js';
import { KeepLogo } from './logo/keep-logo.js';
import { LogoShelf } from './logo/logo-shelf.js';
import { loadTypeface, type Typeface, typefaceToken } from './typeface/typeface.js';

/** The signed PDFs and the hosted pages. */
@Module({
  controllers: [
    RenderArtifact,
    GetArtifact,
    HandOverArtifact,
    CancelArtifact,
    AuditArtifacts,
    RenderPage,
    KeepLogo,
  ],
  providers: [
    { provide: typefaceToken, useFactory: loadTypeface },
    {
      provide: ArtifactPress,
      useFactory: (
        config: RenderingConfig,
        typeface: Typeface,
        clock: Clock,
        logger: Logger,
        metrics: Metrics,
      ) => ArtifactPress.open(config, typeface, { clock, logger, metrics }),
      inject: [kitTokens.config, typefaceToken, kitTokens.clock, kitTokens.logger, Metrics],
    },
    LogoShelf,
    FurtherRevision,
    SettleArtifact,
    NoteCancellation,
    PressRoom,
    PurgeOrphans,
  ],
})
export class RenderingModule {}

/** The process, but for its configuration. */
export const renderingService: Omit<ServiceOptions, 'config'> = {
  name: 'rendering',
  module: RenderingModule,
  backgrounds: [PressRoom, PurgeOrphans],
};
