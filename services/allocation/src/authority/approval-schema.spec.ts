import { expect, it } from '@jest/globals';
import type { Business, IssuedDocument } from '@pinkas/contracts';
import {
  allocationPolicyOn,
  computeTotals,
  customerLegalTypes,
  type DocumentType,
  hasValidCheckDigit,
  normaliseTaxId,
  TotalsError,
  toShekels,
} from '@pinkas/domain';
import { faultsOf } from '@pinkas/simulators/authority-schemas';
import fc from 'fast-check';
import type { Person } from './approval-request.js';
import { approvalRequest } from './approval-request.js';

/** Every type that a number is asked for. */
const types = Object.entries(allocationPolicyOn('2026-06-15')?.codes ?? {}) as [DocumentType, number][];

/** Latin, Hebrew with points, families of emoji and marks without end, up to a length in characters as readers see them. */
const words = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength }),
    fc
      .array(
        fc.constantFrom(...'אבגדהוזחט"\'׳', 'שׁ', '👩‍👩‍👧‍👦', '🇮🇱', 'e\u0301', ' ', '\n', '\u200f', 'é'),
        {
          minLength: 1,
          maxLength,
        },
      )
      .map((parts) => parts.join('')),
    fc.constant(`a${'\u0301'.repeat(maxLength)}`),
  );
const taxId = fc.integer({ min: 1, max: 99_999_999 }).map((number) => {
  const body = String(number).padStart(8, '0');
  const last = [...'0123456789'].find((digit) => hasValidCheckDigit(`${body}${digit}`));
  return `${body}${last}`.replace(/^0+/, '');
});
const decimal = (max: number, places: number) =>
  fc.integer({ min: 1, max: max * 10 ** places }).map((units) => units / 10 ** places);
const item = fc.record({
  description: words(200),
  quantity: fc.oneof(decimal(10, 4), decimal(10_000, 4)),
  unit_price: fc.oneof(fc.constant(0), decimal(100, 2), decimal(10_000_000, 2)),
  sku: fc.option(words(64)),
});
const discount = fc.option(
  fc.record({ type: fc.constantFrom('percent', 'amount'), value: fc.oneof(decimal(100, 2), decimal(9, 2)) }),
);
const person: fc.Arbitrary<Person> = fc.oneof(
  words(25)
    .map((text) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 25))
    .filter((text) => /[^\s0]/.test(text))
    .map((user_name) => ({ user_name })),
  taxId.map((id) => ({ user_id: Number(normaliseTaxId(id)) })),
);

it('every request for a number that documents lead to follows the published schema, without another member', () => {
  fc.assert(
    fc.property(
      fc.record({
        type: fc.constantFrom(...types),
        customer: fc.record({
          name: words(200),
          tax_id: taxId,
          legal_type: fc.constantFrom(...customerLegalTypes, null),
        }),
        items: fc.array(item, { minLength: 1, maxLength: 20 }),
        discount,
        person,
        seller: taxId,
        prices_include_vat: fc.boolean(),
        vatRate: fc.constantFrom(18, 17, 16.5),
        number: fc.integer({ min: 1, max: 999_999_999 }),
        at: fc.date({ min: new Date('2024-05-05'), max: new Date('2030-01-01'), noInvalidDate: true }),
        accountingSoftwareNumber: fc.integer({ min: 1, max: 999_999_999 }),
      }),
      (drawn) => {
        const request = requestOf(drawn);
        fc.pre(request !== null);
        expect(faultsOf('invoice', JSON.parse(JSON.stringify(request)))).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
  // The schema is the exact one: it finds a member that is unknown, and one that is too long.
  expect(faultsOf('invoice', { unknown: 1 }).map(({ param }) => param)).toEqual(
    expect.arrayContaining(['unknown', 'invoice_id', 'customer_vat_number']),
  );
});

interface Drawn {
  type: [DocumentType, number];
  customer: { name: string; tax_id: string; legal_type: string | null };
  items: { description: string; quantity: number; unit_price: number; sku: string | null }[];
  discount: { type: string; value: number } | null;
  person: Person;
  seller: string;
  prices_include_vat: boolean;
  vatRate: number;
  number: number;
  at: Date;
  accountingSoftwareNumber: number;
}

/** Null where issuing refuses the amounts. */
function requestOf(drawn: Drawn) {
  const { items, prices_include_vat: pricesIncludeVat, vatRate } = drawn;
  const totals = totalsOf({
    vatRate,
    pricesIncludeVat,
    items: items.map(({ quantity, unit_price: unitPrice }) => ({ quantity, unitPrice })),
    discount: drawn.discount as Parameters<typeof computeTotals>[0]['discount'],
  });
  if (totals === null) {
    return null;
  }
  const [type, invoiceType] = drawn.type;
  const document = {
    id: '0d6a8f7e-8c3e-4b3d-9a54-5f3f2f0f0a01',
    type,
    number: drawn.number,
    date: drawn.at.toISOString().slice(0, 10),
    issued_at: drawn.at.toISOString(),
    prices_include_vat: pricesIncludeVat,
    customer: drawn.customer,
    items: items.map((line, index) => ({ ...line, line_total: toShekels(totals.lineTotals[index] ?? 0n) })),
    totals: {
      subtotal: toShekels(totals.subtotal),
      discount: toShekels(totals.discount),
      vat: toShekels(totals.vat),
      total: toShekels(totals.total),
      vat_rate: vatRate,
    },
  } as unknown as IssuedDocument;
  const { accountingSoftwareNumber, person: issuer, seller } = drawn;
  const business = { tax_id: seller } as Business;
  return approvalRequest(document, business, { invoiceType, accountingSoftwareNumber, person: issuer });
}

function totalsOf(priced: Parameters<typeof computeTotals>[0]): ReturnType<typeof computeTotals> | null {
  try {
    return computeTotals(priced);
  } catch (error) {
    if (error instanceof TotalsError) {
      return null;
    }
    throw error;
  }
}
