/**
 * The part of the kit that asks and serves nothing, for programs such as the operator's command: it loads in a fraction of
 * the time that the whole kit takes.
 */
export * from './context.js';
export { connectNats } from './nats-connection.js';
export * from './problem.js';
export { Peers } from './rpc/peers.js';
