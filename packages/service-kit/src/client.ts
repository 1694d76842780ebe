/** The part of the kit that calls services and is none, for programs such as the CLI: it loads in a fraction of the time. */

export { type CallEach, callEach, type ProcessReplies, type ProcessReply } from './diagnosis/call-each.js';
export { ApiError } from './process/api-error.js';
export { newContext, withContext } from './process/context.js';
export { connectNats } from './process/nats-connection.js';
export { waitForServer } from './process/wait-for-server.js';
export { RpcClient } from './rpc/client.js';
