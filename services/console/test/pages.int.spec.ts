import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Allocation,
  type AuditEntry,
  auditing,
  type Business,
  type DocumentState,
  getDocument,
  type IssuedDocument,
  issueDocument,
  listDeliveryFailures,
  listDeliveryStates,
  listDocuments,
  listKeys,
  listSuppressions,
  listTopCustomers,
  listUnresolvedAllocations,
  listUnresolvedDonations,
  previewDocument,
  type ReplyOf,
  type RequestOf,
  reportPeriod,
  reviewDocuments,
  revokeKey,
  serviceNames,
  showAllocationThreshold,
  showConnection,
  showSigningCertificate,
  sumDocuments,
  summarizeDebts,
  summarizeMonths,
} from '@pinkas/contracts';
import { type DocumentType, isTestBook, testBook } from '@pinkas/domain';
import type { VatDetailSummary } from '@pinkas/exports';
import { ApiError } from '@pinkas/service-kit';
import { eventually, exampleDocument } from '@pinkas/testkit';
import { keepFormOutcome } from '../src/session/form-outcome.repository.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from './console.js';
import { previewOf } from './previewed.js';

type Issue = RequestOf<typeof issueDocument>;
const chunk = Buffer.alloc(1024 * 1024, 'a');
const chunks = 12;
const at = '2026-06-15T08:00:00.000Z';

let console: ConsoleUnderTest;
beforeAll(async () => {
  console = await startConsole({ shutdownDelayMs: 1_000 });
});
afterAll(() => console.stop());

describe('the HTTP server of the console', () => {
  it('a person of one business is led to it', async () => {
    const business = console.addBusiness();
    const person = await console.addPerson({ [business.id]: 'owner' });
    const reply = await (await console.signedIn(person)).get('/');
    expect([reply.status, reply.location]).toEqual([303, `/b/${business.id}`]);
  });

  it('a page is not shown to a browser in which nobody is signed in', async () => {
    const reply = await console.browser().get('/?a=b');
    expect([reply.status, reply.location]).toEqual([303, '/sign-in?next=%2F%3Fa%3Db']);
  });

  const sent = (path: string, init: RequestInit) =>
    fetch(`${console.origin}${path}`, { redirect: 'manual', signal: AbortSignal.timeout(20_000), ...init });

  it.each([
    ['text/plain', 'a'.repeat(2_000_000)],
    ['application/json', `[${'0,'.repeat(900_000)}0]`],
  ])('what is no form is refused before it is read: %s', async (type, body) => {
    const reply = await sent('/sign-in', { method: 'POST', body, headers: { 'content-type': type } });
    expect(reply.status).toBe(415);
  });

  it('a form with more fields than any form has is refused with a page', async () => {
    const reply = await sent('/sign-in', {
      method: 'POST',
      body: 'a&'.repeat(100_000),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en' },
    });
    expect(reply.status).toBe(413);
    expect(await reply.text()).toContain('The form holds more than can be received');
    expect(reply.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('a file larger than any picture is refused with a page', async () => {
    const business = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    const body = new FormData();
    body.set('_csrf', browser.csrfToken);
    body.set('logo', new Blob([Buffer.alloc(5 * 1024 * 1024)], { type: 'image/png' }), 'logo.png');
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await sent(`/b/${business.id}/business`, { method: 'POST', body, headers: { cookie } });
    expect(reply.status).toBe(413);
    expect(await reply.text()).toContain('הקובץ גדול מדי');
  });

  it.each([
    ['no boundary', '', 'a'],
    ['a long boundary', `; boundary=${'x'.repeat(300)}`, 'a'],
    ['no end', '; boundary=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\na'],
  ])('a form with files that cannot be read is refused with a page: %s', async (_what, boundary, body) => {
    const business = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, 'content-type': `multipart/form-data${boundary}` };
    const reply = await sent(`/b/${business.id}/business`, { method: 'POST', body, headers });
    expect(reply.status).toBe(400);
    expect(reply.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('files are read for the forms that have some, and for no other', async () => {
    const body = new FormData();
    body.set('email', 'somebody@example.com');
    expect((await sent('/sign-in', { method: 'POST', body })).status).toBe(415);
  });

  it.each(['//', '//evil.example/account', '/%00', '/account?a=%00', '/%zz'])(
    'an address that is none is no failure of the console: %s',
    async (path) => {
      expect((await sent(path, {})).status).toBeLessThan(500);
    },
  );

  it.each([
    ['no UTF-8', '/b/%ff/documents'],
    ['a long id', `/b/${'1'.repeat(1_000)}/documents`],
  ])('an address that cannot be read gets the page of one that does not exist: %s', async (_what, path) => {
    const reply = await sent(path, { headers: { 'accept-language': 'en' } });
    expect(reply.status).toBe(404);
    expect(await reply.text()).toContain('This page does not exist');
    expect(reply.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it.each([
    ['bytes that are no HTTP', 'hello\r\n\r\n', 400],
    ['a tunnel', 'CONNECT /account HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['headers that are too long', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 400],
  ])('%s are answered with a page, and the connection is closed', async (_what, bytes, status) => {
    const socket = connect(Number(new URL(console.origin).port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    for await (const part of socket) {
      text += String(part);
    }
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^content-security-policy: default-src 'none'/m);
    expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/m);
    expect(head).toMatch(/^connection: close$/m);
    expect(body).toMatch(/^<!doctype html>/);
  });

  it('an id in an address that is none changes no header of the reply', async () => {
    const business = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    for (const id of ['%D7%90', '%0d%0ax-added:%20yes']) {
      const reply = await browser.post(`/b/${business.id}/documents/${id}/send`);
      expect(reply.status).toBe(404);
      expect(reply.headers.get('x-added')).toBeNull();
    }
  });
});

describe('the page of exports', () => {
  it('a person who requests a file while there is no room reads so, and to try again later', async () => {
    const { id } = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [id]: 'owner' }));
    const { db } = console.database;
    const fill = (bytes: number) => db.updateTable('export_volume').set({ stored_bytes: bytes }).execute();
    await fill(10 * 1024 ** 3);
    const dates = { from: '2026-01-01', to: '2026-01-31' };
    const { status, text } = await browser.post(`/b/${id}/exports`, { format: 'csv', ...dates });
    await fill(0);
    expect(status).toBe(422);
    expect(text).toContain('There is no room for more files at the moment');
    expect(text).toContain('try again later');
  });
});

describe('what a form has done', () => {
  const prepared = 'The file is in preparation.';
  let at: string;
  let owner: TestPerson;
  let browser: TestBrowser;
  beforeEach(async () => {
    const { id } = console.addBusiness();
    at = `/b/${id}/exports`;
    owner = await console.addPerson({ [id]: 'owner' });
    browser = await console.signedIn(owner);
  });
  const request = () => browser.post(at, { format: 'csv', from: '2026-01-01', to: '2026-01-31' });
  const isShown = async (by = browser, path = at) => (await by.get(path)).text.includes(prepared);

  it('it is shown once, in the session of the form, and on the page that the form leads to', async () => {
    const other = await console.signedIn(owner);
    expect((await request()).location).toBe(at);
    expect(await isShown(other)).toBe(false);
    expect(await isShown(browser, at.replace('/exports', '/people'))).toBe(false);
    expect([await isShown(), await isShown()]).toEqual([true, false]);
  });

  it('it is shown once by two tabs that load the page at once', async () => {
    await request();
    expect((await Promise.all([isShown(), isShown()])).sort()).toEqual([false, true]);
  });

  it('a page that is opened more than a minute later does not show it', async () => {
    await request();
    console.clock.now = new Date(console.clock.now.getTime() + 60_001);
    expect(await isShown()).toBe(false);
  });

  it.each([
    ['/exports', 'requested'],
    ['/business', 'saved'],
    ['/connection', 'revoked'],
    ['/authority', 'disconnected'],
  ])('an address makes no notice: %s?done=%s', async (path, name) => {
    const { text } = await browser.get(`${at.replace('/exports', path)}?done=${name}&outcome=${name}`);
    expect(text).toContain('<main');
    expect(text).not.toContain('class="notice done"');
  });

  it('the outcomes that a session keeps are limited, and end with it', async () => {
    const { db } = console.database;
    const { id } = await db
      .selectFrom('session')
      .select('id')
      .where('person_id', '=', owner.id)
      .executeTakeFirstOrThrow();
    for (let index = 0; index < 30; index += 1) {
      const now = new Date(console.clock.now.getTime() + index);
      await keepFormOutcome(db, id, `/page/${index}`, 'done', now);
    }
    const kept = () => db.selectFrom('form_outcome').select('path').where('session_id', '=', id).execute();
    const paths = (await kept()).map(({ path }) => path);
    expect(paths).toHaveLength(20);
    expect(paths).toContain('/page/29');
    await browser.post('/sign-out');
    expect(await kept()).toEqual([]);
  });
});

describe('slow senders of forms', () => {
  const sockets: Socket[] = [];
  let businessId: string;
  let cookie: string;
  beforeAll(async () => {
    ({ id: businessId } = console.addBusiness());
    const browser = await console.signedIn(await console.addPerson({ [businessId]: 'owner' }));
    cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) {
      socket.destroy();
    }
  });

  /** Sends the head of a form and one byte of its body. @returns what was received, up to now. */
  function begin(path: string, headers: Record<string, string>): () => string {
    const socket = connect(Number(new URL(console.origin).port), '127.0.0.1');
    sockets.push(socket);
    let received = '';
    socket.setEncoding('utf8').on('error', () => {});
    socket.on('data', (text: string) => {
      received += text;
    });
    const lines = Object.entries({ host: 'localhost', 'accept-language': 'en', ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`POST ${path} HTTP/1.1\r\n${head}content-length: 1000\r\n\r\n-`);
    return () => received;
  }
  const text = { 'content-type': 'application/x-www-form-urlencoded' };
  const files = { 'content-type': 'multipart/form-data; boundary=x' };

  it.each([
    ['with files, from strangers', () => [`/b/${businessId}/business`, files] as const, 303, 256],
    [
      'with files, of one person',
      () => [`/b/${businessId}/business`, { ...files, cookie }] as const,
      408,
      252,
    ],
    ['without files, from strangers', () => ['/sign-in', text] as const, 408, 252],
  ])('256 forms that arrive slowly keep no page waiting: %s', async (_name, form, status, ended) => {
    const [path, headers] = form();
    const received = Array.from({ length: 256 }, () => begin(path, headers));
    const answered = () => received.filter((read) => read().startsWith(`HTTP/1.1 ${status} `)).length;
    await eventually('the surplus is answered', () => answered() >= ended);
    // Those that may wait have more of their time left than the pause between two looks.
    expect(answered()).toBe(ended);
    const person = await console.signedIn(await console.addPerson());
    expect((await person.get('/account')).status).toBe(200);
    // A form of another person is not among those that end.
    expect((await person.post('/language', { language: 'en', next: '/' })).status).toBe(303);
    const [first] = received.map((read) => read());
    expect(first).toContain(status === 408 ? 'The form did not arrive in time' : 'location: /sign-in');
  });

  it('a form that does not arrive in time is answered with a page', async () => {
    const read = begin('/sign-in', text);
    await eventually('the form is answered', async () => read().includes('</html>'));
    expect(read()).toMatch(/^HTTP\/1\.1 408 .*The form did not arrive in time/s);
  });
});

describe('the settings of a business in the console', () => {
  let businessId: string;
  let browser: TestBrowser;
  /** The trail of issuing, the latest entry first. */
  let trail: AuditEntry[];
  let isIssuingAway = false;
  const revoked: string[] = [];

  beforeAll(async () => {
    for (const name of serviceNames.filter((service) => service !== 'console')) {
      console.network.answer(auditing[name].listLatestAuditEntries, ({ before, limit }) => {
        if (isIssuingAway && name === 'issuing') {
          throw new ApiError('engine_error');
        }
        const entries = name === 'issuing' ? trail : [];
        const rest = entries.filter(({ n }) => before === null || n < before);
        const shown = rest.slice(0, limit);
        return { entries: shown, next_before: rest.length > limit ? (shown.at(-1)?.n ?? null) : null };
      });
    }
    console.network.answer(listKeys, () => ({ keys: [] }));
    console.network.answer(revokeKey, ({ key_id }) => {
      revoked.push(key_id);
      throw new ApiError('engine_error');
    });
    console.network.answer(showConnection, ({ business_id }) => ({
      connection: { business_id, state: 'connected' as const, since: at, connected_at: at, until: null },
      request: null,
    }));
  });
  beforeEach(async () => {
    isIssuingAway = false;
    businessId = console.addBusiness({ tax_authority_connected: false }).id;
    browser = await console.signedIn(await console.addPerson({ [businessId]: 'owner' }));
    trail = Array.from({ length: 100 }, (_, index) => ({
      business_id: businessId,
      n: 100 - index,
      // Many changes of one instant, and a replica whose clock is behind.
      at: index === 50 ? '2026-06-14T08:00:00.000Z' : at,
      action: `test.entry-${100 - index}-`,
      subject: 'x',
      actor: 'operator',
      request_id: null,
      before: { paid: '0.00' },
      after: { paid: '1234.50' },
      hash: '00'.repeat(32),
    })) as unknown as AuditEntry[];
  });

  const shownOn = (text: string) => [...text.matchAll(/test\.entry-(\d+)-/g)].map(([, n]) => Number(n));
  const nextOf = (text: string) =>
    /href="([^"]*before=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? null;

  it('the pages of the trail have every entry once, however many are of one instant', async () => {
    const seen: number[] = [];
    for (let next: string | null = `/b/${businessId}/trail`; next !== null; ) {
      const { text }: { text: string } = await browser.get(next);
      seen.push(...shownOn(text));
      next = nextOf(text);
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => 100 - index));
  });

  it('the trail is a table with every entry once, and no table where a service does not answer', async () => {
    const { text } = await browser.get(`/b/${businessId}/trail/csv`);
    const [head, ...rows] = text.trimEnd().split('\r\n');
    expect(head).toBe('When,What,About,By whom,Changes');
    expect(shownOn(rows.join('\n'))).toEqual(Array.from({ length: 100 }, (_, index) => 100 - index));
    expect(rows[0]).toBe('15 Jun 2026 11:00,test.entry-100-,x,the operator,"Paid: 0.00 > 1,234.50"');
    isIssuingAway = true;
    expect((await browser.get(`/b/${businessId}/trail/csv`)).status).toBe(502);
  });

  it('a key that the business does not have is not revoked, even by a gateway that would', async () => {
    const reply = await browser.post(`/b/${businessId}/connection/${randomUUID()}/revoke`);
    expect(reply.status).toBe(404);
    expect(revoked).toEqual([]);
  });

  it('a connection can be ended where the setting is off already', async () => {
    const { text } = await browser.get(`/b/${businessId}/authority`);
    expect(text).toContain(`/b/${businessId}/authority/disconnect`);
  });
});

describe('how far documents are settled, in the console', () => {
  let browser: TestBrowser;
  let at: string;
  let state: DocumentState;
  let invoice: IssuedDocument;
  let notes: ReplyOf<typeof reviewDocuments>['notes'];
  let debts: ReplyOf<typeof summarizeDebts>;
  let top: ReplyOf<typeof listTopCustomers>['customers'];
  let months: ReplyOf<typeof summarizeMonths>['months'];
  const topAsked: RequestOf<typeof listTopCustomers>[] = [];
  let withoutBuyerId: ReplyOf<typeof reviewDocuments>['without_buyer_id'];
  let unreported: ReplyOf<typeof reviewDocuments>['unreported_donations'];
  let refused: Allocation[];
  const lists: RequestOf<typeof listDocuments>[] = [];
  const ends: (() => void)[] = [];

  beforeAll(() => {
    const { network } = console;
    const allocation = { status: 'not_required', number: null, reason: null } as const;
    const delivery = { status: 'queued', channel: 'email', scheduled_for: null } as const;
    ends.push(
      network.answer(getDocument, ({ detailed }) => {
        const { undeductible_vat, credited, invoices, other_customers, ...plain } = state;
        return { document: invoice, state: detailed ? state : plain };
      }),
      network.answer(listDocuments, (request) => {
        lists.push(request);
        const { items: _items, prices_include_vat: _basis, discount: _discount, ...document } = invoice;
        const { payments: _payments, title: _title, notes: _notes, send: _send, ...head } = document;
        const documents = (request.document_ids ?? [head.id]).map((id) => ({
          ...{ document: { ...head, id }, state, allocation, delivery },
        }));
        return { documents, next_before: null };
      }),
      network.answer(reviewDocuments, () => ({
        notes,
        ...(withoutBuyerId && { without_buyer_id: withoutBuyerId }),
        ...(unreported && { unreported_donations: unreported }),
      })),
      network.answer(sumDocuments, () => ({ types: [] })),
      network.answer(listDeliveryStates, () => ({ documents: [] })),
      network.answer(showSigningCertificate, () => ({
        subject: 'Demo',
        not_after: '2027-06-15T08:00:00.000Z',
        own: false,
      })),
      network.answer(listTopCustomers, (request) => {
        topAsked.push(request);
        return { customers: top };
      }),
      network.answer(summarizeMonths, () => ({ months })),
      network.answer(summarizeDebts, () => debts),
      network.answer(listUnresolvedAllocations, ({ before, limit }) => {
        const first = before
          ? refused.findIndex(({ document_id }) => document_id === before.document_id) + 1
          : 0;
        const allocations = refused.slice(first, first + limit);
        const last = allocations.at(-1);
        const isEnd = first + limit >= refused.length || !last;
        return {
          allocations,
          next_before: isEnd ? null : { decided_at: last.decided_at, document_id: last.document_id },
        };
      }),
      network.answer(listUnresolvedDonations, () => ({ donations: [], next_before: null })),
      network.answer(listDeliveryFailures, () => ({ failures: [], next_after: null })),
      network.answer(listSuppressions, () => ({ suppressions: [], next_after: null })),
    );
  });
  afterAll(() => {
    for (const end of ends) {
      end();
    }
  });
  beforeEach(async () => {
    const business = console.addBusiness({ tax_authority_connected: false });
    invoice = exampleDocument({ business_id: business.id });
    at = `/b/${business.id}`;
    [notes, top, withoutBuyerId, unreported, refused] = [[], [], undefined, undefined, []];
    months = [];
    debts = { as_of: '2026-06-15', documents: 0, customers: 0, amount: 0, late: 0, ages: [] };
    state = { status: 'open', paid: 0, allocation_number: null, cancelled_at: null };
    browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    await browser.post('/language', { language: 'en', next: '/' });
  });
  /** The text of a page, without its markup and the marks of directions. */
  const asRead = (page: string) =>
    page
      // The agorot of a large amount follow its shekels.
      .replaceAll('<span class="minor">', '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ');
  const read = async (path: string) => asRead((await browser.get(`${at}${path}`)).text);

  it.each([
    ['paid in part', { paid: 5_000 }, 'Partly paid', '₪2,080.00', 'Balance due', 'Balance due: ₪2,080.00'],
    ['not paid', {}, 'To pay', '₪7,080.00', 'Balance due', 'Tax invoice'],
    ['paid beyond its total', { paid: 7_090 }, 'Overpaid', '-₪10.00', 'In credit', 'its total, by ₪10.00'],
    ['credited beyond its total', { credited: 7_080.01 }, 'Credited', '-₪0.01', 'In credit', 'by ₪0.01'],
  ] as const)(
    'an invoice that is %s is shown with its balance, though it is closed',
    async (_what, facts, status, listed, term, note) => {
      state = { ...state, status: 'closed', credited: 0, invoices: 0, other_customers: 0, ...facts };
      const page = await read(`/documents/${invoice.id}`);
      expect(page).toContain(status);
      expect(page).toContain(`${term} ${listed.replace('-', '')}`);
      expect(page).toContain(note);
      for (const path of ['/documents', '']) {
        expect(await read(path)).toContain(`₪7,080.00 ${listed} ${status}`);
      }
      expect(lists.splice(0).every(({ settlement }) => settlement === true)).toBe(true);
    },
  );

  it('an invoice that is settled has a balance of zero on its page, and no note', async () => {
    state = { ...state, status: 'closed', paid: 7_080, credited: 0, invoices: 0, other_customers: 0 };
    const { text } = await browser.get(`${at}/documents/${invoice.id}`);
    expect(text).not.toContain('notice warn');
    expect(await read(`/documents/${invoice.id}`)).toContain('Balance due ₪0.00');
    expect(await read('/documents')).toContain('7,080.00 Paid');
  });

  it('a receipt of another customer and a second invoice are noted on the page of their source', async () => {
    state = { ...state, credited: 0, invoices: 2, other_customers: 1 };
    const page = await read(`/documents/${invoice.id}`);
    expect(page).toContain('names another customer');
    expect(page).toContain('More than one invoice is based on it');
  });

  it('Today shows what is left to pay with what of it is late, and leads to the debts', async () => {
    expect(await read('')).toContain('Balance due ₪0.00 Nothing is late');
    debts = { ...debts, documents: 3, customers: 2, amount: 12_345.6, late: 1_180 };
    expect(await read('')).toContain('Balance due ₪12,345.60 Late: ₪1,180.00');
    expect((await browser.get(at)).text).toMatch(
      new RegExp(`<dt><a href="${at}/debts">Balance due</a></dt>`),
    );
    expect(await read('')).not.toContain('Some facts are not available');
  });

  it('Today has the types of this month as owners know them, credits negative, and no sum of what is no money', async () => {
    const row = (type: DocumentType, total: number) => ({
      ...{ month: '2026-06', type, documents: 2, net: total, vat: 0, total },
    });
    months = [
      row('credit_note', 118),
      row('delivery_note', 500),
      row('quote', 900),
      row('tax_invoice', 1_180),
    ];
    expect(await read('')).toMatch(/Tax invoice 2 ₪1,180.00 Credit note 2 -₪118.00 Quote 2 Delivery note 2 /);
  });

  it('Today lists the customers of the last twelve months who bring in most, each with the statement', async () => {
    expect(await read('')).not.toContain('Top customers');
    const id = randomUUID();
    top = [{ customer_id: id, name: 'Demo <customer>', documents: 4, income: 9_000.5 }];
    expect(await read('')).toMatch(/Demo &lt;customer&gt;\S* 4 ₪9,000.50/);
    expect((await browser.get(at)).text).toContain(`href="${at}/customers/${id}/statement"`);
    expect(topAsked.at(-1)).toMatchObject({ from: '2025-07', to: '2026-06', legal_type: 'hevra_baam' });
    expect(topAsked.at(-1)?.business_id).toBe(invoice.business_id);
  });

  it('debts that cannot be read take their figure from Today, and no other', async () => {
    const end = console.network.answer(summarizeDebts, () => {
      throw new ApiError('engine_error');
    });
    const page = await read('');
    end();
    expect(page).toContain('Some facts are not available');
    expect(page).toContain('Income this month');
    expect(page).not.toContain('Balance due');
  });

  it.each([
    ['owner', true],
    ['issuer', true],
    ['bookkeeper', false],
  ] as const)('Today and the list lead to a new document those who issue: %s', async (role, leads) => {
    const { id } = console.addBusiness();
    const person = await console.signedIn(await console.addPerson({ [id]: role }));
    for (const book of [`/b/${id}`, `/t/${id}`]) {
      for (const path of [book, `${book}/documents`]) {
        const { text } = await person.get(path);
        expect(text.includes(`class="button primary" href="${book}/issue"`)).toBe(leads);
      }
    }
  });

  it('Today counts what needs attention, and leads to the documents', async () => {
    notes = [
      { note: 'partly_paid', documents: 3, amount: 1_329.99 },
      { note: 'invoiced_twice', documents: 1, amount: null },
    ];
    const { text } = await browser.get(at);
    expect(text).toContain(`href="${at}/documents?note=partly_paid"`);
    const page = await read('');
    expect(page).toContain('Needs attention 2');
    expect(page).toContain('3 documents are partly paid Balance due: ₪1,329.99');
    expect(page).toContain('One document has more than one invoice');
    await browser.get(`${at}/documents?note=partly_paid&type=tax_invoice`);
    expect(lists.at(-1)).toMatchObject({
      note: 'partly_paid',
      type: 'tax_invoice',
      include_cancelled: true,
      settlement: true,
    });
  });

  it('the report and the files state where a detailed VAT report differs, and lead to what it leaves out', async () => {
    const businessId = invoice.business_id;
    const sums = (taxable: number, vat: number) => ({ taxable, vat, untaxed: 0 });
    const sale = { id: invoice.id, public_id: invoice.public_id, type: 'tax_invoice', number: 17 } as const;
    const at = console.clock.now;
    await console.database.db
      .insertInto('export_job')
      .values({
        ...{ business_id: businessId, id: randomUUID(), person_id: randomUUID(), format: 'pcn874' },
        ...{ first_date: '2026-06-01', last_date: '2026-06-30', requested_at: at, state: 'expired' },
        ...{ file_name: 'a.txt', media_type: 'text/plain', size_bytes: 1, expires_at: at },
      })
      .execute();
    const summary: VatDetailSummary = {
      ...{ rows: 3, sums: sums(15_876, 2_858), reported: sums(21_875, 3_938) },
      left_out: {
        ...{ documents: 1, sums: sums(6_000, 1_080) },
        first: [{ ...sale, date: '2026-06-15', total: 7_080 }],
      },
      ...{ unknown_buyers: 2, has_negative_sum: true },
    };
    await console.database.db
      .updateTable('export_job')
      .set({ vat_detail: JSON.stringify(summary) })
      .where('business_id', '=', businessId)
      .execute();
    const money = { net: 0, vat: 0, total: 0 };
    const end = console.network.answer(reportPeriod, () => ({
      ...{ rates: [], types: [], months: [], receipts: [], received: 0 },
      ...{ sales: money, taxable: money, untaxed: 0, reported: sums(21_875, 3_938) },
      income: { basis: 'invoices' as const, amount: 0 },
    }));
    const difference = 'through rounding: Taxable sales ₪1, VAT on sales ₪0, Exempt or zero-rated sales ₪0';
    const readSums = async (path: string) => (await read(path)).replaceAll(' ,', ',');
    const files = await readSums('/exports');
    expect(files).toContain('In the file: Taxable sales ₪15,876, VAT on sales ₪2,858');
    expect(files).toContain('In the period report: Taxable sales ₪21,875, VAT on sales ₪3,938');
    expect(files).toContain(difference);
    expect(files).toMatch(/1 sales above ₪5,000 without the number of the buyer .*Tax invoice 17.*₪7,080.00/);
    expect(files).toContain('2 rows have the number of a customer of no known kind');
    expect(files).toContain('The header of the file has a negative sum');
    expect((await browser.get(`/b/${businessId}/exports`)).text).toContain(
      `href="/b/${businessId}/documents/${invoice.id}"`,
    );
    expect(await readSums('/reports?period=2026-06')).toContain(difference);
    expect(await read('/reports?period=2026-05')).not.toContain('through rounding');
    end();
  });

  it('Today names a rule of law that changes within 30 days and concerns the business, with its source', async () => {
    const { now } = console.clock;
    console.clock.now = new Date('2028-12-10T08:00:00Z');
    const todayOf = async (legal_type: 'hevra_baam' | 'osek_patur') => {
      const { id } = console.addBusiness({ legal_type });
      const owner = await console.signedIn(await console.addPerson({ [id]: 'owner' }));
      await owner.post('/language', { language: 'en', next: '/' });
      return asRead((await owner.get(`/b/${id}`)).text);
    };
    expect(await todayOf('hevra_baam')).toMatch(
      /A temporary order ends on .*31 Dec 2028.*: the net amount above which an invoice needs.*Source: .*VAT law, section 47/,
    );
    expect(await todayOf('osek_patur')).not.toContain('A temporary order ends');
    console.clock.now = now;
  });

  it('Today names another threshold of the tax authority than that of the table, to a business that it concerns', async () => {
    const day = '2026-06-15';
    let net = 3_000;
    const end = console.network.answer(showAllocationThreshold, () => ({ answer: { day, net } }));
    const todayOf = async (legal_type: 'hevra_baam' | 'osek_patur') => {
      const { id } = console.addBusiness({ legal_type });
      const owner = await console.signedIn(await console.addPerson({ [id]: 'owner' }));
      await owner.post('/language', { language: 'en', next: '/' });
      return asRead((await owner.get(`/b/${id}`)).text);
    };
    expect(await todayOf('hevra_baam')).toMatch(
      /another threshold of allocation numbers, before VAT: .*3,000.*table of law of the system: .*5,000.*lower of the two/,
    );
    expect(await todayOf('osek_patur')).not.toContain('another threshold');
    net = 5_000;
    expect(await todayOf('hevra_baam')).not.toContain('another threshold');
    end();
  });

  it('Today counts every document whose number was refused, and states when there are more than it reads', async () => {
    const refusedOf = (count: number): Allocation[] =>
      Array.from({ length: count }, (_, n) => ({
        ...{ document_id: randomUUID(), state: 'refused', number: null, reason: 'Not valid.', attempts: 1 },
        ...{ refusal_codes: ['460'], first_attempt_at: null, next_attempt_at: null },
        decided_at: new Date(Date.UTC(2026, 5, 1) - n).toISOString(),
      }));
    refused = refusedOf(250);
    expect(await read('')).toContain('The tax authority refused an allocation number: 250 documents');
    const { text } = await browser.get(at);
    for (const { document_id } of [refused[0], refused[249]].filter((row) => row !== undefined)) {
      expect(text).toContain(`href="${at}/documents/${document_id}"`);
    }
    expect(text).not.toContain('there are more than');
    refused = refusedOf(501);
    const more = await browser.get(at);
    expect(asRead(more.text)).toContain('Documents without an allocation number: there are more than 500');
    expect(more.text).toContain(`href="${at}/documents?number=missing"`);
  });

  it('Today counts the donations that were not reported for want of a connection, and leads to them', async () => {
    unreported = { documents: 3, amount: 540 };
    const text = await read('');
    expect(text).toMatch(/3 donation receipts were not reported, since .* not connected/);
    expect(text).toMatch(
      /They come to ₪540.00 ?\. The donors get no credit. Once the institution is connected/,
    );
    const id = invoice.business_id;
    console.businesses.set(id, {
      ...(console.businesses.get(id) as Business),
      ...{ legal_type: 'amuta', tax_authority_connected: true },
    });
    expect(await read('')).toContain('Each is reported from its page. To the receipts');
    await browser.get(`${at}/documents?note=donation_unreported`);
    expect(lists.at(-1)).toMatchObject({ unreported_donation: true, include_cancelled: true });
    expect(lists.at(-1)).not.toHaveProperty('note');
  });

  it('Today counts the invoices without the number of their buyer, and leads to them', async () => {
    withoutBuyerId = { documents: 2, from: '2026-03-15' };
    const { text } = await browser.get(at);
    const address = `${at}/documents?note=buyer_id_missing&from=2026-03-15`;
    expect(text).toContain(`href="${address.replace('&', '&amp;')}"`);
    expect(await read('')).toContain('2 invoices above ₪5,000 have no number of their buyer');
    withoutBuyerId = { documents: 1_000, from: '2026-03-15', at_least: true };
    expect(await read('')).toContain('At least 1000 invoices above ₪5,000 have no number of their buyer');
    await browser.get(address);
    expect(lists.at(-1)).toMatchObject({
      without_buyer_id: true,
      from: '2026-03-15',
      include_cancelled: true,
    });
    expect(lists.at(-1)).not.toHaveProperty('note');
  });

  it('invoices above the threshold of a business that is not connected are counted with what they cost the buyers', async () => {
    notes = [{ note: 'number_missing', documents: 2, amount: 6_750 }];
    const { text } = await browser.get(at);
    expect(text).toContain(`href="${at}/documents?note=number_missing"`);
    expect(text).toContain(`href="${at}/authority"`);
    expect(await read('')).toMatch(/2 invoices above the threshold .* cannot deduct VAT of ₪6,750.00/);
    notes = [{ note: 'number_missing', documents: 1_000, amount: 6_750, at_least: true }];
    expect(await read('')).toMatch(/At least 1000 invoices above .* deduct VAT of at least ₪6,750.00/);
    state = { ...state, undeductible_vat: 1_080 };
    const page = await browser.get(`${at}/documents/${invoice.id}`);
    expect(page.text).toContain(`href="${at}/authority"`);
    expect(await read(`/documents/${invoice.id}`)).toContain('Its buyer cannot deduct VAT of ₪1,080.00');
    // Once it is connected, Today has nothing to say of it; the page of the document does.
    const id = invoice.business_id;
    console.addBusiness({ id, tax_authority_connected: true });
    expect(await read('')).not.toContain('above the threshold');
    expect((await browser.get(`${at}/documents/${id}`)).text).not.toContain(
      `class="button" href="${at}/authority"`,
    );
    expect(await read(`/documents/${invoice.id}`)).toContain('Its buyer cannot deduct VAT of ₪1,080.00');
  });
});

describe('a credit note in the console', () => {
  let browser: TestBrowser;
  let source: IssuedDocument;
  let address: string;
  let credited: number;
  let fail: ApiError | null;
  /** What issuing knows of the credit note in addition to its totals. */
  let known: Partial<ReplyOf<typeof previewDocument>>;
  /** What issuing was asked for, and what it has issued, by key. */
  const asked: Issue[] = [];
  const issued = new Map<string, { body: string; reply: ReplyOf<typeof issueDocument> }>();

  beforeAll(async () => {
    console.network.answer(getDocument, ({ document_id, detailed }) => {
      if (document_id !== source.id) {
        throw new ApiError('not_found');
      }
      return {
        document: source,
        state: {
          status: 'open' as const,
          paid: 0,
          ...(detailed && { credited }),
          allocation_number: null,
          cancelled_at: null,
        },
      };
    });
    console.network.answer(previewDocument, (request) => previewOf(request, known));
    console.network.answer(issueDocument, (request) => {
      asked.push(request);
      const body = JSON.stringify(request.body);
      const known = issued.get(request.idempotency_key);
      if (known && known.body !== body) {
        throw new ApiError('idempotency_key_reused');
      }
      const reply: ReplyOf<typeof issueDocument> = known?.reply ?? {
        document: exampleDocument({ type: 'credit_note' }),
        state: { status: 'open', paid: 0, allocation_number: null, cancelled_at: null },
        allocation: { status: 'not_required', number: null, reason: 'below the threshold' },
        delivery: { status: 'disabled', channel: null, scheduled_for: null },
        replayed: false,
      };
      issued.set(request.idempotency_key, { body, reply });
      if (fail) {
        throw fail;
      }
      return reply;
    });
  });
  beforeEach(async () => {
    const business = console.addBusiness();
    browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    source = exampleDocument({ business_id: business.id });
    address = `/b/${business.id}/documents/${source.id}/credit`;
    credited = 0;
    fail = null;
    known = {};
    asked.length = 0;
    issued.clear();
  });

  /** The hidden fields of the page that asks for a confirmation. */
  async function preview(fields: Record<string, string>): Promise<Record<string, string>> {
    const { status, text } = await browser.post(address, { step: 'preview', ...fields });
    expect(status).toBe(200);
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    const found = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
    expect(found.step).toBe('issue');
    return found;
  }
  const whole = { extent: 'whole' };
  const part = { extent: 'part', amount: '100', description: 'Return' };

  it('a confirmation that is sent twice leads to one credit note, both times', async () => {
    const form = await preview(part);
    const replies = await Promise.all([browser.post(address, form), browser.post(address, form)]);
    expect(replies.map(({ status }) => status)).toEqual([303, 303]);
    expect(replies[0]?.location).toBe(replies[1]?.location);
    expect(issued.size).toBe(1);
  });

  it.each([
    ['whole', whole],
    ['part', part],
  ])('a credit note that comes between preview and confirmation stops it: %s', async (_name, fields) => {
    const form = await preview(fields);
    credited = 50;
    const reply = await browser.post(address, form);
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('credited since the preview');
    expect(asked).toEqual([]);
  });

  it('the whole cannot be credited where a part is, whatever the form says', async () => {
    credited = 50;
    const { status } = await browser.post(address, { ...whole, step: 'issue', credited: '5000' });
    expect(status).toBe(422);
    expect(asked).toEqual([]);
  });

  it.each([
    ['1,5', 422],
    ['12,50', 422],
    ['1,100.00', 200],
  ])('a comma in an amount separates thousands only: %s', async (amount, status) => {
    source = { ...source, totals: { ...source.totals, total: 5_000 } };
    const fields = { step: 'preview', extent: 'part', amount, description: 'part' };
    expect((await browser.post(address, fields)).status).toBe(status);
  });

  it('two previews of the same state issue one credit note', async () => {
    const [one, other] = [await preview(part), await preview({ ...part, amount: '200' })];
    expect((await browser.post(address, one)).status).toBe(303);
    const reply = await browser.post(address, other);
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('credited since the preview');
    expect(issued.size).toBe(1);
  });

  it('a confirmation whose reply was lost is repeated with the same key', async () => {
    const form = await preview(part);
    fail = new ApiError('engine_error');
    const lost = await browser.post(address, form);
    expect(lost.status).toBe(422);
    fail = null;
    const again = await preview(part);
    expect((await browser.post(address, again)).status).toBe(303);
    expect(issued.size).toBe(1);
  });

  it('the first number of the business is that of its live book, and a test book begins with 1', async () => {
    const [, id = ''] = /^\/b\/([^/]+)/.exec(address) ?? [];
    const business = console.addBusiness({ id, first_numbers: { credit_note: 500 } });
    for (const [book, number] of [
      [business, 500],
      [testBook(business), 1],
    ] as const) {
      address = `/${isTestBook(book.id) ? 't' : 'b'}/${id}/documents/${source.id}/credit`;
      const { text } = await browser.post(address, { step: 'preview', ...whole });
      expect(text).toContain(`<bdi dir="ltr">${number}</bdi>`);
      await browser.post(address, await preview(whole));
      expect(asked.pop()?.business).toEqual(book);
    }
  });

  it('a confirmation waits for one with its key that is in progress, and leads to its document', async () => {
    const form = await preview(part);
    fail = new ApiError('request_in_progress');
    const waiting = browser.post(address, form);
    await eventually('issuing was called again', () => asked.length > 2);
    fail = null;
    expect(await waiting).toMatchObject({ status: 303 });
    expect(issued.size).toBe(1);
    expect(asked[0]?.issuer.kind).toBe('person');
  });

  it('the page shows what a person should know before the credit note is issued', async () => {
    known = { warnings: ['date_in_past'], allocation: { status: 'required' } };
    const { text } = await browser.post(address, { step: 'preview', ...part });
    expect(text).toContain('The date of the document is in the past.');
    expect(text).toContain('An allocation number will be requested');
  });

  it('a complete credit has the lines of its source, is refused at another total, and has a key of what was credited', async () => {
    await browser.post(address, await preview(whole));
    const [{ description, quantity, unit_price } = {}] = source.items;
    expect(asked[0]).toMatchObject({
      idempotency_key: `console-credit-${source.id}-0`,
      body: {
        ...{ based_on: source.id, expected_total: source.totals.total },
        items: [{ description, quantity, unit_price }],
      },
    });
  });

  it('contact details are those of the card of the customer, not of the source', async () => {
    const form = await preview(part);
    await browser.post(address, form);
    const { id, tax_id, legal_type } = source.customer;
    expect(asked[0]?.body.customer).toEqual({ id, tax_id, legal_type });
  });
});

describe('downloads of the console', () => {
  let browser: TestBrowser;
  let path: string;
  let cookie: string;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    const { id: business_id } = console.addBusiness();
    const person = await console.addPerson({ [business_id]: 'bookkeeper' });
    browser = await console.signedIn(person);
    const id = randomUUID();
    path = `/b/${business_id}/exports/${id}/file`;
    cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { db } = console.database;
    await db
      .insertInto('export_job')
      .values({
        ...{ business_id, id, person_id: person.id, format: 'jsonl', state: 'done' },
        ...{ first_date: '2026-01-01', last_date: '2026-12-31', requested_at: console.clock.now },
        ...{ file_name: 'book.jsonl', media_type: 'application/x-ndjson', size_bytes: chunks * chunk.length },
        expires_at: new Date('2027-01-01T00:00:00Z'),
      })
      .execute();
    for (let position = 0; position < chunks; position += 1) {
      await db
        .insertInto('export_chunk')
        .values({ business_id, export_id: id, position, bytes: chunk })
        .execute();
    }
  });
  afterAll(() => {
    for (const socket of sockets) {
      socket.destroy();
    }
  });

  const sent = (method: string) =>
    fetch(`${console.origin}${path}`, { method, headers: { cookie }, signal: AbortSignal.timeout(20_000) });

  it('a file arrives whole', async () => {
    const reply = await sent('GET');
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="book.jsonl"');
    expect((await reply.arrayBuffer()).byteLength).toBe(chunks * chunk.length);
  });

  it('the head of a file is answered without its bytes', async () => {
    const reply = await sent('HEAD');
    expect([reply.status, await reply.text()]).toEqual([200, '']);
  });

  it('files that a person does not read keep no page waiting, and no one else from theirs', async () => {
    const { port } = new URL(console.origin);
    const begin = async () => {
      const socket = connect(Number(port), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`);
      await once(socket, 'readable');
      return String(socket.read(12));
    };
    let first = await begin();
    while (first === 'HTTP/1.1 200' && sockets.length < 300) {
      first = await begin();
    }
    expect([first, sockets.length]).toEqual(['HTTP/1.1 503', 5]);
    expect((await browser.get('/account')).status).toBe(200);
    const [, , businessId = ''] = path.split('/');
    const other = await console.signedIn(await console.addPerson({ [businessId]: 'bookkeeper' }));
    const cookies = [...other.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(`${console.origin}${path}`, { headers: { cookie: cookies } });
    expect([reply.status, (await reply.arrayBuffer()).byteLength]).toEqual([200, chunks * chunk.length]);
  });
});

// Last: it stops the console.
describe('the shutdown of the console', () => {
  it('a console listens for its shutdown delay, and closes each connection with its reply', async () => {
    const style = /href="(\/assets\/[^"]+\.css)"/.exec(
      await (await fetch(`${console.origin}/sign-in`)).text(),
    )?.[1];
    const requests = [
      ['/sign-in', {}],
      [style ?? '', {}],
      ['/nowhere', {}],
      ['/%zz', {}],
      ['/sign-in', { method: 'POST', body: new URLSearchParams({ email: 'somebody@example.com' }) }],
    ] as const;
    const statuses = [200, 200, 404, 404, 403];
    const replies = async () => {
      const all = [];
      for (const [path, init] of requests) {
        const reply = await fetch(`${console.origin}${path}`, init);
        await reply.text();
        all.push([reply.status, reply.headers.get('connection')]);
      }
      return all;
    };
    expect(await replies()).toEqual(statuses.map((status) => [status, 'keep-alive']));
    const stopped = console.service.stop();
    // Over the open connection, and over new ones.
    expect(await replies()).toEqual(statuses.map((status) => [status, 'close']));
    await stopped;
    await expect(fetch(console.origin)).rejects.toThrow();
  });
});
