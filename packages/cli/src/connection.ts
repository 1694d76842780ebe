import { connectNats, newContext, Peers, withContext } from '@pinkas/service-kit/asking';
import type { Ask } from './command.js';
import { Refusal } from './refusal.js';

/** No answer is waited for longer than this. */
const askTimeoutMs = 30_000;

/** A way to the running system. */
export interface Connection {
  readonly ask: Ask;
  close(): Promise<void>;
}

/**
 * Connects to the system.
 * @throws Refusal when nobody answers there.
 */
export async function openConnection(natsUrl: string): Promise<Connection> {
  const nats = await connectNats(natsUrl, 'cli').catch(() => {
    throw new Refusal(`The system does not answer at ${withoutPassword(natsUrl)}: start it with npm run up`);
  });
  const peers = new Peers(nats);
  return {
    ask: (contract, request) => withContext(newContext(askTimeoutMs), () => peers.ask(contract, request)),
    close: () => nats.close(),
  };
}

/** An address that may be shown. */
function withoutPassword(url: string): string {
  return url.replaceAll(/\/\/[^@/,]*@/g, '//');
}
