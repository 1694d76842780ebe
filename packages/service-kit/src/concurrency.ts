/** Bounded concurrency, without the rest of the kit: for programs that are no service. */
export { ConcurrencyLimiter } from './concurrency/concurrency-limiter.js';
export { KeyedQueue } from './concurrency/keyed-queue.js';
export { LookTimer, timeoutSignal } from './concurrency/look-timer.js';
export { QueueFullError } from './concurrency/queue-full-error.js';
export { Semaphore } from './concurrency/semaphore.js';
export { withTimeout } from './concurrency/with-timeout.js';
export { PeriodicTask, type TickResult } from './jobs/periodic-task.js';
