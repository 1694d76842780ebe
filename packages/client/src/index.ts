export type {
  CallOptions,
  CreateOptions,
  CreateResult,
  PinkasClientOptions,
} from './client-options.js';
export { PinkasClient } from './pinkas-client.js';
export {
  type KnownErrorCode,
  PinkasConnectionError,
  PinkasError,
  type PinkasErrorFacts,
} from './pinkas-error.js';
export type { ResponseFacts } from './response-facts.js';
export type { RetryOptions } from './retry.js';
export type * from './types.js';
