export * from './clock.js';
export * from './config.js';
export * from './context.js';
export * from './db/database.js';
export type { MessagingTables, TraceColumn } from './db/messaging-tables.js';
export * from './due-worker.js';
export * from './events/consumer.js';
export { messagingOperations } from './events/messaging-operations.js';
export { announce, Relay } from './events/outbox.js';
export { ensureStreams } from './events/streams.js';
export * from './events/watch.js';
export * from './logger.js';
export * from './loop.js';
export * from './metrics.js';
export { connectNats, readNatsAddress } from './nats-connection.js';
export * from './problem.js';
export { problemOf } from './problem-of.js';
export * from './retry-schedule.js';
export { contractOf, type Handles, Operation } from './rpc/operation.js';
export { Peers } from './rpc/peers.js';
export * from './service.js';
export * from './slots.js';
export { InjectClock, InjectConfig, InjectDatabase, InjectLogger, kitTokens } from './tokens.js';
export {
  type Attributes,
  currentTraceJson,
  inSpan,
  markFailed,
  noteSubject,
  type Span,
  SpanKind,
} from './tracing/spans.js';
export type { SaidTrace } from './tracing/trace-carrier.js';
export { Tracing } from './tracing/tracing.js';
