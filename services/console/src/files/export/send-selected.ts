import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type BookEntry, type Call, sendMessage } from '@pinkas/contracts';
import { byteOrderMark, csvRow, type SingleFile, selectedPages } from '@pinkas/exports';
import { ApiError } from '@pinkas/service-kit';
import type { ClaimedExport } from './export.repository.js';

/**
 * Sends each document of a selection to the email address that it has of its customer. The id of a message is made of the job and
 * the document: another attempt sends nothing twice.
 * @returns the report: what came of each document.
 */
export async function sendSelected(
  call: Call,
  job: ClaimedExport,
  folder: string,
  onDocuments: (count: number) => void,
): Promise<SingleFile> {
  const path = join(folder, 'messages.csv');
  let documents = 0;
  const missing: string[] = [];
  async function* rows() {
    yield `${byteOrderMark}${csvRow(['type', 'number', 'customer', 'recipient', 'outcome'])}`;
    for await (const { entries } of selectedPages(
      call,
      job.book_id ?? job.business_id,
      job.selection ?? { include_cancelled: false },
    )) {
      for (const entry of entries) {
        const { type, number, customer } = entry.document;
        const outcome = await send(call, job, entry);
        if (outcome.reason !== null) {
          missing.push(`${type} ${number} ${outcome.reason}`);
        }
        documents += 1;
        onDocuments(documents);
        yield csvRow([
          type,
          number,
          customer.name,
          customer.email,
          outcome.text ?? outcome.reason ?? 'queued',
        ]);
      }
    }
  }
  await pipeline(Readable.from(rows()), createWriteStream(path));
  const name = `pinkas-email-${job.last_date}.csv`;
  return { path, name, mediaType: 'text/csv; charset=utf-8', documents, missingPdfs: missing };
}

/** Why a document of a selection is not sent. */
export const notSentReasons = ['cancelled', 'no_email', 'refused'] as const;
export type NotSentReason = (typeof notSentReasons)[number];

/** What became of a document; the text is that of a refusal. */
interface Outcome {
  readonly reason: NotSentReason | null;
  readonly text?: string;
}

async function send(call: Call, job: ClaimedExport, { document, state }: BookEntry): Promise<Outcome> {
  if (state.status === 'cancelled') {
    return { reason: 'cancelled' };
  }
  if (document.customer.email === null) {
    return { reason: 'no_email' };
  }
  try {
    await call(sendMessage, {
      business_id: job.book_id ?? job.business_id,
      document_id: document.id,
      delivery_id: messageId(job.id, document.id),
      channel: 'email',
      recipient: document.customer.email,
      person_id: job.person_id,
    });
    return { reason: null };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_error') {
      const { errors } = (error.details ?? {}) as { errors?: { message: string }[] };
      return { reason: 'refused', ...(errors?.[0] && { text: errors[0].message }) };
    }
    throw error;
  }
}

/** A UUID of version 8, the same for each attempt. */
function messageId(jobId: string, documentId: string): string {
  const hex = createHash('sha256').update(`${jobId}/${documentId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
