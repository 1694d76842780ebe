/*
 * An order form: shows what an order comes to before it is confirmed, by the dry run, and issues its tax invoice once.
 *
 *   PINKAS_BASE_URL=… PINKAS_KEY=pk_… PORT=3000 node packages/client/examples/order-form.mjs
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { PinkasClient, PinkasError } from '@pinkas/client';

const { PINKAS_BASE_URL: baseUrl = '', PINKAS_KEY: apiKey = '', PORT: port = '3000' } = process.env;
const pinkas = new PinkasClient({ baseUrl, apiKey });

const escapeHtml = (text) => String(text).replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const page = (fields, result) => `<!doctype html>
<html lang="en"><title>Order</title>
<form method="post">
  <input type="hidden" name="key" value="${escapeHtml(fields.get('key') ?? randomUUID())}">
  <label>Name <input name="name" required value="${escapeHtml(fields.get('name') ?? '')}"></label>
  <label>Item <input name="item" required value="${escapeHtml(fields.get('item') ?? '')}"></label>
  <label>Quantity <input name="quantity" type="number" step="any" value="${escapeHtml(fields.get('quantity') ?? 1)}"></label>
  <label>Price <input name="price" type="number" step="any" value="${escapeHtml(fields.get('price') ?? '')}"></label>
  <button name="act" value="compute">Compute</button>
  <button name="act" value="order">Order</button>
</form>
${result.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}`;

const orderOf = (fields) => ({
  type: 'tax_invoice',
  customer: { name: fields.get('name') ?? '' },
  items: [
    {
      description: fields.get('item') ?? '',
      quantity: Number(fields.get('quantity')),
      unit_price: Number(fields.get('price')),
    },
  ],
});

async function answer(fields) {
  try {
    if (fields.get('act') === 'order') {
      // Pressed twice, the form has the same key and issues once.
      const { document } = await pinkas.createDocument(orderOf(fields), {
        idempotencyKey: fields.get('key'),
      });
      return [`Invoice ${document.number}: ${document.totals.total} ILS`, document.view_url];
    }
    const { totals, warnings } = await pinkas.previewDocument(orderOf(fields));
    return [`VAT ${totals.vat}, in all ${totals.total} ILS`, ...warnings.map(({ message }) => message)];
  } catch (error) {
    if (!(error instanceof PinkasError)) {
      throw error;
    }
    const reasons = error.details?.errors ?? [];
    return [error.message, ...reasons.map(({ path, message }) => `${path}: ${message}`)];
  }
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const fields = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
  const result = request.method === 'POST' ? await answer(fields) : [];
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(fields, result));
});
server.listen(Number(port), '127.0.0.1', () =>
  process.stdout.write(`listening on ${server.address().port}\n`),
);
