import { artifactRendered, type EventContract, messageSent } from '@pinkas/contracts';
import { Caller, issueInvoice, newIssuer } from './callers.js';
import { inLanes } from './lanes.js';
import { cpuSecondsOf } from './process-table.js';
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
  { name: '', customer: {}, last: [artifactRendered], words: 'without an email' },
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
      const issue = (lane: number) => issueInvoice(callers[lane % seriesCount] as Caller, customer);
      progress('warming up …');
      await inLanes(seriesCount, warmUpMs, (lane) => issue(lane).catch(() => undefined));
      progress(`${documentCount} documents ${words} …`);
      const before = await usageOf(stack);
      const ids: string[] = [];
      let begun = 0;
      const lane = async (index: number) => {
        while (begun < documentCount) {
          begun += 1;
          // A machine that others use as well may be too slow for some.
          await issue(index).then(
            (id) => ids.push(id),
            () => undefined,
          );
        }
      };
      await Promise.all(callers.map((_, index) => lane(index)));
      for (const event of last as readonly EventContract[]) {
        await events.all(ids, event);
      }
      const costs = costsOf(before, await usageOf(stack), ids.length);
      printCosts(costs, words, progress);
      rows.push(...figuresOf(name, words, costs));
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
    usage.set(name, {
      cpuS: cpuSecondsOf(pid),
      statements: samples.get('pinkas_database_statements_total') ?? 0,
      messagesIn: samples.get('pinkas_nats_messages_total{direction="in"}') ?? 0,
      messagesOut: samples.get('pinkas_nats_messages_total{direction="out"}') ?? 0,
    });
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

/** What a document costs, by process. */
function costsOf(
  before: ReadonlyMap<string, Usage>,
  after: ReadonlyMap<string, Usage>,
  documents: number,
): Map<string, Usage> {
  return new Map(
    [...after].map(([process, end]) => {
      const of = (key: keyof Usage) => (end[key] - (before.get(process)?.[key] ?? 0)) / documents;
      return [
        process,
        {
          cpuS: of('cpuS'),
          statements: of('statements'),
          messagesIn: of('messagesIn'),
          messagesOut: of('messagesOut'),
        },
      ];
    }),
  );
}

function printCosts(
  costs: ReadonlyMap<string, Usage>,
  words: string,
  progress: (text: string) => void,
): void {
  const line = (...cells: string[]) =>
    progress(cells.map((cell, index) => (index === 0 ? cell.padEnd(22) : cell.padStart(14))).join(''));
  line(`a document ${words}`, 'cpu ms', 'statements', 'messages in', 'messages out');
  for (const [process, { cpuS, statements, messagesIn, messagesOut }] of costs) {
    line(process, ...[cpuS * 1_000, statements, messagesIn, messagesOut].map((value) => value.toFixed(1)));
  }
}

function figuresOf(name: string, words: string, costs: ReadonlyMap<string, Usage>): Row[] {
  const rows: Row[] = [];
  let outsidePrintMs = 0;
  for (const [process, { cpuS, statements, messagesIn, messagesOut }] of costs) {
    const suffix = `${name}_${process}`;
    if (process !== printServer) {
      outsidePrintMs += cpuS * 1_000;
    }
    rows.push(figure(`cpu_ms${suffix}`, cpuS * 1_000, `processor time of a document ${words}, ms`));
    if (statements > 0) {
      rows.push(
        figure(`statements${suffix}`, statements, 'statements, each one round trip'),
        figure(`messages_in${suffix}`, messagesIn, 'messages received over NATS'),
        figure(`messages_out${suffix}`, messagesOut, 'messages sent over NATS'),
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
