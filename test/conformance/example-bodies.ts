import type { CreateDocument } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';

/** The types that may be issued one after the other with neither source nor payments; each has numbers of its own. */
export const plainTypes = ['quote', 'order', 'delivery_note', 'return_note', 'proforma'] as const;

/** One of the plain types, by turns: documents of one series are issued one after the other, of several side by side. */
export function plainType(index: number): (typeof plainTypes)[number] {
  return plainTypes[index % plainTypes.length] ?? 'quote';
}

/** The types that must say how they were paid (interface 2.1). */
export const typesWithPayments: readonly DocumentType[] = [
  'tax_invoice_receipt',
  'receipt',
  'donation_receipt',
];

/** A quote of 100 net. */
export function quote(change: Partial<CreateDocument> = {}): CreateDocument {
  return {
    type: 'quote',
    customer: { name: 'לקוח לדוגמה' },
    items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }],
    ...change,
  };
}

/**
 * A valid document of a type: 100 gross, and paid where the type needs payments. A credit note needs `based_on` in
 * `change`.
 */
export function documentOf(type: DocumentType, change: Partial<CreateDocument> = {}): CreateDocument {
  return {
    ...quote({ type, prices_include_vat: true }),
    ...(typesWithPayments.includes(type) ? { payments: [{ method: 'cash', amount: 100 }] } : {}),
    ...change,
  };
}

let names = 0;
/** A name that no customer has yet. */
export function newName(): string {
  names += 1;
  return `לקוח לדוגמה ${names}`;
}

let taxIds = 100_000;
/** A tax id of nine digits, with its check digit, that no customer has yet. */
export function newTaxId(): string {
  taxIds += 1;
  return withCheckDigit(String(30_000_000 + taxIds));
}

/** Adds the check digit to the leading eight digits (or fewer): weights 1 and 2 by turns, digits of products added. */
export function withCheckDigit(leading: string): string {
  const digits = [...leading.padStart(8, '0')].map(Number);
  const sum = digits.reduce((total, digit, index) => {
    const product = digit * (index % 2 === 0 ? 1 : 2);
    return total + (product > 9 ? product - 9 : product);
  }, 0);
  return `${leading}${(10 - (sum % 10)) % 10}`;
}
