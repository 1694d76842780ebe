import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { pathsOf } from '@pinkas/console/page';
import { isUuid } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { type ConsoleAnswer, ConsoleClient, formsIn } from '../harness/console-client.js';
import { consolePages } from '../harness/console-pages.js';
import { issueRefused, winHearing } from '../harness/refused-number.js';
import { sendRefusedRequest } from '../harness/refused-request.js';
import { rejectAddress } from '../harness/rejected-address.js';
import { type Issuer, invoice, type RunningStack, sendsMail } from '../harness/running-stack.js';
import { repositoryRoot } from '../harness/sources.js';
import { hostileTexts, randomFrom } from './hostile-request.js';

const lanes = 4;
/** Days, periods, positions and numbers that no page has written into an address. */
const oddAddresses = [
  ...[
    '',
    ' ',
    '0000',
    '0000-01',
    '0000-01-01',
    '1899-12',
    '1899-12-31',
    '9999',
    '9999-12',
    '9999-12-2',
    '9999-12-31',
  ],
  ...[
    '10000-01-01',
    '-1',
    '-0001-01-01',
    '2026-02-30',
    '2026-13',
    '2026-1-1',
    '2026-00-00',
    '2026-01-01T00:00:00Z',
  ],
  ...[
    '1e400',
    'NaN',
    '9007199254740993',
    '1'.repeat(400),
    '0,500',
    '%',
    '\u202e',
    '\u06612026',
    '__proto__',
    'constructor',
  ],
  ...[
    '9999-12-31~9007199254740991',
    '2026-01-01~-1',
    '2026-01-01~1e9',
    'issuing:0',
    'issuing:9999999999999999.x:1',
  ],
];
/** What ends the session or the membership, and has no field. */
const endings = new Set(['POST /sign-out', 'POST /b/:business/people/leave']);

/** What a hostile tour of the console has seen. */
export interface TourReport {
  requests: number;
  /** How many answers had each status. */
  statuses: Record<string, number>;
  /** Forms of the route table that no page has led to: their fields are not known. */
  unseen: string[];
  /** At most ten: an answer of 5xx, a page with words of another business or with a script of ours, a refused form that changed something. */
  findings: string[];
}

/** A form to send: its binding, an address of it, and its fields. */
interface Target {
  readonly route: string;
  readonly method: 'GET' | 'POST';
  readonly hasFiles: boolean;
  path: string;
  fields: Record<string, string>;
}

export interface TourOptions {
  /** How many pages and forms get odd values. */
  readonly count: number;
  readonly seed: number;
  /** For how long these are sent at most. */
  readonly forMs: number;
  readonly progress?: (line: string) => void;
}

/** Goes through every page and form as an owner who means harm: with ids of another business, without a token, twice, with odd values. */
export async function tourConsole(
  stack: RunningStack,
  { count, seed, forMs, progress = () => {} }: TourOptions,
): Promise<TourReport> {
  const tour = new Tour(stack, randomFrom(seed));
  await tour.prepare();
  await tour.sendRefused();
  progress(`  ${tour.report.requests} forms that have to be refused were sent`);
  await tour.sendTwice();
  await tour.walkAddresses(performance.now() + forMs);
  progress(`  ${tour.report.requests} forms and addresses were sent`);
  await tour.sendOdd(count, performance.now() + forMs);
  return tour.report;
}

const oneOf = <T>(random: () => number, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T;

class Tour {
  readonly report: TourReport = { requests: 0, statuses: {}, unseen: [], findings: [] };
  /** In every text of the other business. */
  readonly #secret = `secret-${randomUUID()}`;
  readonly #owner = `owner-${randomUUID()}@pinkas.localhost`;
  #client = new ConsoleClient('');
  #token = '';
  #own!: Issuer;
  #other!: Issuer;
  #otherIds: string[] = [];
  #targets: Target[] = [];

  constructor(
    private readonly stack: RunningStack,
    private readonly random: () => number,
  ) {}

  /** Two businesses with documents, and every page and form that an owner of the first comes to. */
  async prepare(): Promise<void> {
    const { stack } = this;
    this.#client = new ConsoleClient((await stack.file()).console_url);
    this.#own = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
    this.#other = await stack.newIssuer({ name: this.#secret, default_notes: this.#secret });
    const invite = (email: string, { business }: Issuer, role: string) =>
      stack.pinkas<{ person_id: string }>(
        ...['person', 'invite', email, '--business', business.id, '--role', role],
      );
    await invite(this.#owner, this.#own, 'owner');
    // The first of the list: the forms about a person are about this one.
    await invite(`a-reader-${randomUUID()}@pinkas.localhost`, this.#own, 'bookkeeper');
    await invite(`second-owner-${randomUUID()}@pinkas.localhost`, this.#own, 'owner');
    const person = await invite(`${this.#secret}@pinkas.localhost`, this.#other, 'owner');
    const test = await stack.newKey(this.#own.business.id, { mode: 'test' });
    const issue = (key: string, unitPrice: number, change: Parameters<typeof invoice>[1] = {}) =>
      stack.issueUntilAnswered(key, invoice(unitPrice, change));
    const issueLarge = () => issue(this.#own.key, 6_000);
    // One is not decided about; the number of the other can be requested again.
    await issueRefused(stack, issueLarge);
    await winHearing(stack, (await issueRefused(stack, issueLarge)).id);
    await issue(this.#own.key, 100, { type: 'quote' });
    await issue(test.key, 100);
    await issue(test.key, 100, { type: 'quote' });
    for (const key of [this.#own.key, test.key]) {
      await sendRefusedRequest(stack, key, '<script>alert(1)</script>');
    }
    await this.#signIn();
    const [suppressed, allowed] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
    for (const email of [suppressed, allowed]) {
      await rejectAddress(stack, email, () =>
        issue(this.#own.key, 100, { customer: { name: 'לקוח', email } }),
      );
    }
    await eventually('both messages are rejected', async () => {
      const { text } = await this.#client.exchange(`/b/${this.#own.business.id}`);
      return text.includes(suppressed) && text.includes(allowed);
    });
    // One is allowed again, and has the form to send its message again.
    await stack.pinkas('delivery', 'unsuppress', allowed, '--business', this.#own.business.id);
    const customer = { name: this.#secret, email: `${this.#secret}@example.com` };
    const document = await stack.issueUntilAnswered(this.#other.key, invoice(100, { customer }));
    const request = await sendRefusedRequest(stack, this.#other.key, this.#secret);
    const customerId = document.customer.id ?? '';
    this.#otherIds = [document.id, customerId, this.#other.apiKey.id, person.person_id, request];
    // Another session, to be ended.
    const another = new ConsoleClient(this.#client.origin);
    await another.signIn(await this.#link());
    await this.#explore();
  }

  /** Forms that have to be refused, all of which change nothing. */
  async sendRefused(): Promise<void> {
    const before = await this.#settled();
    const own = this.#own.business.id;
    for (const target of this.#targets) {
      const elsewhere = target.path.replace(own, this.#other.business.id);
      if (elsewhere !== target.path) {
        await this.#send({ ...target, path: elsewhere }, this.#token, [403, 404]);
      }
      const ids = target.path.split('/').filter((part) => isUuid(part) && part !== own);
      for (const id of ids.length > 0 ? this.#otherIds : []) {
        await this.#send(
          { ...target, path: target.path.replace(ids[0] as string, id) },
          this.#token,
          [303, 404, 410],
        );
      }
      for (const token of target.method === 'POST' ? [null, 'x'.repeat(90), await this.#stale()] : []) {
        await this.#send(target, token, [403]);
      }
    }
    const after = await this.#settled();
    for (const [table, hash] of Object.entries(before)) {
      if (after[table] !== hash) {
        this.#find(`a refused form changed ${table}`);
      }
    }
  }

  /** Every form as it is, twice at once, as an impatient person does. */
  async sendTwice(): Promise<void> {
    const before = await this.#hashes([this.#other]);
    for (const target of this.#targets.filter(({ route }) => !endings.has(route))) {
      await Promise.all([this.#send(target), this.#send(target)]);
    }
    await this.#signIn();
    await this.#expectUnchanged(before);
  }

  /**
   * Every parameter of every page with odd values: those that its links and forms have with each value, those that only other pages
   * read with one. For so long at most.
   */
  async walkAddresses(untilMs: number): Promise<void> {
    const names = queryNames();
    const addresses = this.#targets
      .filter(({ method, route }) => method === 'GET' && !endings.has(route))
      .flatMap((target) =>
        names.flatMap((name) => {
          const isOwn = Object.hasOwn(target.fields, name);
          const values = isOwn ? oddAddresses : [oneOf(this.random, oddAddresses)];
          return values.map((value) => ({ ...target, fields: { ...target.fields, [name]: value } }));
        }),
      );
    let next = 0;
    const lane = async () => {
      while (next < addresses.length && performance.now() < untilMs) {
        next += 1;
        await this.#send(addresses[next - 1] as Target);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  /** So many forms and pages with odd values, for so long at most. */
  async sendOdd(count: number, untilMs: number): Promise<void> {
    const before = await this.#hashes([this.#other]);
    const names = [...new Set(this.#targets.flatMap(({ fields }) => Object.keys(fields)))];
    const targets = this.#targets.filter(({ route }) => !endings.has(route));
    let begun = 0;
    const lane = async () => {
      while (begun < count && performance.now() < untilMs) {
        begun += 1;
        await this.#send(this.#odd(oneOf(this.random, targets), names));
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    await this.#expectUnchanged(before);
    await this.#signIn();
    await this.#send(
      { route: 'own page', method: 'GET', hasFiles: false, path: `/b/${this.#own.business.id}`, fields: {} },
      '',
      [200],
    );
  }

  async #link(): Promise<string> {
    return (await this.stack.pinkas<{ url: string }>('person', 'link', this.#owner)).url;
  }

  async #signIn(): Promise<void> {
    const page = await this.#client.exchange('/account');
    if (page.status !== 200) {
      await this.#client.signIn(await this.#link());
    }
    this.#token = tokenIn(await this.#client.exchange('/account'));
  }

  /** The token of another browser. */
  async #stale(): Promise<string> {
    return tokenIn(await new ConsoleClient(this.#client.origin).exchange('/sign-in'));
  }

  /** Follows every link once for each page of the route table, and keeps what it leads to and each form on the way. */
  async #explore(): Promise<void> {
    const routes = consolePages.flatMap((binding) =>
      pathsOf(binding).map((path) => ({
        route: `${binding.method} ${path}`,
        method: binding.method,
        hasFiles: binding.files ?? false,
        pattern: new RegExp(`^${path.replaceAll(/:[a-z]+/gi, '[^/]+')}$`),
        path,
      })),
    );
    const routeOf = (method: string, path: string) =>
      // A fixed path comes before one with a parameter.
      routes
        .filter((route) => route.method === method && route.pattern.test(path))
        .sort((one, two) => one.path.split(':').length - two.path.split(':').length)[0];
    const seen = new Map<string, Target>();
    const add = (method: 'GET' | 'POST', path: string, fields: Record<string, string>) => {
      const found = routeOf(method, path);
      if (!found || path.includes('/pdf')) {
        return false;
      }
      const known = seen.get(found.route);
      if (known) {
        known.fields = { ...fields, ...known.fields };
        return false;
      }
      seen.set(found.route, { route: found.route, method, hasFiles: found.hasFiles, path, fields });
      return true;
    };
    const queue = [`/b/${this.#own.business.id}`, '/account', '/sign-in', '/prove'];
    // Each document has other forms: an open quote is cancelled, an invoice is credited.
    const visited = new Set<string>();
    const stranger = new ConsoleClient(this.#client.origin);
    for (let path = queue.shift(); path !== undefined && visited.size < 200; path = queue.shift()) {
      if (visited.has(path)) {
        continue;
      }
      visited.add(path);
      const { text } = await (path.startsWith('/sign-in') ? stranger : this.#client).exchange(path);
      const bare = path.split('?')[0] as string;
      add('GET', bare, {});
      for (const form of formsIn(text)) {
        const { _csrf: _, ...fields } = form.fields;
        add(form.method === 'post' ? 'POST' : 'GET', (form.path || bare).split('?')[0] as string, fields);
      }
      const linked = [...text.matchAll(/ (?:href|src|data-logo)="(\/[^"#]*)/g)].map(([, link = '']) =>
        link.replaceAll('&amp;', '&'),
      );
      for (const link of linked) {
        const { pathname, searchParams } = new URL(link, this.#client.origin);
        add(link.endsWith('/logo') ? 'POST' : 'GET', pathname, Object.fromEntries(searchParams));
        if (!/\/(pdf|file|assets)(\/|$)/.test(pathname)) {
          queue.push(pathname);
        }
      }
    }
    const fill = (path: string) =>
      path.replace(':business', this.#own.business.id).replaceAll(/:[a-z]+/gi, () => randomUUID());
    for (const { route, method, hasFiles, path } of routes.filter((known) => !seen.has(known.route))) {
      if (method === 'POST') {
        this.report.unseen.push(path);
      }
      seen.set(route, { route, method, hasFiles, path: fill(path), fields: {} });
    }
    this.#targets = [...seen.values()];
  }

  #odd(target: Target, names: readonly string[]): Target {
    const { random } = this;
    const fields = { ...target.fields };
    const known = Object.keys(fields);
    const changes = 1 + Math.floor(random() * 3);
    for (let change = 0; change < changes; change += 1) {
      const name =
        random() < 0.8 && known.length > 0
          ? oneOf(random, known)
          : oneOf(random, [...names, 'next', '__proto__', '_csrf[]', 'a[b]']);
      fields[name] = oneOf(random, hostileTexts);
    }
    const parts = target.path.split('/');
    if (random() < 0.1 && parts.length > 2) {
      // Not the other business, whose pages are another matter.
      parts[parts.length - 1] = encodeURIComponent(
        oneOf(random, hostileTexts).replace('\ud800', '').slice(0, 500),
      );
    }
    return { ...target, fields, path: parts.join('/') };
  }

  /** Sends a form or loads a page, and judges the answer. @param token null: the form has none. */
  async #send(
    { route, method, hasFiles, path, fields }: Target,
    token: string | null = this.#token,
    expected?: readonly number[],
  ): Promise<void> {
    const pairs = Object.entries({ ...fields, ...(token === null ? {} : { _csrf: token }) });
    let body: URLSearchParams | FormData | undefined;
    if (method === 'POST') {
      body = hasFiles ? new FormData() : new URLSearchParams();
      for (const [name, value] of pairs) {
        body.append(name, value);
      }
      if (body instanceof FormData && this.random() < 0.3) {
        body.append('logo', new Blob([oneOf(this.random, hostileTexts)], { type: 'image/svg+xml' }), 'x.svg');
      }
    }
    const query = method === 'GET' && Object.keys(fields).length > 0 ? `?${new URLSearchParams(fields)}` : '';
    const answer = await this.#client
      .exchange(`${path}${query.slice(0, 12_000)}`, { body })
      .catch((error: Error) => ({
        ...{ status: 599, location: null, text: String(error.cause ?? error), isPage: false },
      }));
    this.report.requests += 1;
    this.report.statuses[answer.status] = (this.report.statuses[answer.status] ?? 0) + 1;
    const finding = this.#judge(answer, expected);
    if (finding !== null) {
      this.#find(`${finding}: ${route} ${path.slice(0, 150)} ${JSON.stringify(fields).slice(0, 300)}`);
    }
  }

  #judge(
    { status, location, text, isPage }: ConsoleAnswer,
    expected: readonly number[] | undefined,
  ): string | null {
    if (status >= 500) {
      return `status ${status} ${status === 599 ? text : ''}`;
    }
    if (text.includes(this.#secret) || location?.includes(this.#secret)) {
      return 'words of another business';
    }
    if (isPage && text.includes('<script>alert(1)')) {
      return 'a script of a caller';
    }
    if (location !== null && !location.startsWith('/') && !location.startsWith(this.#client.origin)) {
      return `a way to ${location.slice(0, 100)}`;
    }
    return expected === undefined || expected.includes(status)
      ? null
      : `status ${status}, not ${expected.join()}`;
  }

  #find(finding: string): void {
    if (this.report.findings.length < 10) {
      this.report.findings.push(finding);
    }
  }

  async #expectUnchanged(before: Record<string, string>): Promise<void> {
    const after = await this.#hashes([this.#other]);
    for (const [table, hash] of Object.entries(before)) {
      if (after[table] !== hash) {
        this.#find(`${table} of another business has changed`);
      }
    }
  }

  /** The rows of both businesses, once no work in the background changes them. */
  async #settled(): Promise<Record<string, string>> {
    let last: Record<string, string> = {};
    return eventually('nothing changes any more', async () => {
      const now = await this.#hashes([this.#own, this.#other]);
      const isSame = isDeepStrictEqual(now, last);
      last = now;
      return isSame && now;
    });
  }

  /**
   * A hash of the rows of the businesses in each table of each service, but for what comes with time: when a key was used last, the
   * daily check of a book, and the log of requests of the API, which is stored in batches.
   */
  async #hashes(issuers: readonly Issuer[]): Promise<Record<string, string>> {
    const ids = issuers.flatMap(({ business }) => [business.id, testBookOf(business.id)]);
    const hashes: Record<string, string> = {};
    for (const service of Object.keys((await this.stack.file()).postgres)) {
      const db = await this.stack.database<object>(service as never);
      const tables = await sql<{ name: string }>`select c.table_name as name from information_schema.columns c
        join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'public' and c.column_name = 'business_id' and t.table_type = 'BASE TABLE'
          and c.table_name !~ '^(book_check|request_log)'`.execute(db);
      for (const { name } of tables.rows) {
        const { rows } = await sql<{ hash: string }>`select md5(coalesce(string_agg(
            (to_jsonb(t) - 'last_used_at' - 'pdf')::text, '|' order by to_jsonb(t)::text), '')) as hash
          from ${sql.table(name)} t where business_id = any(${ids}::uuid[])`.execute(db);
        hashes[`${service}.${name}`] = rows[0]?.hash ?? '';
      }
    }
    return hashes;
  }
}

/** The parameters that the sources of the console read from an address. */
function queryNames(): string[] {
  const folder = join(repositoryRoot, 'services/console/src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!spec)\.ts$/.test(name),
  );
  const read =
    /(?:query\.(?:get|has|getAll)\(|(?:readField|dayOf)\(query, |given\(|read\(|date\(|amountOf\()'([a-z_]+)'/g;
  const names = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(read)].map(([, found = '']) => found),
  );
  return [...new Set(names)].sort();
}

const tokenIn = ({ text }: ConsoleAnswer) =>
  formsIn(text).find(({ fields }) => fields._csrf)?.fields._csrf ?? '';
