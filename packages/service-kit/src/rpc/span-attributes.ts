import type { Contract } from '@pinkas/contracts';
import type { Attributes } from '../tracing/spans.js';

/** The attributes of an RPC on both ends, by OpenTelemetry's semantic conventions. */
export function rpcAttributes({ owner, subject }: Contract): Attributes {
  return { 'rpc.system': 'nats', 'rpc.service': owner, 'rpc.method': subject };
}
