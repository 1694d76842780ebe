import { randomUUID } from 'node:crypto';
import {
  allocationSettled,
  artifactRendered,
  documentIssued,
  type EventContract,
  messageSent,
} from '@pinkas/contracts';
import { Caller, newIssuer } from './callers.js';
import { PublishedEvents } from './published-events.js';
import { figure, percentile, type Row } from './report.js';
import { type BenchStack, freeze } from './stack.js';

const calmDocuments = 100;
const waitingDocuments = 1_000;
const outageDocuments = 100;
const outageMs = 60_000;
/** Enough callers that issuing is busy although each waits for outcomes of services that are stopped. */
const callersAtOnce = 64;
/** Every tenth document of a backlog asks the authority for a number, and gets a second PDF. */
const askingEvery = 10;

/** What every document must do after its commit. */
const expectedEvents = [allocationSettled, artifactRendered, messageSent] as const;

/** What becomes of a document after its commit: how long each step takes, and how fast a backlog is worked off. */
export async function measureSteps(stack: BenchStack, progress: (text: string) => void): Promise<Row[]> {
  const issuer = await newIssuer(stack, {
    tax_authority_connected: true,
    auto_send: { enabled: true, channel: 'email', quiet_hours: null },
  });
  const caller = new Caller(stack.file.base_url, issuer.key);
  const events = PublishedEvents.open(stack);
  try {
    progress(`${calmDocuments} documents, one after the other …`);
    for (let warm = 0; warm < 10; warm += 1) {
      await issue(caller, true);
    }
    const calm: string[] = [];
    for (let index = 0; index < calmDocuments; index += 1) {
      calm.push(await issue(caller, true));
    }
    await events.all(calm, messageSent);

    progress(`${waitingDocuments} documents, while allocation and delivery are stopped …`);
    let thaw = freeze(stack, ['allocation', 'delivery']);
    const waiting = await backlog(caller, waitingDocuments).finally(thaw);
    const thawed = performance.now();
    await events.all(waiting, messageSent);
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
    await events.all(left, messageSent);
    const caughtUpMs = performance.now() - back;

    const issuedAt = await events.all(calm, documentIssued);
    const halves = async (name: string, event: EventContract, meaning: string): Promise<Row[]> => {
      const times = await events.all(calm, event);
      const sinceCommit = calm.map((id) => (times.get(id) ?? Number.NaN) - (issuedAt.get(id) ?? Number.NaN));
      return [
        figure(`commit_to_${name}_p50_ms`, percentile(sinceCommit, 0.5), `${meaning}, median`),
        figure(`commit_to_${name}_p99_ms`, percentile(sinceCommit, 0.99), `${meaning}, 99th percentile`),
      ];
    };
    return [
      ...(await halves('settled', allocationSettled, 'from the commit to the allocation number')),
      ...(await halves('final_pdf', artifactRendered, 'from the commit to the PDF that has it')),
      ...(await halves('smtp', messageSent, 'from the commit to the mail being accepted by the mail server')),
      figure(
        'post_issue_steps_per_s',
        (waitingDocuments * expectedEvents.length) / (workedOffMs / 1_000),
        `steps a second with ${waitingDocuments} documents waiting; each settled, its PDF made final, sent`,
      ),
      figure(
        'nats_outage_catch_up_s',
        caughtUpMs / 1_000,
        `from NATS being back after ${outageMs / 1_000} s to the last mail of ${outageDocuments} documents that waited`,
      ),
    ];
  } finally {
    caller.close();
    await events.close();
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
