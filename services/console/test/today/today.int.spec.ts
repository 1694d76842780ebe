import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Allocation,
  type Business,
  type DocumentState,
  getDocument,
  type IssuedDocument,
  listDeliveryFailures,
  listDeliveryStates,
  listDocuments,
  listSuppressions,
  listTopCustomers,
  listUnresolvedAllocations,
  listUnresolvedDonations,
  type ReplyOf,
  type RequestOf,
  reportPeriod,
  reviewDocuments,
  showAllocationThreshold,
  showSigningCertificate,
  sumDocuments,
  summarizeDebts,
  summarizeMonths,
} from '@pinkas/contracts';
import { type DocumentType } from '@pinkas/domain';
import type { VatDetailSummary } from '@pinkas/exports';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';

let console: ConsoleUnderTest;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console.stop());

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
    ['paid beyond its total', { paid: 7_090 }, 'Overpaid', '-₪10.00', 'In credit', 'Overpaid by ₪10.00'],
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
      // The test book is asked for any document, for the first steps.
      const asked = lists.splice(0).filter(({ business_id }) => business_id === invoice.business_id);
      expect(asked.map(({ settlement }) => settlement)).toEqual([true, true, true]);
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
        // On Today the next of the first steps is the primary act of an owner.
        const kind = role === 'owner' && path === `/b/${id}` ? 'secondary' : 'primary';
        expect(text.includes(`class="button ${kind}" href="${book}/issue"`)).toBe(leads);
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
