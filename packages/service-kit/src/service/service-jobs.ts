import type { INestApplicationContext } from '@nestjs/common';
import type { ServiceName } from '@pinkas/contracts';
import type { Clock } from '../clock.js';
import type { Database } from '../db/tenant-scope.js';
import type { Diagnosis } from '../diagnosis/diagnosis.js';
import { jobChecks } from '../diagnosis/job-checks.js';
import type { MessagingTables } from '../events/messaging.tables.js';
import type { OutboxRelay } from '../events/outbox/relay.js';
import { JobKind } from '../jobs/job-kind.js';
import type { JobTables } from '../jobs/job-table.js';
import { Jobs } from '../jobs/jobs.js';
import type { BackgroundTask } from '../process/background-task.js';
import type { Logger } from '../process/logger.js';
import type { Metrics } from '../process/metrics.js';
import type { Tracing } from '../tracing/tracing.js';
import { instancesOf } from './kit-module.js';

interface Parts {
  readonly db: Database<MessagingTables>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
}

/** Jobs, in whose transactions events may be published. */
export function openJobs(clock: Clock, { db, logger, metrics, tracing }: Parts, relay: OutboxRelay): Jobs {
  return new Jobs({
    ...{ db: db as unknown as Database<JobTables>, clock, logger, metrics, tracing },
    transaction: (scope, work) =>
      relay.transaction(scope as unknown as Database<MessagingTables & JobTables>, work),
  });
}

/** Adds the kinds of jobs of a service, and what its jobs report. */
export function bindJobs(
  app: INestApplicationContext,
  service: ServiceName,
  diagnosis: Diagnosis,
): BackgroundTask {
  const jobs = app.get(Jobs);
  const kinds = [...instancesOf(app)].filter((instance) => instance instanceof JobKind);
  for (const kind of kinds) {
    jobs.add(kind);
  }
  if (kinds.length > 0) {
    diagnosis.add('jobs', jobChecks(service, jobs));
  }
  return jobs;
}
