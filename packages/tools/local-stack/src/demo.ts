import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultHome, repositoryRoot, type StackConfig } from './config.js';
import { demoBusiness, demoCustomer } from './demo-business.js';
import { type Home, readJson, writeJson } from './home.js';
import type { Demo } from './stack-file.js';

const run = promisify(execFile);
const commandTimeoutMs = 30_000;
const requestTimeoutMs = 40_000;

/** The owner of the demo business. Mail to an address below `.localhost` reaches no one but the mailbox. */
const demoOwnerEmail = 'demo-owner@pinkas.localhost';

/** It can show everything: it has VAT, a connection to the authority, and sends by mail. */
const settings = {
  ...demoBusiness,
  tax_authority_connected: true,
  auto_send: { enabled: true, channel: 'email', quiet_hours: null },
};

/** Net 5,640.00: above the threshold of 5,000, so that the document needs an allocation number. */
const firstDocument = {
  type: 'tax_invoice_receipt',
  customer: {
    ...demoCustomer,
    name: 'לקוח לדוגמה בע"מ',
    legal_type: 'hevra_baam',
    city: 'חיפה',
  },
  items: [
    { description: 'שירות לדוגמה', quantity: 1, unit_price: 4800 },
    { description: 'מנוי לדוגמה, לחודש', quantity: 12, unit_price: 70 },
  ],
  prices_include_vat: false,
  payments: [{ method: 'bank_transfer', amount: 6655.2, reference: '100200' }],
};

/** The request of the printed curl command. */
const tryItDocument = {
  type: 'quote',
  customer: { name: 'Demo customer' },
  items: [{ description: 'Consulting, one hour', quantity: 2, unit_price: 350 }],
};

/** The shown fields of an issued document. */
export interface IssuedDocument {
  type: string;
  number: number;
  totals: { subtotal: number; discount: number; vat: number; vat_rate: number; total: number };
  allocation: { status: string; number: string | null; reason: string | null };
  delivery: { status: string };
  view_url: string;
  pdf_url: string;
}

/** The demo business of this home, or null before it is created and has an owner. */
export function readDemo(home: Home): Demo | null {
  const { business_id, api_key, test_api_key, owner_email } = readJson<Partial<Demo>>(home.demoFile) ?? {};
  return business_id && api_key && test_api_key && owner_email
    ? { business_id, api_key, test_api_key, owner_email }
    : null;
}

/** Runs an operator command and returns the JSON value that it prints. */
async function operate<Value>(
  config: StackConfig,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Value> {
  const command = join(repositoryRoot, 'packages/cli/dist/main.js');
  try {
    const { stdout } = await run(process.execPath, [command, ...args, '--json'], {
      env: { ...config.inherited, PINKAS_HOME: config.home },
      timeout: commandTimeoutMs,
      signal,
    });
    return JSON.parse(stdout) as Value;
  } catch (error) {
    const output = (error as { stderr?: string }).stderr?.trim();
    throw new Error(`pinkas ${args.slice(0, 2).join(' ')} failed${output ? `: ${output}` : ''}`, {
      cause: error,
    });
  }
}

/** Creates the demo business, its keys and its owner with operator commands, unless this home has them. */
export async function ensureDemo(config: StackConfig, home: Home, signal: AbortSignal): Promise<Demo> {
  const demo: Partial<Demo> = readJson<Partial<Demo>>(home.demoFile) ?? {};
  const keep = (part: Partial<Demo>) => writeJson(home.demoFile, Object.assign(demo, part));
  // Each part is kept as it is made: a start that is interrupted, or data of an earlier release, lacks the later ones.
  const business_id = demo.business_id ?? (await createDemoBusiness(config, signal));
  keep({ business_id });
  const api_key = demo.api_key ?? (await createKey(config, business_id, 'live', signal));
  keep({ api_key });
  const test_api_key = demo.test_api_key ?? (await createKey(config, business_id, 'test', signal));
  keep({ test_api_key });
  if (demo.owner_email !== demoOwnerEmail) {
    const invitation = ['person', 'invite', demoOwnerEmail, '--business', business_id, '--role', 'owner'];
    await operate(config, invitation, signal);
    keep({ owner_email: demoOwnerEmail });
  }
  return { business_id, api_key, test_api_key, owner_email: demoOwnerEmail };
}

async function createDemoBusiness(config: StackConfig, signal: AbortSignal): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pinkas-demo-'));
  try {
    const file = join(folder, 'business.json');
    writeFileSync(file, JSON.stringify(settings));
    const business = await operate<{ id: string }>(config, ['business', 'create', '--file', file], signal);
    return business.id;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function createKey(
  config: StackConfig,
  businessId: string,
  mode: 'live' | 'test',
  signal: AbortSignal,
): Promise<string> {
  const command = ['key', 'create', '--business', businessId, '--name', 'demo', '--mode', mode];
  return (await operate<{ key: string }>(config, command, signal)).key;
}

/** An address that signs a person in, once. */
export interface SignInLink {
  url: string;
  expires_at: string;
}

/** Makes a link that signs the demo owner in to the console. */
export function linkForOwner(config: StackConfig, email: string): Promise<SignInLink> {
  return operate(config, ['person', 'link', email], AbortSignal.timeout(commandTimeoutMs));
}

/** The command that prints such a link. */
export function linkCommand({ home }: StackConfig, email: string): string {
  const command = `npm run -s pinkas -- person link ${email}`;
  return home === defaultHome ? command : `PINKAS_HOME='${home}' ${command}`;
}

/**
 * Issues the first document over HTTP. The idempotency key makes a repeated call return the same document.
 *
 * @throws Error with the API's answer when it is not 201.
 */
export async function issueFirstDocument(baseUrl: string, apiKey: string): Promise<IssuedDocument> {
  const body = JSON.stringify(firstDocument);
  const response = await fetch(`${baseUrl}/documents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': `first-document-${createHash('sha256').update(body).digest('hex').slice(0, 12)}`,
    },
    body,
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  const text = await response.text();
  if (response.status !== 201) {
    throw new Error(`POST ${baseUrl}/documents answered ${response.status}: ${text.slice(0, 2_000)}`);
  }
  return JSON.parse(text) as IssuedDocument;
}

/** A command for a POSIX shell that issues a document; repeated, it returns the same one, as a caller's repetition does. */
export function curlLine(baseUrl: string, apiKey: string): string {
  return [
    `curl -s ${baseUrl}/documents`,
    `-H 'Authorization: Bearer ${apiKey}'`,
    `-H 'Idempotency-Key: order-1'`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(tryItDocument)}'`,
  ].join(' ');
}
