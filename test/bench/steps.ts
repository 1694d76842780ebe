import { randomUUID } from 'node:crypto';
import {
  allocationSettled,
  artifactRendered,
  deliveryPlanned,
  documentIssued,
  type EventContract,
  events,
  messageSent,
} from '@pinkas/contracts';
import { connectNats } from '@pinkas/service-kit/asking';
import { Caller, newIssuer } from './callers.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

const calmDocuments = 100;
const waitingDocuments = 1_000;
const outageDocuments = 100;
const outageMs = 60_000;
/** Enough callers that issuing is busy although each waits for the outcomes of steps that stand still. */
const callersAtOnce = 64;
/** Every tenth document of a backlog asks the authority for a number, and gets a second PDF. */
const askingEvery = 10;
/** After this time steps that are still open are called lost. */
const patienceMs = 300_000;

/** What every document owes after its commit. */
const stepsOwed = [allocationSettled, deliveryPlanned, artifactRendered, messageSent] as const;

/** When each step of each document was announced, on the clock of `performance`. */
class StepWatch {
  readonly #seen = new Map<string, Map<EventContract, number>>();
  #changed = () => {};

  private constructor(
    private readonly connection: Awaited<ReturnType<typeof connectNats>>,
    readonly subscribed: Promise<void>,
  ) {}

  static async open(natsUrl: string): Promise<StepWatch> {
    const connection = await connectNats(natsUrl, 'bench');
    const subscription = connection.subscribe('evt.>');
    const watch = new StepWatch(connection, connection.flush());
    await watch.subscribed;
    void (async () => {
      for await (const { subject } of subscription) watch.#note(subject);
    })();
    return watch;
  }

  #note(subject: string): void {
    const event = events.find((one) => subject.startsWith(`${one.subject}.`));
    const id = subject.slice(subject.lastIndexOf('.') + 1);
    if (!event) return;
    const times = this.#seen.get(id) ?? new Map<EventContract, number>();
    this.#seen.set(id, times);
    // The accountant has no copy here, so that each step is announced once.
    if (!times.has(event)) times.set(event, performance.now());
    this.#changed();
  }

  at(id: string, event: EventContract): number | undefined {
    return this.#seen.get(id)?.get(event);
  }

  /** Waits until a step of all these documents was announced. */
  async done(ids: readonly string[], event: EventContract): Promise<void> {
    const end = performance.now() + patienceMs;
    let left = ids.filter((id) => this.at(id, event) === undefined);
    while (left.length > 0) {
      if (performance.now() > end) throw new Error(`${left.length} documents wait for ${event.subject}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      left = left.filter((id) => this.at(id, event) === undefined);
    }
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

/** What becomes of a document after its commit: how long each step takes, and how fast a backlog is worked off. */
export async function measureSteps(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const issuer = await newIssuer(stack, {
    tax_authority_connected: true,
    auto_send: { enabled: true, channel: 'email', quiet_hours: null },
  });
  const caller = new Caller(stack.file.base_url, issuer.key);
  const watch = await StepWatch.open(stack.file.nats_url);
  try {
    progress(`${calmDocuments} documents, one after the other …`);
    for (let warm = 0; warm < 10; warm += 1) await issue(caller, true);
    const calm: string[] = [];
    for (let index = 0; index < calmDocuments; index += 1) calm.push(await issue(caller, true));
    await watch.done(calm, messageSent);

    progress(`${waitingDocuments} documents, while allocation and delivery stand still …`);
    let thaw = freeze(stack, ['allocation', 'delivery']);
    const waiting = await backlog(caller, waitingDocuments).finally(thaw);
    const thawed = performance.now();
    await watch.done(waiting, messageSent);
    const workedOffMs = performance.now() - thawed;

    progress(`${outageDocuments} more, and then ${outageMs / 1_000} s without NATS …`);
    thaw = freeze(stack, ['allocation', 'delivery']);
    let thawNats = () => {};
    const left = await backlog(caller, outageDocuments)
      .then((ids) => {
        thawNats = freeze(stack, ['nats']);
        return ids;
      })
      .finally(thaw);
    await new Promise((resolve) => setTimeout(resolve, outageMs));
    thawNats();
    const back = performance.now();
    await watch.done(left, messageSent);
    const caughtUpMs = performance.now() - back;

    const sinceCommit = (event: EventContract) =>
      calm.map((id) => (watch.at(id, event) ?? Number.NaN) - (watch.at(id, documentIssued) ?? Number.NaN));
    const halves = (name: string, event: EventContract, meaning: string): Row[] => [
      figure(`commit_to_${name}_p50_ms`, percentile(sinceCommit(event), 0.5), `${meaning}, median`),
      figure(`commit_to_${name}_p99_ms`, percentile(sinceCommit(event), 0.99), `${meaning}, 99th percentile`),
    ];
    return [
      ...halves('settled', allocationSettled, 'from the commit to the allocation number'),
      ...halves('final_pdf', artifactRendered, 'from the commit to the PDF that bears it'),
      ...halves('smtp', messageSent, 'from the commit to the mail being taken by the mail server'),
      figure(
        'post_issue_steps_per_s',
        (waitingDocuments * stepsOwed.length) / (workedOffMs / 1_000),
        `steps a second with ${waitingDocuments} documents waiting; each settled, planned, its PDF made final, sent`,
      ),
      figure(
        'nats_outage_catch_up_s',
        caughtUpMs / 1_000,
        `from NATS being back after ${outageMs / 1_000} s to the last mail of ${outageDocuments} documents that waited`,
      ),
    ];
  } finally {
    caller.close();
    await watch.close();
  }
}

/** Issues an invoice that is mailed. @returns the document's id. */
async function issue(caller: Caller, asksForNumber: boolean): Promise<string> {
  const body = {
    type: 'tax_invoice',
    customer: { name: 'לקוח למדידה', tax_id: '777777723', email: 'customer@example.com' },
    items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: asksForNumber ? 6_000 : 100 }],
  };
  const answer = await caller.call(201, '/documents', { body, headers: { 'idempotency-key': randomUUID() } });
  return (JSON.parse(answer) as { id: string }).id;
}

async function backlog(caller: Caller, count: number): Promise<string[]> {
  const ids: string[] = [];
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      begun += 1;
      ids.push(await issue(caller, begun % askingEvery === 0));
    }
  };
  await Promise.all(Array.from({ length: callersAtOnce }, lane));
  return ids;
}

/** Stops some of the system's own processes where they are. @returns what lets them go on. */
function freeze(stack: BenchStack, names: readonly string[]): () => void {
  const pids = stack.file.services.filter(({ name }) => names.includes(name)).map(({ pid }) => pid);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}
