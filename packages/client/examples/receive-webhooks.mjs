/*
 * Receives webhooks: answers at once, and handles each event once.
 *
 *   PINKAS_WEBHOOK_SECRET=whsec_… PORT=3000 node packages/client/examples/receive-webhooks.mjs
 */
import { createServer } from 'node:http';
import { verifyWebhook } from '@pinkas/client/webhooks';

const { PINKAS_WEBHOOK_SECRET: secret = '', PORT: port = '3000' } = process.env;
/** A program that may restart keeps these in its database. */
const handled = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  let event;
  try {
    event = verifyWebhook(Buffer.concat(chunks), request.headers, secret);
  } catch {
    response.writeHead(401).end();
    return;
  }
  if (!handled.has(event.id)) {
    handled.add(event.id);
    process.stdout.write(`${event.type} ${event.data.document?.number ?? ''} ${event.id}\n`);
  }
  response.writeHead(204).end();
});
server.listen(Number(port), '127.0.0.1', () =>
  process.stdout.write(`listening on ${server.address().port}\n`),
);
