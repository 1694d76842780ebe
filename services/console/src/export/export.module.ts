import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { ExportMetrics } from './export-metrics.js';
import { ExportPurger } from './export-purger.js';
import { ExportWorker } from './export-worker.js';
import { ExportWriter } from './export-writer.js';
import { TransmissionWorker } from './transmission-worker.js';

/** The exports that people request, and their transmission. Pages use the functions of `exports.ts` and `transmissions.ts`. */
@Module({
  providers: [ExportMetrics, ExportWriter, ExportWorker, ExportPurger, TransmissionWorker],
  exports: [ExportWorker, TransmissionWorker],
})
export class ExportModule {}

/** In the order of their start. */
export const exportTasks: readonly Type<BackgroundTask>[] = [ExportWorker, ExportPurger, TransmissionWorker];
