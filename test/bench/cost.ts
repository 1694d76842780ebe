import { randomUUID } from 'node:crypto';
import { artifactRendered, deliveryPlanned, type EventContract, messageSent } from '@pinkas/contracts';
import { Caller, newIssuer } from './callers.js';
import { inLanes } from './lanes.js';
import { childrenOf, cpuSecondsOf } from './process-table.js';
import { PublishedEvents } from './published-events.js';
import { figure, type Row } from './report.js';
import type { BenchStack } from './stack.js';

/** Each series belongs to a business of its own, and has one caller. */
const seriesCount = 8;
const documentCount = 400;
const warmUpMs = 6_000;

/** What the callers, the outside world and the command use is no cost of the system. */
const outside = ['tax-authority', 'mailbox', 'whatsapp', 'fault-proxy'];
const printServer = 'gotenberg';

/** What a process has used since its start. */
interface Usage {
  cpuS: number;
  /** Sent to PostgreSQL, each a round trip. */
  statements: number;
  messagesIn: number;
  messagesOut: number;
}

/** What one kind of document costs, as it is with nothing but a name for its customer, and with an email. */
const loads = [
  { name: '', customer: {}, last: [artifactRendered, deliveryPlanned], words: 'without an email' },
  {
    name: '_email',
    customer: { email: 'customer@example.com' },
    last: [messageSent],
    words: 'with an email',
  },
] as const;

/** The processor time, statements and messages of a document by process, from the request to its last event. */
export async function measureCost(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const callers: Caller[] = [];
  for (let index = 0; index < seriesCount; index += 1) {
    const issuer = await newIssuer(stack, {
      auto_send: { enabled: true, channel: 'email', quiet_hours: null },
    });
    callers.push(new Caller(stack.file.base_url, issuer.key));
  }
  const events = PublishedEvents.open(stack);
  try {
    const rows: Row[] = [];
    for (const { name, customer, last, words } of loads) {
      const issue = (lane: number) => post(callers[lane % seriesCount] as Caller, customer);
      progress('warming up …');
      await inLanes(seriesCount, warmUpMs, issue);
      progress(`${documentCount} documents ${words} …`);
      const before = await usageOf(stack);
      const ids: string[] = [];
      let begun = 0;
      const lane = async (index: number) => {
        while (begun < documentCount) {
          begun += 1;
          ids.push(await issue(index));
        }
      };
      await Promise.all(callers.map((_, index) => lane(index)));
      for (const event of last as readonly EventContract[]) {
        await events.all(ids, event);
      }
      rows.push(...figuresOf(name, words, before, await usageOf(stack)));
    }
    return rows;
  } finally {
    for (const caller of callers) {
      caller.close();
    }
    await events.close();
  }
}

async function usageOf({ file }: BenchStack): Promise<Map<string, Usage>> {
  const usage = new Map<string, Usage>();
  for (const { name, pid, health_url } of file.services) {
    if (outside.includes(name)) {
      continue;
    }
    const samples = await samplesOf(health_url);
    const cpuS = cpuSecondsOf(pid);
    usage.set(name, {
      cpuS,
      statements: samples.get('pinkas_database_statements_total') ?? 0,
      messagesIn: samples.get('pinkas_nats_messages{direction="in"}') ?? 0,
      messagesOut: samples.get('pinkas_nats_messages{direction="out"}') ?? 0,
    });
    if (name === 'postgres') {
      for (const [database, s] of backendSecondsOf(pid)) {
        usage.set(`${name}_${database}`, { cpuS: s, statements: 0, messagesIn: 0, messagesOut: 0 });
      }
    }
  }
  return usage;
}

/** The metrics of a process that has some; empty for a server. */
async function samplesOf(healthUrl: string | null): Promise<Map<string, number>> {
  if (!healthUrl?.endsWith('/readyz')) {
    return new Map();
  }
  const response = await fetch(new URL('/metrics', healthUrl), { signal: AbortSignal.timeout(5_000) });
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** The processor time of the backends of PostgreSQL by the service whose database they serve. */
function backendSecondsOf(pid: number): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const child of childrenOf(pid)) {
    // "postgres: <role> <database> <address> <state>"
    const database = /^postgres: \S+ pinkas_(\w+) /.exec(child.command)?.[1];
    if (database !== undefined) {
      seconds.set(database, (seconds.get(database) ?? 0) + child.cpuS);
    }
  }
  return seconds;
}

function figuresOf(
  name: string,
  words: string,
  before: ReadonlyMap<string, Usage>,
  after: ReadonlyMap<string, Usage>,
): Row[] {
  const rows: Row[] = [];
  let outsidePrintMs = 0;
  for (const [process, end] of after) {
    const start = before.get(process) ?? { cpuS: 0, statements: 0, messagesIn: 0, messagesOut: 0 };
    const perDocument = (key: keyof Usage) => (end[key] - start[key]) / documentCount;
    const cpuMs = perDocument('cpuS') * 1_000;
    const isPart = process.startsWith('postgres_');
    if (process !== printServer && !isPart) {
      outsidePrintMs += cpuMs;
    }
    const suffix = `${name}_${process}`;
    rows.push(figure(`cpu_ms${suffix}`, cpuMs, `processor time of a document ${words}, ms`));
    if (end.statements > 0) {
      rows.push(
        figure(`statements${suffix}`, perDocument('statements'), 'statements, each one round trip'),
        figure(`messages_in${suffix}`, perDocument('messagesIn'), 'messages received over NATS'),
        figure(`messages_out${suffix}`, perDocument('messagesOut'), 'messages sent over NATS'),
      );
    }
  }
  rows.push(
    figure(
      `outside_print_cpu_ms${name}`,
      outsidePrintMs,
      `processor time of a document ${words}, ms, of all processes but the print server`,
    ),
  );
  return rows;
}

/** @returns the document's id. */
async function post(caller: Caller, customer: Record<string, string>): Promise<string> {
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
