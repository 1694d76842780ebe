// Issues documents at a steady rate until its standard input ends, in a pod in the place of the ingress controller:
// node load.mjs GATEWAY_URL API_KEY DOCUMENTS_PER_SECOND. Prints what failed at the first try, and the numbers, as JSON.
import { randomUUID } from 'node:crypto';

const [gatewayUrl, apiKey, rate] = process.argv.slice(-3);
const attemptsMax = 60;
const types = ['quote', 'tax_invoice'];
const issued = [];
const failures = [];
const inFlight = new Set();

async function issue(type) {
  const idempotencyKey = randomUUID();
  const body = JSON.stringify({
    type,
    customer: { name: 'Example Ltd' },
    items: [{ description: 'Example', quantity: 2, unit_price: 350 }],
  });
  let outcome;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const startedAt = Date.now();
    try {
      const response = await fetch(`${gatewayUrl}/v1/documents`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body,
        signal: AbortSignal.timeout(40_000),
      });
      const text = await response.text();
      if (response.status === 201 || response.status === 200) {
        issued.push({ at: Date.now(), ms: Date.now() - startedAt, type, number: JSON.parse(text).number });
        return;
      }
      outcome = `${response.status} ${text.slice(0, 600)}`;
    } catch (error) {
      outcome = `${error.name} ${error.cause?.code ?? ''} ${error.cause?.message ?? error.message}`;
    }
    failures.push({ at: new Date().toISOString(), attempt, ms: Date.now() - startedAt, outcome });
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error(`a document was not issued by ${attemptsMax} attempts, the last: ${outcome}`);
}

let ended = false;
process.stdin.on('end', () => (ended = true)).resume();
for (let count = 0, nextAt = Date.now(); !ended; count += 1) {
  const work = issue(types[count % types.length]).finally(() => inFlight.delete(work));
  inFlight.add(work);
  nextAt += 1000 / Number(rate);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextAt - Date.now())));
}
await Promise.all(inFlight);
process.stdout.write(JSON.stringify({ issued, failures }));
