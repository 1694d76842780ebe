/*
 * Reads what happened since the last time, and stores where to go on: run it every minute, or when a webhook arrives.
 *
 *   PINKAS_BASE_URL=… PINKAS_KEY=pk_… node packages/client/examples/poll-events.mjs cursor.txt
 */
import { readFile, writeFile } from 'node:fs/promises';
import { PinkasClient } from '@pinkas/client';

const { PINKAS_BASE_URL: baseUrl = '', PINKAS_KEY: apiKey = '' } = process.env;
const [, , file = 'cursor.txt'] = process.argv;
const pinkas = new PinkasClient({ baseUrl, apiKey });

const cursor = await readFile(file, 'utf8').catch(() => undefined);
// Without a cursor it begins with the first event; the first call of a business begins its events.
for await (const page of pinkas.eventPages(cursor === undefined ? {} : { cursor })) {
  for (const event of page.data) {
    process.stdout.write(`${event.type} ${event.data.document?.number ?? ''} ${event.id}\n`);
  }
  // When a page is handled: a program that ends before that handles it again.
  await writeFile(file, page.next_cursor);
}
