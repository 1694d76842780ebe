// The test of the chart: creates a demo business, issues a quote for it over HTTP, reads it and its PDF, and revokes the key.
// It runs in the image of the operator's command.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const { GATEWAY_URL } = process.env;

const pinkas = (...words) =>
  JSON.parse(execFileSync(process.execPath, ['dist/main.js', ...words, '--json'], { encoding: 'utf8' }));
const assert = (holds, what) => {
  if (!holds) {
    throw new Error(`it does not hold that ${what}`);
  }
};

writeFileSync(
  '/tmp/business.json',
  JSON.stringify({
    name: 'עסק לדוגמה בע"מ',
    legal_type: 'hevra_baam',
    tax_id: '777777715',
    address: 'רחוב הדוגמה 1',
    city: 'תל אביב-יפו',
    email: 'business@example.com',
  }),
);
const business = pinkas('business', 'create', '--file', '/tmp/business.json');
const { id: keyId, key } = pinkas('key', 'create', '--business', business.id, '--name', 'helm test');
try {
  const call = async (path, body) => {
    const response = await fetch(`${GATEWAY_URL}/v1${path}`, {
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(35_000),
    });
    return { status: response.status, body: await response.json() };
  };
  const issued = await call('/documents', {
    type: 'quote',
    customer: { name: 'Example Ltd' },
    items: [{ description: 'Example', quantity: 2, unit_price: 350 }],
  });
  assert(issued.status === 201, `a document is issued: ${JSON.stringify(issued)}`);
  const read = await call(`/documents/${issued.body.id}`);
  assert(read.status === 200 && read.body.number === issued.body.number, 'it is read back');
  const { pathname } = new URL(issued.body.pdf_url);
  const pdf = await fetch(`${GATEWAY_URL}${pathname}`, { signal: AbortSignal.timeout(35_000) });
  const bytes = Buffer.from(await pdf.arrayBuffer());
  assert(pdf.status === 200 && bytes.subarray(0, 5).toString() === '%PDF-', 'its PDF is there');
} finally {
  pinkas('key', 'revoke', keyId);
  writeFileSync('/tmp/business.json', JSON.stringify({ archived: true }));
  pinkas('business', 'update', business.id, '--file', '/tmp/business.json');
}
