import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ConsumerBinding, CreateDocument, EventContract, ServiceName } from '@pinkas/contracts';
import { streamOf } from '@pinkas/contracts';
import { connectNats } from '@pinkas/service-kit/client';
import { eventually, streamManagerOf } from '@pinkas/testkit';
import type { ObservedDocument } from '../harness/book.js';
import type { Issuer, RunningStack } from '../harness/running-stack.js';
import type { HeldLock } from './table-locks.js';

/** A document that is in the book, whatever its caller has heard of it. */
export interface CommittedDocument {
  id: string;
  key: string;
  body: CreateDocument;
}

/** Sends a request, does not wait for its answer, and returns when the document is in the book. */
export async function commitDocument(
  stack: RunningStack,
  issuer: Issuer,
  body: CreateDocument,
): Promise<CommittedDocument> {
  const key = randomUUID();
  void stack.issue(issuer.key, body, key).catch(() => undefined);
  const db = await stack.database<{ document: { id: string; idempotency_key: string } }>('issuing');
  const { id } = await eventually('the document is committed', () =>
    db.selectFrom('document').select('id').where('idempotency_key', '=', key).executeTakeFirst(),
  );
  return { id, key, body };
}

/** What the caller sees who sends the request again. */
export async function replay(
  stack: RunningStack,
  issuer: Issuer,
  one: CommittedDocument,
): Promise<ObservedDocument> {
  const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, one.body, one.key);
  return { key: one.key, id, number, total: totals.total };
}

/** Kills a service where it is now, and waits until it runs again. */
export async function killAndAwaitRestart(
  stack: RunningStack,
  part: ServiceName,
  whileDown: () => Promise<void> | void = () => {},
): Promise<void> {
  const before = await stack.pidOf(part);
  await stack.kill(part);
  await whileDown();
  await stack.awaitRestart(part, before);
}

/** Stops a part of the system where it is. @returns what lets it go on; it may be called again. */
export async function freeze(stack: RunningStack, part: string): Promise<() => void> {
  const pid = await stack.pidOf(part);
  process.kill(pid, 'SIGSTOP');
  // PostgreSQL serves each connection by a process of its own.
  const frozen = [pid, ...(await childrenOf(pid))];
  const signalAll = (signal: NodeJS.Signals) => {
    for (const one of frozen) {
      try {
        process.kill(one, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
          throw error;
        }
      }
    }
  };
  signalAll('SIGSTOP');
  return () => signalAll('SIGCONT');
}

/** The processes that a process has started. */
export async function childrenOf(pid: number): Promise<number[]> {
  const found = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return found.trim().split(/\s+/).filter(Boolean).map(Number);
}

/**
 * Kills a service between saving a step and acknowledging it: the service is at a lock, NATS is stopped, the service is let
 * through, and dies when the step is saved. NATS dies with it, and with what it has not read: no acknowledgement arrives.
 */
export async function killBeforeAcknowledgement(
  stack: RunningStack,
  part: ServiceName,
  hold: HeldLock,
  saved: () => Promise<unknown>,
): Promise<void> {
  await hold.waitUntilBlocked();
  const nats = await stack.pidOf('nats');
  const thaw = await freeze(stack, 'nats');
  try {
    await hold.release();
    await eventually('the step is saved', saved, 60_000);
    // Without NATS the next process cannot become ready.
    await killAndAwaitRestart(stack, part, async () => {
      await stack.kill('nats');
      await stack.awaitRestart('nats', nats);
    });
  } finally {
    thaw();
  }
}

/** Waits until a service that was started again has received an event, which another process had handled before. */
export async function awaitRedelivered(
  stack: RunningStack,
  { service, event, durable }: ConsumerBinding,
): Promise<void> {
  const attempts = new RegExp(
    `^pinkas_event_duration_seconds_count{consumer="${durable}"} ([1-9]\\d*)$`,
    'm',
  );
  await eventually(
    `${durable} is given the event again`,
    async () => attempts.test(await stack.metricsOf(service)),
    90_000,
  );
  await awaitAcknowledged(stack, event, durable);
}

/** Waits until a consumer has had everything, also what it did not acknowledge before it died. */
export async function awaitAcknowledged(
  stack: RunningStack,
  event: EventContract,
  durable: string,
): Promise<void> {
  await awaitConsumer(
    stack,
    { event, durable },
    'has acknowledged everything',
    (info) => info.num_pending === 0 && info.num_ack_pending === 0,
  );
}

/** Waits until the server says something of a consumer. */
export async function awaitConsumer(
  stack: RunningStack,
  { event, durable }: Pick<ConsumerBinding, 'event' | 'durable'>,
  what: string,
  isSo: (info: { num_pending: number; num_ack_pending: number }) => boolean,
): Promise<void> {
  const connection = await connectNats((await stack.file()).nats_url, 'test');
  try {
    const { consumers } = await streamManagerOf(connection);
    await eventually(
      `${durable} ${what}`,
      async () => isSo(await consumers.info(streamOf(event.owner).name, durable)),
      90_000,
    );
  } finally {
    await connection.close();
  }
}
