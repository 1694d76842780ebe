/** Bounded concurrency, without the rest of the kit: for programs that are no service. */
export { ConcurrencyLimiter } from './concurrency/concurrency-limiter.js';
export { KeyedQueue } from './concurrency/keyed-queue.js';
export { Poller, type TickResult } from './concurrency/poller.js';
export { QueueFullError } from './concurrency/queue-full-error.js';
export { Semaphore } from './concurrency/semaphore.js';
export { withTimeout } from './concurrency/with-timeout.js';
