import { hostname } from 'node:os';
import { Controller, type Type } from '@nestjs/common';
import {
  diagnosing,
  type diagnosisContracts,
  type ReplyOf,
  type RequestOf,
  type ServiceName,
  softwareVersion,
} from '@pinkas/contracts';
import type { Clock } from '../clock.js';
import { databaseAheadMs } from '../db/database-now.js';
import type { Database } from '../db/tenant-scope.js';
import { InjectClock, InjectDatabase } from '../process/tokens.js';
import { Operation } from '../rpc/operation.js';
import { Diagnosis } from './diagnosis.js';

type DiagnoseContract = ReturnType<typeof diagnosisContracts>['diagnoseProcess'];

/** The controllers of a service's diagnosis. */
export function diagnosisOperations(service: ServiceName): readonly Type[] {
  return [processDiagnosis(diagnosing[service].diagnoseProcess)];
}

function processDiagnosis(contract: DiagnoseContract) {
  @Controller()
  class ProcessDiagnosis {
    constructor(
      @InjectDatabase() readonly db: Database<unknown>,
      @InjectClock() readonly clock: Clock,
      readonly diagnosis: Diagnosis,
    ) {}

    @Operation(contract)
    async diagnose(_request: RequestOf<DiagnoseContract>): Promise<ReplyOf<DiagnoseContract>> {
      const receivedAt = this.clock.now();
      const [checks, aheadMs] = await Promise.all([
        this.diagnosis.run(),
        databaseAheadMs(this.db, this.clock),
      ]);
      return {
        host: hostname(),
        pid: process.pid,
        version: softwareVersion,
        received_at: receivedAt.toISOString(),
        replied_at: this.clock.now().toISOString(),
        database_ahead_ms: aheadMs,
        checks,
      };
    }
  }
  return ProcessDiagnosis;
}
