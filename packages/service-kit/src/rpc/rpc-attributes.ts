import type { Contract } from '@pinkas/contracts';
import type { Attributes } from '../tracing/spans.js';

/** What both ends of a request say of it, by OpenTelemetry's conventions for remote procedure calls. */
export function rpcAttributes({ owner, subject }: Contract): Attributes {
  return { 'rpc.system': 'nats', 'rpc.service': owner, 'rpc.method': subject };
}
