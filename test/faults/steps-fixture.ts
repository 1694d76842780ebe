import { randomUUID } from 'node:crypto';
import type { CreateDocument, EventContract, ServiceName } from '@pinkas/contracts';
import { streamOf } from '@pinkas/contracts';
import { connectNats } from '@pinkas/service-kit/asking';
import { eventually } from '@pinkas/testkit';
import type { Seen } from '../book.js';
import type { Issuer, RunningStack } from '../running-stack.js';
import type { Hold } from './holding.js';

/** A document that stands in the book, whatever its caller has heard of it. */
export interface Committed {
  id: string;
  key: string;
  body: CreateDocument;
}

/** Sends a request, does not wait for its answer, and returns when the document is in the book. */
export async function commit(stack: RunningStack, issuer: Issuer, body: CreateDocument): Promise<Committed> {
  const key = randomUUID();
  void stack.issue(issuer.key, body, key).catch(() => undefined);
  const db = await stack.database<{ document: { id: string; idempotency_key: string } }>('issuing');
  try {
    const { id } = await eventually('the document is committed', () =>
      db.selectFrom('document').select('id').where('idempotency_key', '=', key).executeTakeFirst(),
    );
    return { id, key, body };
  } finally {
    await db.destroy();
  }
}

/** What the caller sees who sends the request again. */
export async function replayed(stack: RunningStack, issuer: Issuer, one: Committed): Promise<Seen> {
  const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, one.body, one.key);
  return { key: one.key, id, number, total: totals.total };
}

/** Kills a service where it stands now, and waits until it runs again. */
export async function killAndReturn(
  stack: RunningStack,
  part: ServiceName,
  meanwhile: () => Promise<void> | void = () => {},
): Promise<void> {
  const before = await stack.pidOf(part);
  await stack.kill(part);
  await meanwhile();
  await stack.restarted(part, before);
}

/** Stops a part of the system where it is. @returns what lets it go on; it may be called again. */
export async function freeze(stack: RunningStack, part: string): Promise<() => void> {
  const pid = await stack.pidOf(part);
  process.kill(pid, 'SIGSTOP');
  let frozen = true;
  return () => {
    if (frozen) process.kill(pid, 'SIGCONT');
    frozen = false;
  };
}

/**
 * Kills a service between saving a step and acknowledging it: the service stands at a lock, NATS is stopped, the service is let
 * through, and dies when the step is saved.
 */
export async function killAfterSaving(
  stack: RunningStack,
  part: ServiceName,
  hold: Hold,
  saved: () => Promise<unknown>,
): Promise<void> {
  await hold.reached();
  const thaw = await freeze(stack, 'nats');
  try {
    await hold.release();
    await eventually('the step is saved', saved, 60_000);
    // Without NATS the next process cannot become ready.
    await killAndReturn(stack, part, thaw);
  } finally {
    thaw();
  }
}

/** Waits until a consumer has had everything, also what it did not acknowledge before it died. */
export async function acknowledged(
  stack: RunningStack,
  event: EventContract,
  durable: string,
): Promise<void> {
  const connection = await connectNats((await stack.file()).nats_url, 'test');
  try {
    const { consumers } = await connection.jetstreamManager();
    await eventually(
      `${durable} has acknowledged everything`,
      async () => {
        const info = await consumers.info(streamOf(event.owner).name, durable);
        return info.num_pending === 0 && info.num_ack_pending === 0;
      },
      90_000,
    );
  } finally {
    await connection.close();
  }
}
