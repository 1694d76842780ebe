import { expect, jest } from '@jest/globals';
import {
  type CreatedDocument,
  PinkasClient,
  type PinkasClientOptions,
  PinkasConnectionError,
  PinkasError,
  type ResponseFacts,
} from '@pinkas/client';
import { createDocumentExamples, replyExamples } from '@pinkas/contracts/openapi';
import { type Act, AnsweringServer, answer } from './answering-server.js';

export const apiKey = 'pk_live_EXAMPLE0_notakeynotakeynotakey';
export const replies = replyExamples('https://api.example.com/docs');
export const created = replies.createDocument.tax_invoice_receipt.value as CreatedDocument;
export const body = createDocumentExamples.tax_invoice_receipt;
/** The server's replies to `createDocument` and `getMe`. */
export const issued = answer(201, created);
export const profile = answer(200, replies.getMe.profile.value);

/** The server of all test files. It keeps no process alive. */
export const server = await AnsweringServer.start();
server.unref();

/** Stops the timers of the client; those of Node go on. */
export const stopTime = () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
};
/** Does not answer: the time of the attempt passes as soon as its request has arrived. */
export const letTimePass: Act = () => {
  jest.runOnlyPendingTimers();
};

/** A client whose waits pass at once, on a clock of its own. */
export function clientOn(options: Partial<PinkasClientOptions> = {}) {
  const waits: number[] = [];
  const clock = { nowMs: Date.parse('2026-03-01T08:00:00Z') };
  const facts: ResponseFacts[] = [];
  const client = new PinkasClient({
    baseUrl: server.baseUrl,
    apiKey,
    onResponse: (item) => facts.push(item),
    timing: {
      now: () => clock.nowMs,
      random: () => 0.5,
      wait: async (ms) => {
        waits.push(ms);
        clock.nowMs += ms;
      },
    },
    ...options,
  });
  return { client, waits, clock, facts };
}

/** What a call ended with, which is an error. */
export const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

/** What a call was refused with. */
export async function refusalOf(call: Promise<unknown>): Promise<PinkasError> {
  const error = await errorOf(call);
  expect(error).toBeInstanceOf(PinkasError);
  return error as PinkasError;
}

/** What a call without a response ended with. */
export async function connectionErrorOf(call: Promise<unknown>): Promise<PinkasConnectionError> {
  const error = await errorOf(call);
  expect(error).toBeInstanceOf(PinkasConnectionError);
  return error as PinkasConnectionError;
}

export const requestLines = () => server.arrived.map(({ method, path }) => `${method} ${path}`);
export const keysSent = () => server.arrived.map(({ headers }) => headers['idempotency-key']);
