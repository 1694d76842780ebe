import type { BookEntry, Business, CreateDocument, IssuedDocument, NewDocument } from '@pinkas/contracts';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import { exampleDocument } from '@pinkas/testkit';
import fc from 'fast-check';
import { type BookedDocument, BookModel, type Issuable, laterDay, typeRules } from './book-model.js';
import { drawnRequest, fitted, requestOfEveryType } from './create-requests.js';
import { shekelsOf } from './expected-totals.js';
import { isRefusal } from './refusal.js';

/** Of one life of the model, whose time grows with the square of its documents. */
const requestsOfALife = 50;
/** One document in so many is cancelled at the end of its life, where the rules let it be. */
const cancelledOf = 7;
/** So long ago that a large book ends before today. */
const firstDay = '2000-01-01';

/** What one life left: the documents, in the order of their issue. */
interface Life {
  readonly entries: BookEntry[];
  readonly firstNumbers: Partial<Record<DocumentType, number>>;
}

/**
 * A book that no system has issued: drawn requests that the model accepts, with the numbers, totals, customers and states that it
 * gives them. Lives of the model follow each other on different days, each with the numbers after those of the one before.
 * @returns the entries in the order of the book.
 */
export function drawnBook(business: Business, requests: number, seed: number): BookEntry[] {
  const entries: BookEntry[] = [];
  let firstNumbers: Life['firstNumbers'] = {};
  for (let drawn = 0; drawn < requests; drawn += requestsOfALife) {
    const life = liveOnce(business, firstNumbers, laterDay(firstDay, drawn / requestsOfALife), seed + drawn);
    entries.push(...life.entries);
    firstNumbers = life.firstNumbers;
  }
  const place = (type: DocumentType) => sortedTypes.indexOf(type);
  return entries.sort(
    (a, b) => place(a.document.type) - place(b.document.type) || a.document.number - b.document.number,
  );
}

const sortedTypes = [...documentTypes].sort();

function liveOnce(business: Business, firstNumbers: Life['firstNumbers'], today: string, seed: number): Life {
  const model = new BookModel({ ...business, first_numbers: firstNumbers }, Number.POSITIVE_INFINITY);
  const issued: { issuable: Issuable; document: IssuedDocument; booked: BookedDocument }[] = [];
  const next = { ...firstNumbers };
  const drawn = fc.sample(drawnRequest, { seed, numRuns: requestsOfALife });
  const bodies = [
    ...requestOfEveryType(model),
    ...drawn.map((item) => () => likely(fitted({ ...item, fits: true, missing: 0 }, model, today), model)),
  ];
  for (const bodyOf of bodies) {
    const body = bodyOf();
    const issuable = model.issue(body, today);
    if (isRefusal(issuable)) {
      continue;
    }
    const minute = String(issued.length).padStart(2, '0');
    const document = documentOf(business, issuable, `${today}T08:${minute}:00.000Z`);
    next[body.type] = document.number + 1;
    // Of its answer the model reads these alone.
    const created = { ...document, created_at: document.issued_at } as unknown as NewDocument;
    issued.push({ issuable, document, booked: model.record(issuable, document.id, created) });
  }
  for (const { document } of issued.filter((_, index) => index % cancelledOf === 0)) {
    if (model.cancel(document.id) === undefined) {
      model.recordCancel(document.id, `${today}T12:00:00.000Z`);
    }
  }
  return {
    entries: issued.map(({ document, booked }) => entryOf(document, booked)),
    firstNumbers: next,
  };
}

/** A request that is refused by few rules: what it refers to exists, or is left out. */
function likely({ date: _date, ...request }: CreateDocument, model: BookModel): CreateDocument {
  // A date before those of earlier lives would fall along the numbers.
  const body: CreateDocument = request;
  if (body.based_on !== undefined && !model.find(body.based_on)) {
    delete body.based_on;
  }
  const { id, ...customer } = body.customer;
  const isKnown = id !== undefined && model.cards.ids.includes(id);
  return { ...body, customer: isKnown ? body.customer : { name: 'לקוח לדוגמה', ...customer } };
}

function documentOf(business: Business, issuable: Issuable, issued_at: string): IssuedDocument {
  const { body, number, date, due_date, customer, totals, source } = issuable;
  const example = exampleDocument();
  return {
    ...example,
    business_id: business.id,
    type: body.type,
    number,
    date,
    due_date,
    issued_at,
    customer: {
      id: customer.id ?? example.customer.id,
      name: customer.name,
      tax_id: customer.tax_id,
      legal_type: body.customer.legal_type ?? null,
      email: body.customer.email ?? null,
      phone: body.customer.phone ?? null,
      address: body.customer.address ?? null,
      city: body.customer.city ?? null,
    },
    items: body.items.map((item, index) => ({
      description: item.description,
      quantity: item.quantity,
      unit_price: item.unit_price,
      line_total: shekelsOf(totals.lines[index] ?? 0n),
      sku: item.sku ?? null,
    })),
    prices_include_vat: body.prices_include_vat ?? business.prices_include_vat,
    discount: body.discount ?? null,
    payments: (body.payments ?? []).map((payment) => paymentOf(payment, date)),
    totals: {
      subtotal: shekelsOf(totals.subtotal),
      discount: shekelsOf(totals.discount),
      vat: shekelsOf(totals.vat),
      vat_rate: business.vat_rate,
      total: shekelsOf(totals.total),
      currency: 'ILS',
    },
    based_on: source
      ? {
          id: source.created.id,
          type: source.body.type,
          number: source.created.number,
          date: source.created.date,
        }
      : null,
    title: body.title ?? null,
    notes: body.notes ?? null,
  };
}

type PaymentInput = NonNullable<CreateDocument['payments']>[number];

const paymentOf = (payment: PaymentInput, date: string): IssuedDocument['payments'][number] => ({
  method: payment.method,
  amount: payment.amount,
  date: payment.date ?? date,
  reference: payment.reference ?? null,
  check_number: payment.check_number ?? null,
  check_date: payment.check_date ?? null,
  bank_code: payment.bank_code ?? null,
  branch: payment.branch ?? null,
  account: payment.account ?? null,
  card_last_digits: payment.card_last_digits ?? null,
  card_type: payment.card_type ?? null,
});

const entryOf = (document: IssuedDocument, booked: BookedDocument): BookEntry => ({
  document,
  state: {
    status: booked.status,
    paid: shekelsOf(booked.paid),
    allocation_number: null,
    cancelled_at: booked.cancelledAt,
  },
  allocation: null,
  delivery: { status: 'disabled', channel: null, scheduled_for: null },
  artifact_sha256: 'ab'.repeat(32),
  hash: 'cd'.repeat(32),
  series_position: 1,
  source: document.based_on,
  received: typeRules[document.type].payments ? 0 : shekelsOf(booked.paid),
  invoiced: booked.invoiced,
  credited: booked.credited === 0n ? null : shekelsOf(booked.credited),
});
