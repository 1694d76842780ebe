import { randomUUID } from 'node:crypto';
import { eventually } from '@pinkas/testkit';
import { invoice, type RunningStack } from './running-stack.js';
import { utf8Header } from './send.js';

/** Sends a request that is refused, with a text of its caller wherever there may be one. @returns its id, once it is in the log. */
export async function sendRefusedRequest(
  stack: RunningStack,
  key: string,
  text: string,
  idempotencyKey: string = text,
): Promise<string> {
  const id = randomUUID();
  const item = { description: text, quantity: 0, unit_price: 5, sku: text };
  const body = { ...invoice(1), customer: { name: text }, items: [item], external_ref: text, [text]: text };
  const headers = { 'x-request-id': id, 'idempotency-key': utf8Header(idempotencyKey.slice(0, 60)) };
  await stack.call(key, 'POST', '/documents', { body, headers });
  await eventually('the request is in the log', async () => {
    const { status } = await stack.call(key, 'GET', `/requests/${id}`);
    return status === 200;
  });
  return id;
}
