/** A process with logs, metrics and probes, without NATS, a database or Nest: for programs that handle no contract. */
export { Closers } from './process/closers.js';
export { HealthServer } from './process/health-server.js';
export { createLogger, type Logger } from './process/logger.js';
export { type Counter, type Histogram, Metrics, secondsSince } from './process/metrics.js';
export { runProcess } from './process/run-process.js';
