import { randomUUID } from 'node:crypto';
import type { CreateDocument } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import fc from 'fast-check';
import { type BookModel, laterDay, typeRules, types } from './book-model.js';
import { shekelsOf } from './expected-totals.js';
import type { RealBook } from './real-book.js';

/** One step of a book's life. */
class Step<Drawn> implements fc.AsyncCommand<BookModel, RealBook> {
  constructor(
    private readonly name: string,
    private readonly drawn: Drawn,
    private readonly does: (drawn: Drawn, book: BookModel, real: RealBook) => Promise<void>,
  ) {}

  check(): boolean {
    return true;
  }

  run(book: BookModel, real: RealBook): Promise<void> {
    return this.does(this.drawn, book, real);
  }

  toString(): string {
    return `${this.name} ${JSON.stringify(this.drawn)}`;
  }
}

function step<Drawn>(
  name: string,
  drawn: fc.Arbitrary<Drawn>,
  does: (drawn: Drawn, book: BookModel, real: RealBook) => Promise<void>,
): fc.Arbitrary<fc.AsyncCommand<BookModel, RealBook>> {
  return drawn.map((item) => new Step(name, item, does));
}

/** Names whose order and case are the same to every reader; the second and third are the first. */
const names = [
  'Example Ltd',
  'EXAMPLE  LTD',
  'example ltd',
  'Example Ltd Branch',
  '100% Example',
  'Under_score \\ Ltd',
  'לקוח לדוגמה',
  'לקוח לדוגמה ב',
  'Café Example',
  'Cafe\u0301 Example',
];
/** With right check digits, the last two written twice in two ways; and one with a wrong digit. */
const taxIds = ['777777723', '514713288', '000000018', '00018', '000012344', '12344', '777777724'];
const references = ['ref-1', 'REF-1', 'a b/ç', '100%'];

/** Chosen by counting round. */
const pick = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)];
const rarely = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
/** Said or not, in these proportions. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>, said = 1, unsaid = 1) =>
  fc.oneof({ weight: said, arbitrary }, { weight: unsaid, arbitrary: fc.constant(undefined) });

const customer = fc.record({
  who: fc.oneof(
    { weight: 8, arbitrary: fc.record({ name: fc.nat(names.length - 1) }) },
    { weight: 6, arbitrary: fc.record({ card: fc.nat(20), alsoName: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant('nobody' as const) },
  ),
  taxId: maybe(fc.constantFrom(...taxIds)),
  confirmed: maybe(fc.boolean()),
  email: maybe(fc.constantFrom('customer@example.com', 'books@example.com')),
  phone: maybe(fc.constantFrom('03-0000000', '+972 3 0000000')),
  city: maybe(fc.constantFrom('חיפה', ' ')),
  legal_type: maybe(fc.constantFrom('private' as const, 'osek_patur' as const)),
});
type DrawnCustomer = typeof customer extends fc.Arbitrary<infer T> ? T : never;

function knownCustomer(who: DrawnCustomer['who'], book: BookModel): { id?: string; name?: string } {
  if (who === 'nobody') {
    return { id: randomUUID() };
  }
  if ('name' in who) {
    return { name: names[who.name] ?? '' };
  }
  if (book.cards.ids.length === 0) {
    return { name: names[0] ?? '' };
  }
  const id = pick(book.cards.ids, who.card) ?? '';
  return who.alsoName ? { id, name: 'Another Example' } : { id };
}

function customerOf(
  { who, taxId, confirmed, ...said }: DrawnCustomer,
  book: BookModel,
): CreateDocument['customer'] {
  const known = knownCustomer(who, book);
  const given = {
    ...known,
    ...said,
    tax_id: taxId,
    identity_confirmed: confirmed,
  };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as CreateDocument['customer'];
}

const request = fc.record({
  // What settles or needs another document comes up more often, since it seldom finds one.
  type: fc.constantFrom(
    ...types,
    ...(['delivery_note', 'return_note', 'tax_invoice', 'tax_invoice', 'tax_invoice_receipt'] as const),
    ...(['credit_note', 'credit_note', 'receipt'] as const),
  ),
  /** Days from today; undefined for a body without a date. */
  days: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 8, arbitrary: fc.integer({ min: -4, max: 0 }) },
    { weight: 1, arbitrary: fc.constant(1) },
  ),
  dueDays: maybe(fc.integer({ min: 0, max: 60 })),
  customer,
  items: fc.array(
    fc.record({ halves: fc.integer({ min: 1, max: 9 }), agorot: fc.nat(30_000), sku: fc.boolean() }),
    { minLength: 1, maxLength: 3 },
  ),
  gross: maybe(fc.boolean()),
  discount: maybe(
    fc.oneof(
      fc.record({ type: fc.constant('percent' as const), value: fc.constantFrom(1, 10, 33.3, 100, 101) }),
      fc.record({ type: fc.constant('amount' as const), value: fc.constantFrom(0.01, 1, 5.005, 100) }),
    ),
  ),
  /** Payments and discount where the type has them, or only where it has not. */
  asRuled: rarely(true, false),
  /** By how many agorot payments and expected total miss the total. */
  missing: fc.oneof({ weight: 20, arbitrary: fc.integer({ min: -1, max: 1 }) }, fc.constantFrom(-2, 2, 100)),
  split: fc.boolean(),
  expects: fc.boolean(),
  source: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 6, arbitrary: fc.record({ fitting: fc.nat(50) }) },
    { weight: 1, arbitrary: fc.record({ any: fc.nat(50) }) },
    { weight: 1, arbitrary: fc.constant('nothing' as const) },
  ),
  /** Whether it has the items and prices of its source, so that it comes to the same total. */
  copies: fc.boolean(),
  reference: maybe(fc.constantFrom(...references)),
  send: maybe(fc.boolean()),
  title: maybe(fc.constant('כותרת'), 2),
  notes: maybe(fc.constant('הערה'), 2),
});
type DrawnRequest = typeof request extends fc.Arbitrary<infer T> ? T : never;

function sourceOf({ source, type }: DrawnRequest, book: BookModel): string | undefined {
  if (source === null) {
    return undefined;
  }
  if (source === 'nothing') {
    return randomUUID();
  }
  if ('any' in source) {
    return pick(book.documents, source.any)?.created.id;
  }
  const fitting = book.documents.filter((document) => typeRules[type].sources.includes(document.body.type));
  return pick(fitting, source.fitting)?.created.id;
}

/** The body that a drawn request represents, on this book. */
function bodyOf(drawn: DrawnRequest, book: BookModel, today: string): CreateDocument {
  const { type, days, dueDays, gross, asRuled, missing } = drawn;
  const rules = typeRules[type];
  const date = days === undefined ? undefined : laterDay(today, days);
  const falls = type === 'tax_invoice' || type === 'proforma';
  const body: CreateDocument = {
    type,
    customer: customerOf(drawn.customer, book),
    items: drawn.items.map(({ halves, agorot, sku }, index) => ({
      description: `פריט ${index + 1}`,
      quantity: halves / 2,
      unit_price: agorot / 100,
      ...(sku ? { sku: `sku-${index}` } : {}),
    })),
    ...(date === undefined ? {} : { date }),
    ...(falls && dueDays !== undefined ? { due_date: laterDay(date ?? today, dueDays) } : {}),
    ...(gross === undefined ? {} : { prices_include_vat: gross }),
    ...(drawn.discount && rules.discount === asRuled ? { discount: drawn.discount } : {}),
    ...(drawn.reference === undefined ? {} : { external_ref: drawn.reference }),
    ...(drawn.send === undefined ? {} : { send: drawn.send }),
    ...(drawn.title === undefined ? {} : { title: drawn.title }),
    ...(drawn.notes === undefined ? {} : { notes: drawn.notes }),
  };
  const source = sourceOf(drawn, book);
  if (source !== undefined) {
    body.based_on = source;
  }
  const original = source === undefined ? undefined : book.find(source)?.body;
  if (original && drawn.copies) {
    body.items = original.items;
    body.prices_include_vat = original.prices_include_vat ?? book.business.prices_include_vat;
    delete body.discount;
    if (original.discount && rules.discount) {
      body.discount = original.discount;
    }
  }
  const totals = book.totals(body);
  const total = 'fault' in totals ? 100n : totals.total;
  const named = total + BigInt(missing) > 0n ? total + BigInt(missing) : 1n;
  if (drawn.expects) {
    body.expected_total = shekelsOf(named);
  }
  if (rules.payments === asRuled) {
    const half = named / 2n;
    body.payments =
      drawn.split && half > 0n
        ? [
            { method: 'bank_transfer', amount: shekelsOf(half), reference: 'העברה' },
            {
              method: 'check',
              amount: shekelsOf(named - half),
              date: today,
              check_number: '17',
              bank_code: 12,
            },
          ]
        : [{ method: 'cash', amount: shekelsOf(named) }];
  }
  return body;
}

/** The same JSON value with its members the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(reversed);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, one]) => [name, reversed(one)]),
  );
}

const issue = step(
  'issue',
  fc.record({ request, retry: rarely(null, 0, 1, 2) }),
  async ({ request, retry }, book, real) => {
    const body = bodyOf(request, book, real.today);
    const key = retry === null ? undefined : pick([...book.refusedKeys], retry);
    await real.issue(book, body, key ?? randomUUID());
  },
);

const replay = step(
  'replay',
  fc.record({ of: fc.nat(50), how: fc.constantFrom('same', 'reversed', 'changed') }),
  async ({ of, how }, book, real) => {
    const document = pick(book.documents, of);
    if (!document) {
      return;
    }
    const { body } = document;
    if (how === 'changed') {
      return real.reuse(document, { ...body, notes: `${body.notes ?? ''}.` });
    }
    await real.replay(document, how === 'same' ? body : reversed(body));
  },
);

const cancel = step(
  'cancel',
  fc.record({
    of: fc.oneof({ weight: 8, arbitrary: fc.nat(50) }, fc.constant(null)),
    among: fc.constantFrom('all', 'cancellable', 'sources'),
    body: fc.oneof(
      fc.constantFrom(undefined, '{}', '{"reason":"טעות"}', '{"reason":""}'),
      rarely('{}', '{"reason":5}', '{"why":""}', '{'),
    ),
  }),
  async ({ of, among, body }, book, real) => {
    const candidates = {
      all: book.documents,
      cancellable: book.documents.filter((document) => typeRules[document.body.type].cancellable),
      sources: book.documents.flatMap((document) => book.find(document.body.based_on ?? '') ?? []),
    };
    const id = (of === null ? undefined : pick(candidates[among], of)?.created.id) ?? randomUUID();
    const invalid = body?.match(/5|why/) ? 'validation_error' : null;
    await real.cancel(book, id, body, body === '{' ? 'invalid_json' : invalid);
  },
);

const get = step('get', fc.option(fc.nat(50), { freq: 8 }), async (of, book, real) => {
  await real.get(book, (of === null ? undefined : pick(book.documents, of)?.created.id) ?? randomUUID());
});

const list = step(
  'list',
  fc.record({
    type: maybe(fc.constantFrom(...types), 1, 3),
    from: maybe(fc.integer({ min: -4, max: 1 }), 1, 3),
    to: maybe(fc.integer({ min: -4, max: 1 }), 1, 3),
    reference: maybe(fc.constantFrom(...references, 'ref'), 1, 4),
    cancelled: maybe(fc.boolean()),
    limit: fc.integer({ min: 1, max: 4 }),
    /** Documents that are issued while the list is read. */
    issuedBetween: fc.integer({ min: 0, max: 2 }),
  }),
  async ({ type, from, to, reference, cancelled, limit, issuedBetween }, book, real) => {
    const filter = {
      ...(type === undefined ? {} : { type }),
      ...(from === undefined ? {} : { from: laterDay(real.today, from) }),
      ...(to === undefined ? {} : { to: laterDay(real.today, to) }),
      ...(reference === undefined ? {} : { external_ref: reference }),
      ...(cancelled === undefined ? {} : { include_cancelled: cancelled }),
    };
    await real.list(book, filter, limit, async () => {
      for (let count = 0; count < issuedBetween; count += 1) {
        await real.issue(book, quoteOfToday, randomUUID());
      }
    });
  },
);
const quoteOfToday: CreateDocument = {
  type: 'quote' satisfies DocumentType,
  customer: { name: names[0] ?? '' },
  items: [{ description: 'פריט', quantity: 1, unit_price: 1 }],
  external_ref: references[0] ?? '',
};

const search = step(
  'search',
  fc.record({
    q: maybe(
      fc.oneof(
        fc
          .tuple(fc.constantFrom(...names), fc.nat(30), fc.nat(30))
          .map(([name, a, b]) => name.slice(Math.min(a, b) % name.length, (Math.max(a, b) % name.length) + 1))
          .filter((part) => part.trim() === part),
        fc.constantFrom(...names).map((name) => name.toUpperCase()),
        fc.constantFrom(...taxIds, '18', '0018', '77777772', '%', '_', '\\', 'Nobody', "'"),
      ),
      4,
    ),
    limit: maybe(fc.constantFrom(1, 2, 50)),
  }),
  ({ q, limit }, book, real) => real.search(book, q, limit),
);

const changeRate = step('rate', fc.constantFrom(0, 17, 17.35, 18), (rate, book, real) =>
  real.changeRate(book, rate),
);
const me = step('me', fc.constant(null), (_drawn, book, real) => real.me(book));
const documentTypes = step('document types', fc.constant(null), (_drawn, book, real) =>
  real.documentTypes(book),
);

/** Lives of a book: issuing comes up most. */
export const lives = fc.commands(
  [
    issue,
    issue,
    issue,
    issue,
    issue,
    issue,
    replay,
    cancel,
    cancel,
    get,
    list,
    list,
    search,
    search,
    changeRate,
    me,
    documentTypes,
  ],
  { maxCommands: 60, size: 'max' },
);

/** Reads everything that the book should hold. */
export async function readAll(book: BookModel, real: RealBook): Promise<void> {
  await real.list(book, { include_cancelled: true }, 100);
  for (const document of book.documents) {
    await real.get(book, document.created.id);
  }
  await real.search(book, undefined, 50);
  await real.me(book);
}
