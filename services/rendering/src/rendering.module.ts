import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { ArtifactOperations } from './artifact/artifact-operations.js';
import { AuditArtifacts } from './artifact/audit-artifacts.js';
import { BookHash } from './artifact/book-hash.js';
import { FindArtifact } from './artifact/find-artifact.js';
import { NextRevision } from './artifact/next-revision.js';
import { PageOperations } from './artifact/page-operations.js';
import { RenderCancellation } from './artifact/render-cancellation.js';
import { RequestedRevision } from './artifact/requested-revision.js';
import { SettleArtifact, SettleDonation } from './artifact/settle-artifact.js';
import { HeadsModule } from './heads/heads.module.js';
import { HeadsSigner } from './heads/heads-signer.js';
import { LogoStore } from './logo/logo.repository.js';
import { LogoOperations } from './logo/logo-operations.js';
import { LogoRasterizer } from './logo/logo-rasterizer.js';
import { PdfService } from './print/pdf-service.js';
import { PrintReport } from './report/print-report.js';
import { SignatureModule } from './signature/signature.module.js';
import { ValidationDataRefresher } from './signature/validation-data-refresher.js';
import { ArtifactFiles } from './store/artifact-files.js';
import { ArtifactStore } from './store/artifact-store.js';
import { ListLostArtifacts } from './store/list-lost-artifacts.js';
import { MoveArtifacts } from './store/move-artifacts.js';
import { ObjectPurger } from './store/object-purger.js';
import { OrphanPurger } from './store/orphan-purger.js';
import { ClearTestArtifacts } from './test-mode/clear-test-artifacts.js';
import { ProvokableRenderArtifact } from './test-mode/provokable-render-artifact.js';
import { loadTypeface, typefaceToken } from './typeface/typeface.js';

/** The signed PDFs and the hosted pages. */
@Module({
  imports: [SignatureModule, HeadsModule],
  controllers: [
    ProvokableRenderArtifact,
    ArtifactOperations,
    MoveArtifacts,
    ListLostArtifacts,
    AuditArtifacts,
    FindArtifact,
    PageOperations,
    PrintReport,
    LogoOperations,
    ClearTestArtifacts,
  ],
  providers: [
    { provide: typefaceToken, useFactory: loadTypeface },
    PdfService,
    ArtifactStore,
    ArtifactFiles,
    BookHash,
    LogoRasterizer,
    LogoStore,
    NextRevision,
    RequestedRevision,
    SettleArtifact,
    SettleDonation,
    RenderCancellation,
    OrphanPurger,
    ObjectPurger,
  ],
})
export class RenderingModule {}

/** The background tasks, in the order of their start. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [
  PdfService,
  ArtifactStore,
  ValidationDataRefresher,
  OrphanPurger,
  ObjectPurger,
  HeadsSigner,
];
