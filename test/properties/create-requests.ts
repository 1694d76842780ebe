import { CreateDocument, type PaymentInput } from '@pinkas/contracts';
import fc from 'fast-check';
import { arbitraryOf, text } from './arbitrary-of.js';
import { type BookModel, hasRightCheckDigit, laterDay, typeRules, types } from './book-model.js';
import { agorotOf, shekelsOf } from './expected-totals.js';
import { extrasOf } from './request-faults.js';

/** A body that the schema accepts, before it is made to fit the book, and how well it is to fit. */
export interface Drawn {
  body: CreateDocument;
  /** Days from today, for a body that has a date. */
  days: number;
  /** Whether payments and discount are where the type has them; else they are where they were drawn. */
  fits: boolean;
  /** Which document of the book it is based on; null for none that exists. */
  source: number | null;
  /** Which card of the book it names, where it names one by id; null for none that exists. */
  card: number | null;
  /** By how many agorot the payments and the expected total miss the total. */
  missing: number;
}

/** A text that is more than white space. */
const said = (min: number, max: number): fc.Arbitrary<string> =>
  text(min, max).filter((item) => Array.from(item.trim()).length >= min);

/** A multiple of 1/10,000, small ones and the ends more often. */
const quantity = fc
  .oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 9 }).map((whole) => whole * 10_000) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 99_999 }) },
    { weight: 1, arbitrary: fc.constantFrom(1, 10_000_000_000, 9_999_999_999) },
  )
  .map((parts) => parts / 10_000);

/** An amount from `min` agorot, in shekels. */
const amount = (min: number) =>
  fc
    .oneof(
      { weight: 8, arbitrary: fc.integer({ min, max: 1_000_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(min, 10_000_000_000, 9_999_999_999) },
    )
    .map((agorot) => agorot / 100);

const taxId = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.integer({ min: 1_000, max: 99_999_999 }).map((start) => {
      const digits = Array.from({ length: 10 }, (_, last) => `${start}${last}`);
      return digits.find(hasRightCheckDigit) ?? '';
    }),
  },
  { weight: 1, arbitrary: fc.stringMatching(/^[0-9]{5,9}$/) },
);

/** A payment with some of the extra fields of its method. */
const payment = arbitraryOf(CreateDocument.properties.payments.items, {
  '/amount': amount(1),
  // A date of its own is checked by no rule beside its form.
}).map(
  (item): PaymentInput =>
    Object.fromEntries(
      Object.entries(item).filter(
        ([name]) => ['method', 'amount', 'date'].includes(name) || extrasOf(item.method).includes(name),
      ),
    ) as PaymentInput,
);

const body = arbitraryOf(CreateDocument, {
  '/items/*/quantity': quantity,
  '/items/*/unit_price': amount(0),
  '/items/*/description': said(1, 200),
  '/customer/name': said(2, 120),
  '/customer/tax_id': taxId,
  '/expected_total': amount(0),
  '/payments/*': payment,
  '/discount/value': fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 100 }) },
    { weight: 2, arbitrary: amount(1) },
    { weight: 1, arbitrary: fc.double({ min: 0, minExcluded: true, max: 100_000_000, noNaN: true }) },
  ),
});

/** Requests for documents of every type. */
export const drawnRequest: fc.Arbitrary<Drawn> = fc.record({
  body,
  days: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -400, max: 2 }) },
  ),
  fits: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  source: fc.option(fc.nat(1_000), { freq: 8 }),
  card: fc.option(fc.nat(1_000), { freq: 8 }),
  missing: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: -1, max: 1 }) }, fc.constantFrom(-2, 2, 118)),
});

/** Makes a drawn body one that may well be issued: a valid request, which rules of the book may still refuse. */
export function fitted(drawn: Drawn, book: BookModel, today: string): CreateDocument {
  const { due_date: _due, ...fitting } = structuredClone(drawn.body);
  const request: CreateDocument = fitting;
  const rules = typeRules[request.type];
  if (request.date !== undefined) {
    request.date = laterDay(today, drawn.days);
  }
  if (drawn.body.due_date !== undefined && (request.type === 'tax_invoice' || request.type === 'proforma')) {
    const [, later = ''] = [request.date ?? today, drawn.body.due_date].sort();
    request.due_date = later;
  }
  if (drawn.card !== null && request.customer.id !== undefined && book.cards.ids.length > 0) {
    request.customer.id = book.cards.ids[drawn.card % book.cards.ids.length] ?? '';
  }
  if (drawn.fits) {
    if (!rules.discount) {
      delete request.discount;
    }
    if (!rules.payments) {
      delete request.payments;
    } else {
      request.payments ??= [{ method: 'cash', amount: 1 }];
    }
    if (rules.sources.length === 0) {
      delete request.based_on;
    } else if (rules.sourceRequired) {
      request.based_on ??= '00000000-0000-4000-8000-000000000000';
    }
  }
  if (drawn.source !== null && request.based_on !== undefined) {
    const sources = book.documents.filter(
      (document) =>
        document.status !== 'cancelled' && (!drawn.fits || rules.sources.includes(document.body.type)),
    );
    const source = sources[drawn.source % Math.max(1, sources.length)];
    if (source) {
      request.based_on = source.created.id;
    }
  }
  return balanced(request, book, drawn.missing);
}

/** With payments and an expected total that miss the total by so many agorot, where they can. */
function balanced(request: CreateDocument, book: BookModel, missing: number): CreateDocument {
  const totals = book.totals(request);
  if ('fault' in totals) {
    return request;
  }
  const wanted = totals.total + BigInt(missing);
  const inRange = (agorot: bigint) => agorot >= 0n && agorot <= agorotOf(100_000_000);
  if (request.expected_total !== undefined) {
    if (inRange(wanted)) {
      request.expected_total = shekelsOf(wanted);
    } else {
      delete request.expected_total;
    }
  }
  const { payments } = request;
  if (!payments || wanted <= 0n) {
    return request;
  }
  const count = wanted < BigInt(payments.length) ? Number(wanted) : payments.length;
  const share = wanted / BigInt(count);
  const first = wanted - share * BigInt(count - 1);
  if (!inRange(first)) {
    return request;
  }
  return {
    ...request,
    payments: payments
      .slice(0, count)
      .map((item, index) => ({ ...item, amount: shekelsOf(index === 0 ? first : share) })),
  };
}

/** A plain request that is issued, whatever came before. */
export const plainRequest: CreateDocument = {
  type: 'quote',
  customer: { name: 'לקוח לדוגמה' },
  items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }],
};

/** One request of every type, each of which may be the source of others. */
export function requestOfEveryType(book: BookModel): (() => CreateDocument)[] {
  return types.map((type) => () => {
    const rules = typeRules[type];
    const source = book.documents.find(
      (document) => rules.sourceRequired && rules.sources.includes(document.body.type),
    );
    return {
      ...plainRequest,
      type,
      ...(rules.payments ? { payments: [{ method: 'cash' as const, amount: 118 }] } : {}),
      ...(source ? { based_on: source.created.id } : {}),
    };
  });
}
