/*
 * Provokes every outcome of the API that a caller has to handle, in the test book of a business: nothing counts, and nothing
 * is sent. Needs a test key, which begins with pk_test_:
 *
 *   PINKAS_BASE_URL=http://127.0.0.1:8080/v1 PINKAS_TEST_KEY=pk_test_… node packages/client/examples/test-integration.mjs
 */
import { randomUUID } from 'node:crypto';
import { PinkasClient, PinkasError } from '@pinkas/client';

const { PINKAS_BASE_URL: baseUrl = '', PINKAS_TEST_KEY: apiKey = '' } = process.env;
const pinkas = new PinkasClient({ baseUrl, apiKey, retry: { firstDelayMs: 100 } });
/** Sends every request once, to see the answer that the retries of the other hide. */
const once = new PinkasClient({ baseUrl, apiKey, retry: { attemptsMax: 1 } });

/** A tax invoice with an item whose sku provokes an outcome. */
const invoice = (sku) => ({
  type: 'tax_invoice',
  customer: { name: 'Example customer', email: 'customer@example.com' },
  items: [{ description: 'Example', quantity: 1, unit_price: 100, sku }],
});

let failures = 0;
function report(what, got, expected) {
  const ok = got === expected;
  failures += ok ? 0 : 1;
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${what}: ${got}${ok ? '' : `, expected ${expected}`}\n`);
}

/** The code of the error that a call ends with. */
async function codeOf(call) {
  try {
    await call;
    return 'no error';
  } catch (error) {
    return error instanceof PinkasError ? error.code : `${error.name}: ${error.reason ?? error.message}`;
  }
}

const me = await pinkas.getMe();
if (me.mode !== 'test') {
  throw new Error(`${me.key.prefix} is a ${me.mode} key: the documents would count`);
}

// What becomes of the allocation number, and of the message to the customer.
for (const status of [
  'issued',
  'not_required',
  'skipped_customer_tax_id_missing',
  'skipped_business_tax_id_missing',
  'failed',
]) {
  const { document } = await pinkas.createDocument(invoice(`test_allocation_${status}`));
  report(`test_allocation_${status}`, document.allocation.status, status);
}
for (const status of [
  'queued',
  'deferred_quiet_hours',
  'disabled',
  'suppressed',
  'no_recipient',
  'send_failed',
]) {
  const { document } = await pinkas.createDocument(invoice(`test_delivery_${status}`));
  report(`test_delivery_${status}`, document.delivery.status, status);
}

// A number that comes a few seconds after the answer: read the document again.
const late = (await pinkas.createDocument(invoice('test_allocation_late'))).document;
report('test_allocation_late, in the answer', late.allocation.status, 'failed');
let read = late;
for (let attempt = 0; read.allocation_number === null && attempt < 60; attempt += 1) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  read = await pinkas.getDocument(late.id);
}
report(
  'test_allocation_late, afterwards',
  read.allocation_number === null ? 'no number' : 'a number',
  'a number',
);

// Errors that no request of yours causes. They come as long as the item is there.
for (const code of ['document_generation_failed', 'engine_error']) {
  report(`test_${code}`, await codeOf(once.createDocument(invoice(`test_${code}`))), code);
}

// Errors after which the document is there: send the same request with the same key again, and never another.
for (const [sku, code] of [
  ['test_engine_error_after_issue', 'engine_error'],
  ['test_request_in_progress', 'request_in_progress'],
]) {
  const idempotencyKey = `example-${randomUUID()}`;
  report(sku, await codeOf(once.createDocument(invoice(sku), { idempotencyKey })), code);
  const { replayed } = await pinkas.createDocument(invoice(sku), { idempotencyKey });
  report(`${sku}, sent again`, replayed ? 'the document' : 'a second document', 'the document');
}

// An answer that comes too late for a caller who waits for one second.
const idempotencyKey = `example-${randomUUID()}`;
const slow = invoice('test_slow_3s');
report(
  'test_slow_3s',
  await codeOf(once.createDocument(slow, { idempotencyKey, timeoutMs: 1_000 })),
  'PinkasConnectionError: timeout',
);
const { replayed } = await pinkas.createDocument(slow, { idempotencyKey });
report('test_slow_3s, sent again', replayed ? 'the document' : 'a second document', 'the document');

process.exitCode = failures === 0 ? 0 : 1;
