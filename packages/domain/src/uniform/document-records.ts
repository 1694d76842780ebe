import type { DocumentType } from '../document-types.js';
import { type Agorot, fromShekels } from '../money/agorot.js';
import { toUnits } from '../money/decimal.js';
import { netLineTotals, netUnitPrice } from '../money/net-lines.js';
import type { PaymentMethod } from '../payment-methods.js';
import { acknowledgesPayment } from '../total-rows.js';
import type { RecordCode } from './record-layouts.js';
import { uniformDocumentCode, uniformPaymentCodes } from './uniform-codes.js';
import type { FieldValues } from './write-record.js';

/** The facts of an issued document that its records have; amounts in ILS. */
export interface UniformDocument {
  readonly type: DocumentType;
  readonly number: number;
  readonly date: string;
  readonly due_date: string | null;
  readonly customer: {
    readonly id: string;
    readonly name: string;
    readonly tax_id: string | null;
    readonly phone: string | null;
    readonly address: string | null;
    readonly city: string | null;
  };
  readonly items: readonly UniformItem[];
  readonly prices_include_vat: boolean;
  readonly payments: readonly UniformPayment[];
  readonly totals: {
    readonly subtotal: number;
    readonly discount: number;
    readonly vat: number;
    readonly vat_rate: number;
    readonly total: number;
  };
  readonly based_on: { readonly type: DocumentType; readonly number: number } | null;
  /** When it was made, in Israel: YYYY-MM-DD and hhmm. */
  readonly produced: { readonly day: string; readonly time: string };
  readonly cancelled: boolean;
}

/** One line. */
export interface UniformItem {
  readonly description: string;
  readonly quantity: number;
  readonly unit_price: number;
  readonly line_total: number;
  readonly sku: string | null;
}

/** One payment. */
export interface UniformPayment {
  readonly method: PaymentMethod;
  readonly amount: number;
  readonly date: string;
  readonly check_number: string | null;
  readonly check_date: string | null;
  readonly bank_code: number | null;
  readonly branch: string | null;
  readonly account: string | null;
  readonly card_type: string | null;
}

/** The values of one record, without its number and the VAT number of the business, which every record has. */
export interface RecordValues {
  readonly code: RecordCode;
  readonly values: FieldValues;
}

/** The word of the authority for a unit that is not named. */
export const unnamedUnit = 'יחידה';

/**
 * The records of a document in their order: header, lines, payments. A receipt has no lines: what it acknowledges are its payments.
 * @param link numbers the documents of the file, and leads from the lines to their header.
 * @returns none for a type that the structure has no code for.
 */
export function documentRecords(document: UniformDocument, link: number): RecordValues[] {
  const code = uniformDocumentCode(document.type);
  if (code === null) {
    return [];
  }
  const lines = acknowledgesPayment(document.type) ? [] : lineRecords(document, code, link);
  return [headerRecord(document, code, link), ...lines, ...paymentRecords(document, code, link)];
}

function headerRecord(document: UniformDocument, code: number, link: number): RecordValues {
  const { customer, produced } = document;
  return {
    code: 'C100',
    values: {
      1203: code,
      1204: String(document.number),
      1205: produced.day,
      1206: produced.time,
      1207: customer.name,
      1208: customer.address,
      1210: customer.city,
      1214: customer.phone?.replaceAll(/[-\s]/g, '') ?? null,
      1215: customer.tax_id,
      1216: document.due_date,
      ...amountsOf(document),
      1225: customerKey(customer.id),
      1228: document.cancelled ? '1' : null,
      1230: document.date,
      1234: link,
    },
  };
}

/** A receipt states what was received and nothing else; a discount reduces, and is negative. */
function amountsOf({ type, totals }: UniformDocument): FieldValues {
  const total = fromShekels(totals.total);
  if (acknowledgesPayment(type)) {
    return { 1223: total };
  }
  const subtotal = fromShekels(totals.subtotal);
  const discount = fromShekels(totals.discount);
  return {
    1219: subtotal,
    1220: -discount,
    1221: subtotal - discount,
    1222: fromShekels(totals.vat),
    1223: total,
  };
}

/** The end of the id of the customer's card, which is longer than the field: 60 bits, all of them random. */
export function customerKey(id: string): string {
  return id.replaceAll('-', '').slice(-15);
}

function lineRecords(document: UniformDocument, code: number, link: number): RecordValues[] {
  const nets = netLineTotals(document);
  const base = document.based_on && uniformDocumentCode(document.based_on.type);
  return document.items.map((item, index) => ({
    code: 'D110',
    values: {
      1253: code,
      1254: String(document.number),
      1255: index + 1,
      ...(base !== null && document.based_on && { 1256: base, 1257: String(document.based_on.number) }),
      1259: item.sku,
      1260: item.description,
      1263: unnamedUnit,
      1264: toUnits(item.quantity, 4),
      1265: netUnitPrice(item.unit_price, document),
      1267: nets[index] ?? 0n,
      1268: toUnits(document.totals.vat_rate, 2),
      1272: document.date,
      1273: link,
    },
  }));
}

function paymentRecords(document: UniformDocument, code: number, link: number): RecordValues[] {
  return document.payments.map((payment, index) => ({
    code: 'D120',
    values: {
      1303: code,
      1304: String(document.number),
      1305: index + 1,
      1306: uniformPaymentCodes[payment.method],
      1307: payment.bank_code,
      1308: payment.branch,
      1309: payment.account,
      1310: payment.check_number,
      1311: dueDate(payment),
      1312: fromShekels(payment.amount),
      1314: payment.card_type,
      1322: document.date,
      1323: link,
    },
  }));
}

/** Of a check or a card; other payments have none. */
function dueDate({ method, date, check_date }: UniformPayment): string | null {
  if (method === 'check') {
    return check_date ?? date;
  }
  return method === 'credit_card' ? date : null;
}

/** The total of a document in the report on its type. */
export const totalOf = ({ totals }: UniformDocument): Agorot => fromShekels(totals.total);
