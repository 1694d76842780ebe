import { connectNats, newContext, RpcClient, withContext } from '@pinkas/service-kit/client';
import type { Call } from './command.js';
import { RefusalError } from './usage-error.js';

/** The longest wait for a reply. */
const callTimeoutMs = 30_000;

/** A connection to the running system. */
export interface Connection {
  readonly call: Call;
  close(): Promise<void>;
}

/**
 * Connects to the system.
 * @throws RefusalError when it does not answer.
 */
export async function openConnection(natsUrl: string): Promise<Connection> {
  const nats = await connectNats(natsUrl, 'cli').catch(() => {
    throw new RefusalError(
      `The system does not answer at ${withoutPassword(natsUrl)}: start it with npm run up`,
    );
  });
  const rpc = new RpcClient(nats);
  return {
    call: (contract, request) => withContext(newContext(callTimeoutMs), () => rpc.call(contract, request)),
    close: () => nats.close(),
  };
}

/** The URL without its credentials, for messages. */
function withoutPassword(url: string): string {
  return url.replaceAll(/\/\/[^@/,]*@/g, '//');
}
