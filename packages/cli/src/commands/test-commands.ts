import { setTimeout as delay } from 'node:timers/promises';
import {
  clearTestAllocations,
  clearTestArtifacts,
  clearTestCustomers,
  clearTestDeliveries,
  clearTestDocuments,
  listTestMessages,
  listTestRequests,
  type TestMessage,
  type TestRequest,
} from '@pinkas/contracts';
import { allOf } from '@pinkas/exports/verify';
import { businessId } from '../builder/arguments.js';
import { findBook } from '../builder/calls.js';
import type { Call, Command, Progress } from '../builder/command.js';
import { table } from '../builder/table.js';
import { UsageError } from '../builder/usage-error.js';
import { verb } from '../builder/verb.js';

const business = {
  value: 'ID',
  meaning: 'the business of the test book',
  required: true,
  kind: businessId,
} as const;

/** What a document in flight publishes is handled after the first pass. */
const passesMax = 20;
const passPauseMs = 500;

/** The services that hold a part of a book; the documents first, so that none is issued on what is deleted. */
const clearing = [
  ['documents', clearTestDocuments],
  ['customers', clearTestCustomers],
  ['PDFs', clearTestArtifacts],
  ['allocations', clearTestAllocations],
  ['messages', clearTestDeliveries],
] as const;

const findTestBook = (call: Call, id: string) => findBook(call, id.toLowerCase(), 'test');

function messagesText(messages: readonly TestMessage[], requests: readonly TestRequest[]): string {
  const numbers = requests.map((request) => [
    request.document_id,
    request.state,
    request.number ?? '–',
    request.decided_at,
    request.reason ?? '',
  ]);
  return [
    ...messages.map(
      (message) =>
        `${message.sent_at}  ${message.channel} to ${message.recipient} for the ${message.purpose}: ` +
        `${message.document_type} ${message.document_number} (${message.document_id})\n` +
        `${message.subject}\n${message.body}`.trim().replaceAll(/^(?=.)/gm, '  '),
    ),
    messages.length === 0 ? 'No message would have been sent' : '',
    numbers.length === 0
      ? 'No allocation number would have been requested'
      : table(['document id', 'allocation', 'number', 'at', 'reason'], numbers),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/**
 * Deletes everything of a test book, until nothing more comes of documents that were in flight. A run that was cut off is continued
 * by the next one.
 */
async function clear(bookId: string, call: Call, progress: Progress): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  for (let pass = 1; pass <= passesMax; pass += 1) {
    let found = 0;
    for (const [name, contract] of clearing) {
      for (let more = true; more; ) {
        const reply = await call(contract, { business_id: bookId });
        deleted[name] = (deleted[name] ?? 0) + reply.deleted;
        found += reply.deleted;
        more = reply.more;
        progress.show(`${deleted[name].toLocaleString('en-US')} rows of ${name} deleted`);
      }
    }
    if (pass > 1 && found === 0) {
      return deleted;
    }
    await delay(passPauseMs);
  }
  throw new UsageError('The test book is being written to: stop what uses its keys, then clear it again');
}

/** `pinkas test …` */
export const testCommands: readonly Command[] = [
  verb('test messages', {
    summary:
      'shows what a test book would have sent, and the allocation numbers that it would have requested',
    options: { business },
    run: async (values, call) => {
      const request = { business_id: await findTestBook(call, values.business) };
      const messages = await allOf(call, listTestMessages, request, (page) => page.messages);
      const requests = await allOf(call, listTestRequests, request, (page) => page.requests);
      return {
        json: { messages, allocation_requests: requests },
        text: messagesText(messages, requests),
      };
    },
  }),
  verb('test clear', {
    summary: 'empties a test book: its series begin again with 1; its keys stay',
    options: { business },
    run: async (values, call, progress) => {
      const deleted = await clear(await findTestBook(call, values.business), call, progress);
      return {
        json: { deleted },
        text: `The test book is empty: ${Object.entries(deleted)
          .map(([name, rows]) => `${rows.toLocaleString('en-US')} rows of ${name}`)
          .join(', ')}`,
      };
    },
  }),
];
