import {
  callEach,
  connectNats,
  newContext,
  RpcClient,
  waitForServer,
  withContext,
} from '@pinkas/service-kit/client';
import type { Call, CallEach, Progress } from './builder/command.js';
import { RefusalError } from './builder/usage-error.js';
import type { NatsUrl } from './config.js';

/**
 * The longest wait for a reply, in place of the limit of the contract: no caller waits behind a command, and a machine may be
 * busy. A service that is gone or frozen is noticed after four seconds.
 */
const callTimeoutMs = 30_000;

/** How long a server that cannot be reached is tried again. */
const connectTimeoutMs = 15_000;

/** A connection to the running system. */
export interface Connection {
  readonly call: Call;
  readonly callEach: CallEach;
  close(): Promise<void>;
}

/**
 * Connects to the system. In a cluster the first attempts of a new pod fail: its network policies are enforced some seconds later.
 * @throws RefusalError when it does not answer.
 */
export async function openConnection({ url, local }: NatsUrl, progress: Progress): Promise<Connection> {
  const nats = await waitForServer(() => connectNats(url, 'cli'), {
    withinMs: local ? 0 : connectTimeoutMs,
    onWait: () =>
      progress.print(
        `NATS does not answer yet at ${withoutPassword(url)}; trying for ${connectTimeoutMs / 1_000} seconds`,
      ),
  }).catch((error: Error) => {
    throw new RefusalError(
      local
        ? `The system does not answer at ${withoutPassword(url)}: start it with npm run up`
        : `NATS does not answer at ${withoutPassword(url)} (${error.message}): check NATS_URL, and that NATS runs`,
    );
  });
  const rpc = new RpcClient(nats);
  return {
    call: (contract, request) =>
      withContext(newContext(callTimeoutMs), () =>
        rpc.call({ ...contract, timeoutMs: callTimeoutMs }, request),
      ),
    callEach: (contract, request) => callEach(nats, contract, request),
    close: () => nats.close(),
  };
}

/** The URL without its credentials, for messages. */
function withoutPassword(url: string): string {
  return url.replaceAll(/\/\/[^@/,]*@/g, '//');
}
