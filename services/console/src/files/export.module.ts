import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { ExportMetrics } from './export/export-metrics.js';
import { ExportPurger } from './export/export-purger.js';
import { ExportWorker } from './export/export-worker.js';
import { ExportWriter } from './export/export-writer.js';
import { TransmissionWorker } from './transmission/transmission-worker.js';

/** The exports that people request, and their transmission. Pages use the functions of `exports.ts` and `transmissions.ts`. */
@Module({
  providers: [ExportMetrics, ExportWriter, ExportWorker, ExportPurger, TransmissionWorker],
  exports: [ExportWorker, TransmissionWorker],
})
export class ExportModule {}

/** In the order of their start. */
export const exportTasks: readonly Type<BackgroundTask>[] = [ExportWorker, ExportPurger, TransmissionWorker];
