import { createInbox, type Msg, type NatsConnection, headers as natsHeaders } from '@nats-io/nats-core';
import { type Contract, compileTolerant, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import { LookTimer } from '../concurrency/look-timer.js';
import { withTimeout } from '../concurrency/with-timeout.js';
import { newContext } from '../process/context.js';
import { header, writeContext } from '../rpc/headers.js';
import { decode, encode } from '../rpc/payload.js';

/** The reply of one process, between two instants on the clock of the caller. */
export interface ProcessReply<C extends Contract> {
  readonly reply: ReplyOf<C>;
  readonly sentAt: Date;
  readonly receivedAt: Date;
}

/** The result of a call to every process. */
export interface ProcessReplies<C extends Contract> {
  readonly replies: readonly ProcessReply<C>[];
  /** How many processes have shown that they have the request, and gave no reply in time, or none that the contract allows. */
  readonly silent: number;
}

/** Calls a contract that every process of its owner handles. */
export type CallEach = <C extends Contract>(contract: C, request: RequestOf<C>) => Promise<ProcessReplies<C>>;

/**
 * Calls every process that handles a contract. A process shows at once that it has the request, so that all are known within
 * `discovery`; their replies are waited for until the time limit of the contract. Never rejects.
 */
export async function callEach<C extends Contract>(
  connection: NatsConnection,
  contract: C,
  request: RequestOf<C>,
): Promise<ProcessReplies<C>> {
  const check = compileTolerant(contract.reply);
  const sentAt = new Date();
  /** By the id of the process; null until its reply. */
  const known = new Map<string, ProcessReply<C> | 'failed' | null>();
  let isDiscovered = false;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const endWhereComplete = () => {
    if (isDiscovered && ![...known.values()].includes(null)) {
      end();
    }
  };
  const receive = (message: Msg) => {
    const process = message.headers?.get(header.process);
    if (message.data.length === 0 && message.headers?.code === 503) {
      end();
    } else if (process && message.headers?.has(header.progress)) {
      known.set(process, known.get(process) ?? null);
    } else if (process) {
      const checked = check(decode(message.data));
      const isReply = checked.ok && !message.headers?.has(header.errorText);
      const reply = isReply && { reply: checked.value as ReplyOf<C>, sentAt, receivedAt: new Date() };
      known.set(process, reply || 'failed');
      endWhereComplete();
    }
  };
  const inbox = createInbox();
  const subscription = connection.subscribe(inbox, {
    callback: (error, message) => (error ? end() : receive(message)),
  });
  const headers = natsHeaders();
  writeContext(headers, newContext(contract.timeoutMs).requestId, contract.timeoutMs);
  connection.publish(contract.subject, encode(request), { reply: inbox, headers });
  const discovery = new LookTimer(timeLimitsMs.discovery, () => {
    isDiscovered = true;
    endWhereComplete();
  });
  await withTimeout(ended, contract.timeoutMs, () => {});
  discovery.end();
  subscription.unsubscribe();
  const all = [...known.values()];
  const replies = all.filter((reply) => reply !== null && reply !== 'failed');
  return { replies, silent: all.length - replies.length };
}
