import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, type OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from '@pinkas/cli';
import { PinkasClient } from '@pinkas/client';
import {
  type ApiKey,
  type BusinessChange,
  type CreateDocument,
  type CreatedDocument,
  type ErrorBody,
  type ServiceName,
  updateBusiness,
} from '@pinkas/contracts';
import type { StackFile } from '@pinkas/local-stack';
import { acrossTenants, createLogger, type Database, openDatabase } from '@pinkas/service-kit';
import { demoCustomer, eventually } from '@pinkas/testkit';
import { type Issuer, type KeyOptions, Operator } from './operator.js';
import { leakingLines, leaksIn, personalDataOf } from './personal-data.js';
import { refusedSubjects } from './refused-subjects.js';
import { send, type WireAnswer } from './send.js';
import { repositoryRoot } from './sources.js';

const run = promisify(execFile);
const commandTimeoutMs = 170_000;

export type { Issuer } from './operator.js';

/** An answer of the HTTP API, and what its text says. */
export interface Answer<Body = unknown> extends WireAnswer {
  readonly body: Body;
}

/** What a request is made of, beside its method and path. */
export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as they are; in pieces, without a Content-Length. */
  readonly bytes?: string | Buffer | readonly Buffer[];
  /** Laid over the usual headers; `undefined` takes one away. */
  readonly headers?: OutgoingHttpHeaders;
  /** The client's address. */
  readonly address?: string | undefined;
}

/** A mail in the stack's mailbox. */
export interface MailSummary {
  id: string;
  to: string[];
  subject: string;
  message_id: string;
  text: string;
  attachments: { filename: string; contentType: string; size: number }[];
}

/** What the mailbox knows of an email without its texts. */
export type ReceivedMail = Pick<MailSummary, 'id' | 'to' | 'message_id'>;

/** What `pinkas verify --json` prints. */
export interface Verification {
  ok: boolean;
  businesses: {
    documents: number;
    ok: boolean;
    findings: { check: string; document_id: string | null; message: string }[];
    notes: { note: string; document_id: string; message: string }[];
    pending: number;
    dead_lettered: number;
  }[];
}

/**
 * The complete system in a home of its own: all services and servers as real processes, driven like a user drives them,
 * by the commands and over HTTP.
 */
export class RunningStack {
  /** What callers and operators have said of people, and the keys: none of it may be in a log. */
  readonly #personal = new Set<string>();
  /** By URL. To connect costs both ends more than most queries do. */
  readonly #databases = new Map<string, Database<unknown>>();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  private constructor(
    readonly home: string,
    private extraEnv: Record<string, string>,
  ) {}

  /**
   * Starts one in a new home.
   * @param env replaces parts, as the operator's page states.
   * @param prepare what is done to the empty home before. @returns further variables.
   */
  static async start(
    env: Record<string, string> = {},
    prepare: (home: string) => Promise<Record<string, string>> = async () => ({}),
  ): Promise<RunningStack> {
    // Where a run of all tests finds the systems that it has to stop when it is ended in the middle.
    const folder = process.env.PINKAS_TEST_SYSTEMS ?? tmpdir();
    const home = await mkdtemp(join(folder, 'pinkas-stack-'));
    const stack = new RunningStack(home, { ...env, ...(await prepare(home)) });
    await stack.command('up');
    return stack;
  }

  /**
   * Ends it and removes its home.
   * @param release what is done to the home before it is removed.
   * @throws when a log holds a key, or personal data of a request; or when a service lacked a permission on NATS.
   */
  async stop(release: () => Promise<void> = async () => {}): Promise<void> {
    this.#agent.destroy();
    await this.command('down');
    await Promise.all([...this.#databases.values()].map((database) => database.destroy().catch(() => {})));
    const refused = await refusedSubjects(join(this.home, 'logs'));
    const leaks = await leaksIn(join(this.home, 'logs'), this.#personal);
    await release();
    await rm(this.home, { recursive: true, force: true });
    if (refused.length > 0) {
      throw new Error(`a permission is missing:\n${refused.slice(0, 5).join('\n')}`);
    }
    if (leaks.length > 0) {
      const lines = leaks.slice(0, 5).map(({ file, line }) => `${file}: ${line.slice(0, 500)}`);
      throw new Error(`${leaks.length} lines of the logs hold personal data or keys:\n${lines.join('\n')}`);
    }
  }

  /** Remembers what was sent, so that the logs can be searched for it at the end. */
  recordPersonalData(value: unknown): void {
    for (const one of personalDataOf(value)) {
      this.#personal.add(one);
    }
  }

  /** Those of the texts that hold personal data of a request, or a key. */
  leaksAmong(texts: readonly string[]): string[] {
    return leakingLines(texts, this.#personal);
  }

  /** Changes variables for what is started from now on. */
  useVariables(env: Record<string, string>): void {
    this.extraEnv = { ...this.extraEnv, ...env };
  }

  /** Runs one of the project's commands on this home. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await run(
      process.execPath,
      [join(repositoryRoot, 'packages/tools/local-stack/bootstrap.mjs'), ...args],
      {
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          PINKAS_FAULTS: 'true',
          ...this.extraEnv,
          PINKAS_HOME: this.home,
        },
        timeout: commandTimeoutMs,
        maxBuffer: 16 * 1024 * 1024,
      },
    );
    return stdout;
  }

  /**
   * Does what the operator's command does, in this process, and reads the JSON value that it prints; one that finds something
   * wrong prints it all the same.
   */
  async pinkas<T>(...args: string[]): Promise<T> {
    const { text } = await runCommand([...args, '--json'], async () => ({
      url: (await this.file()).nats_url,
      local: true,
    }));
    const value = JSON.parse(text) as T;
    this.recordPersonalData(value);
    return value;
  }

  /** Has the books prove themselves, or that of one business; what was found, whatever it is. */
  verify(issuer?: Pick<Issuer, 'business'>): Promise<Verification> {
    return this.pinkas<Verification>('verify', ...(issuer ? ['--business', issuer.business.id] : []));
  }

  /** `stack.json` as it is now. */
  async file(): Promise<StackFile> {
    return JSON.parse(await readFile(join(this.home, 'stack.json'), 'utf8')) as StackFile;
  }

  /** Makes a business, the demo's with these settings, and a key that no limit stops unless its options say so. */
  newIssuer(settings: BusinessChange = {}, options: KeyOptions = {}): Promise<Issuer> {
    return this.#asOperator((operator) => operator.newIssuer(settings, options));
  }

  newKey(businessId: string, options: KeyOptions = {}): Promise<ApiKey & { key: string }> {
    return this.#asOperator((operator) => operator.newKey(businessId, options));
  }

  changeBusiness(businessId: string, change: BusinessChange): Promise<unknown> {
    return this.#asOperator((operator) => operator.call(updateBusiness, { business_id: businessId, change }));
  }

  /** Over a connection of its own, which no fault of the test has broken before. */
  async #asOperator<T>(work: (operator: Operator) => Promise<T>): Promise<T> {
    const operator = await Operator.at(this);
    try {
      return await work(operator);
    } finally {
      await operator.close();
    }
  }

  /** Calls the HTTP API; never throws for an answer, whatever its status. */
  async call<Body>(
    key: string | null,
    method: string,
    path: string,
    { body, bytes, headers, address }: CallOptions = {},
  ): Promise<Answer<Body & ErrorBody>> {
    this.recordPersonalData(body);
    const content = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const wanted: OutgoingHttpHeaders = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const answer = await send(this.#agent, (await this.file()).base_url, {
      method,
      path,
      headers: Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)),
      body: content,
      localAddress: address,
    });
    return { ...answer, body: method === 'HEAD' ? {} : JSON.parse(answer.text) };
  }

  /** Opens a page or a file like a browser does: without a key, at its whole address. */
  visit(
    url: string,
    { method = 'GET', headers = {}, address }: CallOptions & { method?: string } = {},
  ): Promise<WireAnswer> {
    const { origin } = new URL(url);
    const path = url.slice(origin.length);
    return send(this.#agent, origin, { method, path, headers, localAddress: address });
  }

  issue(
    key: string,
    body: CreateDocument,
    idempotencyKey: string = randomUUID(),
  ): Promise<Answer<CreatedDocument & ErrorBody>> {
    return this.call<CreatedDocument>(key, 'POST', '/documents', {
      body,
      headers: { 'idempotency-key': idempotencyKey },
    });
  }

  /** The client that callers install, with patience for parts that are unavailable. */
  async client(key: string): Promise<PinkasClient> {
    return new PinkasClient({
      baseUrl: (await this.file()).base_url,
      apiKey: key,
      retry: { attemptsMax: 60, firstDelayMs: 200, delayMaxMs: 2_000, totalMs: 60_000 },
      fetch: (url, init) => {
        if (typeof init?.body === 'string') {
          this.recordPersonalData(JSON.parse(init.body));
        }
        return fetch(url, init);
      },
    });
  }

  /**
   * What a careful caller does: the client sends the same request with the same key again while the answer states that it
   * may, or no answer comes.
   */
  async issueUntilAnswered(
    key: string,
    body: CreateDocument,
    idempotencyKey: string = randomUUID(),
  ): Promise<CreatedDocument> {
    const client = await this.client(key);
    return (await client.createDocument(body, { idempotencyKey })).document;
  }

  /** The mails of the mailbox to an address, newest first. */
  mailsTo(address: string): Promise<MailSummary[]> {
    return this.#mails<MailSummary>(`to=${encodeURIComponent(address)}`);
  }

  /** Every email of the mailbox, without its texts, newest first. */
  receivedMails(): Promise<ReceivedMail[]> {
    return this.#mails<ReceivedMail>('bodies=false');
  }

  async #mails<Mail>(query: string): Promise<Mail[]> {
    const { mailbox_url } = await this.file();
    const response = await fetch(`${mailbox_url}/messages?${query}`, { signal: AbortSignal.timeout(60_000) });
    return (await response.json()) as Mail[];
  }

  /** Sets a simulator's mode. */
  async setMode(
    simulator: 'gotenberg' | 'tax_authority' | 'whatsapp' | 'mailbox',
    mode: object,
  ): Promise<void> {
    const { simulators, mailbox_url } = await this.file();
    const url = simulator === 'mailbox' ? mailbox_url : simulators[simulator];
    const response = await fetch(`${url}/_mode`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(mode),
      signal: AbortSignal.timeout(60_000),
    });
    if (!response.ok) {
      throw new Error(`${simulator} refused the mode: ${await response.text()}`);
    }
  }

  /** The requests that a simulator received. */
  async calls<T>(simulator: 'gotenberg' | 'tax_authority' | 'whatsapp'): Promise<T> {
    const response = await fetch(`${(await this.file()).simulators[simulator]}/_calls`, {
      signal: AbortSignal.timeout(60_000),
    });
    return (await response.json()) as T;
  }

  /** What a part has logged so far, as text. */
  async logOf(part: string): Promise<string> {
    const found = (await this.file()).services.find((service) => service.name === part);
    if (!found) {
      throw new Error(`${part} does not run`);
    }
    return readFile(found.log, 'utf8');
  }

  /** The metrics of the process that runs as a service now, as Prometheus reads them. */
  async metricsOf(service: ServiceName): Promise<string> {
    const found = (await this.file()).services.find(({ name }) => name === service);
    const url = new URL('/metrics', found?.health_url ?? undefined);
    return (await fetch(url, { signal: AbortSignal.timeout(60_000) })).text();
  }

  /** The process that runs as a part now. */
  async pidOf(part: string): Promise<number> {
    const found = (await this.file()).services.find((service) => service.name === part);
    if (!found) {
      throw new Error(`${part} does not run`);
    }
    return found.pid;
  }

  /** Ends one of the stack's own processes at once. */
  async kill(part: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    process.kill(await this.pidOf(part), signal);
  }

  /** Waits until a part that was killed runs again and states that it is ready. */
  async awaitRestart(part: string, before: number, timeoutMs = 60_000): Promise<void> {
    await eventually(
      `${part} runs again`,
      async () => {
        const service = (await this.file()).services.find((service) => service.name === part);
        if (!service || service.pid === before) {
          return false;
        }
        if (service.health_url === null) {
          return true;
        }
        return (await fetch(service.health_url, { signal: AbortSignal.timeout(2_000) })).ok;
      },
      timeoutMs,
    );
  }

  /** Waits until a part's probes report that it is ready. */
  async awaitReady(part: string): Promise<void> {
    const url = (await this.file()).services.find(({ name }) => name === part)?.health_url ?? '';
    const probe = () => fetch(url, { signal: AbortSignal.timeout(5_000) });
    await eventually(`${part} is ready`, async () => (await probe()).ok, 60_000);
  }

  /** Waits until the load balancer gives a gateway connections; of other parts it knows nothing. */
  async awaitBalanced(part: string): Promise<void> {
    const { services } = await this.file();
    const url = (name: string) => services.find((service) => service.name === name)?.health_url;
    const own = url(part);
    const balancer = url('load-balancer');
    if (!balancer || !part.startsWith('gateway')) {
      return;
    }
    await eventually(`${part} is given connections`, async () => {
      const { ready } = (await (await fetch(balancer)).json()) as { ready: string[] };
      return ready.includes(own ?? '');
    });
  }

  /** A service's own database, opened with its serving role, with the rows of every business in sight; `stop` closes it. */
  async database<Tables>(service: keyof StackFile['postgres']): Promise<Database<Tables>> {
    const url = (await this.file()).postgres[service];
    const database = this.#databases.get(url) ?? this.databaseAt<unknown>(url);
    this.#databases.set(url, database);
    return database as Database<Tables>;
  }

  /** The same for any role, for the caller to close. */
  databaseAt<Tables>(url: string): Database<Tables> {
    const logger = createLogger('test', 'silent');
    return acrossTenants(openDatabase<Tables>({ url, poolSize: 2, applicationName: 'test', logger }));
  }
}

/** The body of a plain tax invoice. */
export function invoice(unitPrice: number, change: Partial<CreateDocument> = {}): CreateDocument {
  return {
    type: 'tax_invoice',
    customer: demoCustomer,
    items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: unitPrice }],
    ...change,
  };
}

/** Auto-send by e-mail, at any hour. */
export const sendsMail: BusinessChange = {
  auto_send: { enabled: true, channel: 'email', quiet_hours: null },
};
