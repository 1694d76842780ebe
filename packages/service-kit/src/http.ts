/** HTTP servers: the front of a service that the public reaches, and the replies of programs without one. */
export { HttpFront } from './http/http-front.js';
export { HttpMetrics } from './http/http-metrics.js';
export type { HttpReply, Refusal } from './http/http-reply.js';
export { networkOf } from './http/network-of.js';
export { commonHeaders } from './http/page-headers.js';
export { HttpError, send } from './http/plain-replies.js';
