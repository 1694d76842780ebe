import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import type { Business, BusinessChange } from '@pinkas/contracts';
import { demoBusiness } from '@pinkas/testkit/examples';
import type { BenchStack } from './stack.js';

const answerTimeoutMs = 35_000;

/** A business with a key whose limits no measurement reaches. */
export interface Issuer {
  business: Business;
  key: string;
}

/** Makes a business, the demo's with these settings. @param limits those of its key; by default no measurement reaches them. */
export async function newIssuer(
  stack: BenchStack,
  settings: BusinessChange = {},
  limits: readonly string[] = ['--per-minute', '1000000', '--daily', '1000000'],
): Promise<Issuer> {
  const file = join(stack.home, `${randomUUID()}.json`);
  await writeFile(file, JSON.stringify({ ...demoBusiness, ...settings }));
  const business = await stack.pinkas('business', 'create', '--file', file);
  const { key } = await stack.pinkas('key', 'create', '--business', business.id, ...limits);
  return { business, key };
}

/** Calls the HTTP API over connections that stay open, with as little work of its own as can be. */
export class Caller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
  ) {}

  /** @throws when the answer has another status than expected. */
  call(
    expected: number,
    path: string,
    post?: { body: unknown; headers?: Record<string, string> },
  ): Promise<string> {
    const body = post === undefined ? undefined : JSON.stringify(post.body);
    return new Promise((resolve, reject) => {
      const asked = request(
        `${this.baseUrl}${path}`,
        {
          agent: this.#agent,
          method: post === undefined ? 'GET' : 'POST',
          timeout: answerTimeoutMs,
          headers: {
            authorization: `Bearer ${this.key}`,
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
            ...post?.headers,
          },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            if (answer.statusCode === expected) {
              resolve(text);
            } else {
              reject(new Error(`${path} answered ${answer.statusCode}: ${text}`));
            }
          });
        },
      );
      asked.on('timeout', () => asked.destroy(new Error(`${path} did not answer`)));
      asked.on('error', reject);
      asked.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Makes as many businesses, each with a series of its own. @returns a caller for each. */
export async function callersOfSeries(stack: BenchStack, count: number): Promise<[Caller, ...Caller[]]> {
  const callers: Caller[] = [];
  for (let index = 0; index < count; index += 1) {
    callers.push(new Caller(stack.file.base_url, (await newIssuer(stack)).key));
  }
  return callers as [Caller, ...Caller[]];
}

/** Issues an invoice of two lines, which needs no allocation number. @returns its id. @throws when it is refused. */
export async function issueInvoice(caller: Caller, customer: Record<string, string> = {}): Promise<string> {
  const body = {
    type: 'tax_invoice',
    customer: { name: 'לקוח למדידה', ...customer },
    items: [
      { description: 'שירות לדוגמה', quantity: 2, unit_price: 100 },
      { description: 'מוצר לדוגמה', quantity: 1, unit_price: 49.9 },
    ],
  };
  const answer = await caller.call(201, '/documents', { body, headers: { 'idempotency-key': randomUUID() } });
  return (JSON.parse(answer) as { id: string }).id;
}

/** Issues a quote, which needs no allocation number. @throws when it is refused. */
export async function issueQuote(caller: Caller): Promise<void> {
  const body = {
    type: 'quote',
    customer: { name: 'לקוח למדידה' },
    items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }],
  };
  await caller.call(201, '/documents', { body, headers: { 'idempotency-key': randomUUID() } });
}
