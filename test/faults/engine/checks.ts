import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allocationPending, type DocumentPage, messagingServices, serviceNames } from '@pinkas/contracts';
import type { MessagingTables } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { DatabaseAdministrator } from '../../harness/database-administrator.js';
import { expectNothingPending } from '../../harness/pending.js';
import { memoryMbOf } from '../../harness/processes.js';
import type { Verification } from '../../harness/running-stack.js';
import type { BookedBusiness, KnownDocument } from './callers.js';
import type { FaultSystem } from './system.js';
import { bringForward, unfinishedMessages, unfinishedRequests } from './unfinished-steps.js';

const pendingWithinMs = 60_000;
/** The longest pause after the attempts that can fail during the faults of a step. */
const longestPauseMs = 10 * 60_000;
const probeEveryMs = 500;
/** A process takes this much more than after its first verification, when its garbage is collected. */
const memoryGrowthMbMax = 150;
const filesGrowthMax = 60;
/** An email whose outcome was unknown is sent once more under its Message-ID. */
const sendsMax = 2;
/** A number is requested at most so often while faults last: attempts pause longer and longer. */
const requestsMax = 20;

/** I1, I2, I3, I4, I5, I9: the book as the API shows it is what callers were given. */
export async function checkBook(
  system: FaultSystem,
  { issuer }: BookedBusiness,
  known: readonly KnownDocument[],
  /** Ids of invoices that the owner credited at the console. */
  credited: ReadonlySet<string>,
): Promise<string[]> {
  const findings: string[] = [];
  // A machine that has nothing left for it may not read a page in time.
  const list = () => listedDocuments(system, issuer.key);
  const listed = await eventually('the book is listed', list, pendingWithinMs * system.patience);
  const byId = new Map(listed.map((document) => [document.id, document]));
  const answered = new Map(
    known.flatMap(({ created, key }) => (created ? [[created.id, key] as const] : [])),
  );
  for (const { created, key, cancel } of known) {
    if (!created) {
      continue;
    }
    const now = byId.get(created.id);
    const is = now && [now.number, now.type, now.date, now.totals.total, now.external_ref];
    const was = [created.number, created.type, created.date, created.totals.total, key];
    if (JSON.stringify(is) !== JSON.stringify(was)) {
      findings.push(
        `I4: the key ${key} was given ${JSON.stringify(was)}, the book has ${JSON.stringify(is)}`,
      );
    }
    if (
      now &&
      (cancel === 'done' ? now.status !== 'cancelled' : cancel === 'none' && now.status === 'cancelled')
    ) {
      findings.push(`I4: the document of ${key} is ${now.status} (cancel: ${cancel})`);
    }
  }
  const ofConsole: string[] = [];
  for (const { id, type, based_on, external_ref } of listed) {
    if (type === 'credit_note' && based_on !== null && external_ref === null && credited.has(based_on)) {
      ofConsole.push(based_on);
    } else if (!answered.has(id)) {
      findings.push(`I5: the book has ${id} (${external_ref}), which no caller was given`);
    }
  }
  if (ofConsole.length !== credited.size || new Set(ofConsole).size !== ofConsole.length) {
    findings.push(`I4: the console credited ${[...credited]}, the book has credit notes for ${ofConsole}`);
  }
  if (byId.size !== listed.length) {
    findings.push('I2: the list has a document twice');
  }
  const series = new Map<string, typeof listed>();
  for (const document of listed) {
    series.set(document.type, [...(series.get(document.type) ?? []), document]);
  }
  for (const [type, documents] of series) {
    documents.sort((a, b) => a.number - b.number);
    for (const [index, document] of documents.entries()) {
      const before = documents[index - 1];
      if (document.number !== index + 1) {
        findings.push(`I1: ${type} ${document.number} is at the place of ${index + 1}`);
        break;
      }
      if (before && (document.date < before.date || document.created_at < before.created_at)) {
        findings.push(`I3: ${type} ${document.number} is dated before ${before.number}`);
      }
    }
  }
  return findings;
}

async function listedDocuments(system: FaultSystem, key: string): Promise<DocumentPage['data']> {
  const listed: DocumentPage['data'] = [];
  const query = new URLSearchParams({ limit: '100', include_cancelled: 'true' });
  do {
    const { status, body } = await system.stack.call<DocumentPage>(key, 'GET', `/documents?${query}`);
    if (status !== 200) {
      throw new Error(`the list of documents is answered ${status} ${JSON.stringify(body)}`);
    }
    listed.push(...body.data);
    query.set('cursor', body.next_cursor ?? '');
  } while (query.get('cursor') !== '');
  return listed;
}

/**
 * I1, I3, I6, I7, I8, I11, I12 by the stored data: `pinkas verify` finds nothing, and nothing is pending 60 s later, or 60 s after
 * the next attempt of a step whose attempts failed during the faults.
 */
export async function checkVerified(
  system: FaultSystem,
  businesses: readonly BookedBusiness[],
): Promise<string[]> {
  const withinMs = pendingWithinMs * system.patience;
  const startedMs = performance.now();
  const ids = businesses.map(({ issuer }) => issuer.business.id);
  let wasLate = false;
  for (;;) {
    const reports: Verification[] = [];
    for (const id of ids) {
      // A machine that has nothing left for it may not read a page of PDFs in time.
      const verify = () => system.stack.pinkas<Verification>('verify', '--business', id);
      reports.push(await eventually('the book is read', verify, withinMs));
    }
    const books = reports.flatMap((report) => report.businesses);
    const findings = books.flatMap((book) => book.findings);
    // What has waited since before the faults is late from their end on, and has the same time as other work.
    const late = findings.filter(({ check }) => check === 'pending_work');
    const stated = (finding: object) => `verify: ${JSON.stringify(finding)}`;
    const found = findings.filter((finding) => !late.includes(finding)).map(stated);
    // Verification counts what is due; requests that wait for longer are made now.
    const waiting = await bringForward(system, ids);
    const pending = waiting + late.length + books.reduce((sum, book) => sum + book.pending, 0);
    const dead = books.reduce((sum, book) => sum + book.dead_lettered, 0);
    if (dead > 0) {
      found.push(
        `I12: ${dead} steps are dead-lettered: ${JSON.stringify(await system.stack.pinkas('queue', 'dead'))}`,
      );
    }
    if (found.length > 0 || pending === 0) {
      return [...found, ...late.map(stated)];
    }
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > withinMs) {
      const steps = [...(await unfinishedRequests(system, ids)), ...(await unfinishedMessages(system, ids))];
      const isLate = steps.every(({ due_s }) => due_s * 1_000 < -withinMs);
      if ((isLate && wasLate) || waitedMs > withinMs + longestPauseMs) {
        const seconds = Math.round(waitedMs / 1_000);
        const still = `I12: ${pending} steps are still pending after ${seconds} s: ${JSON.stringify(steps)}`;
        return [still, ...late.map(stated)];
      }
      // A step may have ended since the book was read.
      wasLate = isLate;
    }
    await pause();
  }
}

/** I12: every consumer has handled every event. */
export const checkHandled = (system: FaultSystem): Promise<string[]> =>
  expectNothingPending(system.stack).then(
    () => [],
    (error: Error) => [`I12: ${error.message}`],
  );

/** I12: every service has sent its events. */
export async function checkSent(system: FaultSystem): Promise<string[]> {
  const withinMs = pendingWithinMs * system.patience;
  const end = performance.now() + withinMs;
  for (const service of messagingServices) {
    const db = await system.stack.database<MessagingTables>(service);
    for (;;) {
      const unsent = await db.selectFrom('outbox').select('id').where('sent_at', 'is', null).execute();
      if (unsent.length === 0) {
        break;
      }
      if (performance.now() > end) {
        return [`I12: ${service} has ${unsent.length} unsent events after ${withinMs / 1_000} s`];
      }
      await pause();
    }
  }
  return [];
}

/** The Message-IDs of the emails that each address has. */
export async function emailsOf(system: FaultSystem): Promise<Map<string, string[]>> {
  const emails = new Map<string, string[]>();
  const mails = await eventually(
    'the mailbox answers',
    () => system.stack.receivedMails(),
    pendingWithinMs * system.patience,
  );
  for (const { to, message_id } of mails) {
    for (const address of to) {
      emails.set(address, [...(emails.get(address) ?? []), message_id]);
    }
  }
  return emails;
}

type Granted = { invoice_id: string; confirmation_number: string }[];

/** What the authority gave, and how often each number was requested, by the id of the document or the report. */
const authorityCalls = (system: FaultSystem) =>
  eventually(
    'the authority answers',
    () =>
      system.stack.calls<{ granted: Granted; donations: Granted; asked: Record<string, number> }>(
        'tax_authority',
      ),
    pendingWithinMs * system.patience,
  );

/** I8 by the book when nothing is left to do: a document has the number that was granted, or why it has none. */
export async function checkNumbers(
  system: FaultSystem,
  businesses: readonly BookedBusiness[],
): Promise<string[]> {
  const administrator = await DatabaseAdministrator.connect(system.stack);
  try {
    const documents = await administrator.read<{ id: string; number: string | null; reason: string | null }>(
      'issuing',
      sql`select id, allocation_number as number, allocation ->> 'reason' as reason from document
        where business_id = any(${businesses.map(({ issuer }) => issuer.business.id)})
          and (allocation_number is not null or coalesce(allocation ->> 'reason', '') in ('', ${allocationPending.reason}))`,
    );
    const { granted } = await authorityCalls(system);
    const grants = new Map(granted.map((grant) => [grant.invoice_id, grant.confirmation_number.slice(-9)]));
    return documents.flatMap(({ id, number, reason }) => {
      const isRight = number !== null && number === grants.get(id);
      return isRight ? [] : [`I8: ${id} has the number ${number} (${reason}), granted: ${grants.get(id)}`];
    });
  } finally {
    await administrator.close();
  }
}

/** I7 and I8 by what the outside received: no email and no number for what no caller was given, and none twice. */
export async function checkOutside(system: FaultSystem, known: readonly KnownDocument[]): Promise<string[]> {
  const findings: string[] = [];
  const documents = new Map(known.map((item) => [`${item.key}@example.com`, item]));
  for (const [address, messages] of await emailsOf(system)) {
    const document = documents.get(address);
    const ids = new Map<string, number>();
    for (const id of messages) {
      ids.set(id, (ids.get(id) ?? 0) + 1);
    }
    if (document && !document.created) {
      findings.push(`I5: an email was sent to ${address}, whose document no caller was given`);
    }
    // One that left without the allocation number is followed by one with it.
    const { allocation, donation } = document?.created ?? {};
    const hasNumber =
      allocation?.status !== 'not_required' || (donation?.status ?? 'not_required') !== 'not_required';
    const most = hasNumber ? 2 : 1;
    if (document && ids.size > most + (document.wasInFlight ? 1 : 0)) {
      findings.push(`I7: ${address} was sent ${ids.size} different emails`);
    }
    for (const [id, count] of ids) {
      if (document && count > sendsMax) {
        findings.push(`I7: ${address} was sent ${id} ${count} times`);
      }
    }
  }
  const given = await authorityCalls(system);
  const often = Object.entries(given.asked).filter(([, times]) => times > requestsMax);
  findings.push(...often.map(([id, times]) => `I8: the number of ${id} was requested ${times} times`));
  for (const [what, numbers] of [
    ['an invoice', given.granted],
    ['a donation', given.donations],
  ] as const) {
    if (new Set(numbers.map(({ invoice_id }) => invoice_id)).size !== numbers.length) {
      findings.push(`I8: the authority gave ${what} two numbers`);
    }
  }
  return findings;
}

/** What a system uses when nothing happens: by process its memory and files, by server its connections. */
export class Baseline {
  readonly #processes = new Map<string, { pid: number; mb: number; files: number }>();

  /** I10: connections, sessions and locks are as before. */
  async checkServers(system: FaultSystem): Promise<string[]> {
    const end = performance.now() + pendingWithinMs * system.patience;
    for (;;) {
      const open = [...(await sessionFindings(system)), ...natsFindings(system)];
      if (open.length === 0 || performance.now() > end) {
        return open;
      }
      await pause();
    }
  }

  /**
   * I10: memory and files of each process are as before. Called after a verification: one that reads a book for the first time
   * keeps a larger heap. The first look at a process makes its baseline.
   */
  async checkProcesses(system: FaultSystem): Promise<string[]> {
    const findings: string[] = [];
    const { services } = await system.stack.file();
    for (const { name, pid } of services.filter((service) => isService(service.name))) {
      await collectGarbage(system, pid);
      const mb = memoryMbOf(pid, 'VmRSS');
      const files = readdirSync(`/proc/${pid}/fd`).length;
      const before = this.#processes.get(name);
      if (before?.pid !== pid) {
        this.#processes.set(name, { pid, mb, files });
      } else if (mb > before.mb + memoryGrowthMbMax || files > before.files + filesGrowthMax) {
        findings.push(
          `I10: ${name} uses ${Math.round(mb)} MB and ${files} files, after ${Math.round(before.mb)} MB and ${before.files}`,
        );
      }
    }
    return findings;
  }
}

/** Lets a process collect its garbage: how late it does so otherwise shows no leak. */
async function collectGarbage(system: FaultSystem, pid: number): Promise<void> {
  const file = join(system.faultsFolder, `collect-${pid}`);
  writeFileSync(file, '');
  const withinMs = pendingWithinMs * system.patience;
  await eventually(`the process ${pid} collects its garbage`, () => !existsSync(file), withinMs);
}

const isService = (name: string) =>
  serviceNames.some((service) => name === service || name === `${service}-2`);

function natsFindings(system: FaultSystem): string[] {
  const { connections } = system.proxy('nats');
  const expected = system.replicas * serviceNames.length;
  return connections === expected ? [] : [`I10: ${connections} connections to NATS instead of ${expected}`];
}

async function sessionFindings(system: FaultSystem): Promise<string[]> {
  const administrator = await DatabaseAdministrator.connect(system.stack);
  try {
    const sessions = await administrator.read<{ application_name: string; state: string; query: string }>(
      'issuing',
      sql`select application_name, state, left(query, 80) as query from pg_stat_activity
        where application_name like 'pinkas-%'
          and (wait_event_type = 'Lock' or state like 'idle in transaction%' and state_change < now() - interval '2 s')`,
    );
    return sessions.map(
      ({ application_name, state, query }) => `I10: a session of ${application_name} is ${state}: ${query}`,
    );
  } finally {
    await administrator.close();
  }
}

/** I10: no process has written of an error that nothing handled; Node ends with its version after one. */
export async function checkLogs(system: FaultSystem): Promise<string[]> {
  const { services } = await system.stack.file();
  return services.flatMap(({ name, log }) =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => /unhandled rejection|^Node\.js v/.test(line))
      .map((line) => `I10: ${name} wrote ${line.slice(0, 500)}`),
  );
}

const pause = () => new Promise((resolve) => setTimeout(resolve, probeEveryMs));
