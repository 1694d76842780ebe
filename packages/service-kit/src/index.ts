export { type Clock, systemClock } from './clock.js';
export { advisoryLock, isAdvisoryLockFree, tryAdvisoryLocks } from './db/advisory-lock.js';
export { aheadMs, databaseClock, databaseNow } from './db/database-now.js';
export { isTransientDatabaseError, violatedConstraint } from './db/errors.js';
export { pageOf } from './db/page-of.js';
export { openDatabase } from './db/pool.js';
export { acrossTenants, type Database, forTenant, type Transaction } from './db/tenant-scope.js';
export { timeOrderedId } from './db/time-ordered-id.js';
export { timelineOf } from './db/timeline.js';
export { decryptToken, encryptToken } from './db/token-cipher.js';
export type { AsGenerated, Typed } from './db/typed-tables.js';
export { type DocumentWatch, EventWatch } from './events/event-watch.js';
export { consumerBindingOf, EventHandler } from './events/inbox/event-handler.js';
export type { MessagingTables, TraceColumn } from './events/messaging.tables.js';
export { messagingOperations } from './events/messaging-operations.js';
export {
  makeEvent,
  type OutboxEvent,
  type OutboxTransaction,
  outboxRows,
  publish,
} from './events/outbox/publish.js';
export { PublishedEvents } from './events/outbox/published-events.js';
export { OutboxRelay } from './events/outbox/relay.js';
export { ensureStreams } from './events/streams.js';
export { addJob, isClaimed, type JobKey } from './jobs/job.repository.js';
export {
  again,
  ClaimLostError,
  done,
  errorText,
  type JobEnd,
  JobKind,
  type JobRun,
  ProcessStoppingError,
} from './jobs/job-kind.js';
export { hasJob, type JobTables } from './jobs/job-table.js';
export { JobWorker, type NextDue } from './jobs/job-worker.js';
export { Jobs } from './jobs/jobs.js';
export { nextDue } from './jobs/next-due.js';
export { ApiError } from './process/api-error.js';
export type { BackgroundTask } from './process/background-task.js';
export {
  type CallContext,
  continuedContext,
  currentContext,
  newContext,
  remainingMs,
  withContext,
} from './process/context.js';
export { createLogger, type Logger } from './process/logger.js';
export { type Counter, type Histogram, Metrics, secondsSince } from './process/metrics.js';
export { connectNats } from './process/nats-connection.js';
export { InjectClock, InjectConfig, InjectDatabase, InjectLogger, kitTokens } from './process/tokens.js';
export { RpcClient } from './rpc/client.js';
export { contractsOf, Operation } from './rpc/operation.js';
export { toApiError } from './rpc/to-api-error.js';
export { runService, type ServiceDefinition } from './service/run-service.js';
export { runServices } from './service/run-services.js';
export { type RunningService, type ServiceOptions, startService } from './service/start-service.js';
export { clearTestBook, type TestBookTables } from './test-mode/clear-test-book.js';
export {
  type Attributes,
  currentTraceJson,
  inSpan,
  markFailed,
  type Span,
  SpanKind,
  setLogContext,
} from './tracing/spans.js';
export { Tracing } from './tracing/tracing.js';
export { type Actor, actorOf } from './trail/actor.js';
export { appendTrail } from './trail/trail.repository.js';
export type { TrailTables } from './trail/trail.tables.js';
export { trailOperations } from './trail/trail-operations.js';
