import { type DocumentType, documentTypeRules } from '../document-types.js';
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
  /** Of a donation alone: its donor lives there, by ISO 3166-1. */
  readonly foreign_donor?: { readonly country: string } | undefined;
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
  /** Of a receipt: the tax that its customer withheld, beside its total, which was received. */
  readonly withheld?: number | undefined;
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
  /** The fields that are mandatory by the value of another one. */
  readonly needed?: readonly number[];
}

/** The word of the authority for a unit that is not named. */
const unnamedUnit = 'יחידה';

/**
 * The records of a document in their order: header, lines, payments. A receipt acknowledges its payments: its own lines are none of
 * goods or services, and it has a line where it names the document that it is based on (§5.5 note 6).
 * @param link numbers the documents of the file, and leads from the lines to their header.
 * @returns none for a type that the structure has no code for.
 */
export function documentRecords(document: UniformDocument, link: number): RecordValues[] {
  const code = uniformDocumentCode(document.type);
  if (code === null) {
    return [];
  }
  const lines = acknowledgesPayment(document.type)
    ? baseLine(document, code, link)
    : lineRecords(document, code, link);
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
      1213: document.foreign_donor?.country ?? null,
      1214: customer.phone?.replaceAll(/[-\s]/g, '') ?? null,
      1215: customer.tax_id,
      1216: valueDate(document),
      ...amountsOf(document),
      1225: customerKey(customer.id),
      1228: document.cancelled ? '1' : null,
      1230: document.date,
      1234: link,
    },
  };
}

/** A receipt has what was received three times, and what was withheld beside it (§5.5 note 4); a discount is negative (note 5). */
function amountsOf({ type, totals, withheld }: UniformDocument): FieldValues {
  const total = fromShekels(totals.total);
  if (acknowledgesPayment(type)) {
    return { 1219: total, 1221: total, 1223: total, 1224: fromShekels(withheld ?? 0) };
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

/** The day on which a receipt is paid in full (§5.5 note 12); of another document the day on which it is due. */
function valueDate({ type, due_date, payments }: UniformDocument): string | null {
  const days = payments.map(({ method, date, check_date }) => (method === 'check' && check_date) || date);
  return acknowledgesPayment(type) ? (days.sort().at(-1) ?? null) : due_date;
}

/** The end of the id of the customer's card, which is longer than the field: 60 bits, all of them random. */
export function customerKey(id: string): string {
  return id.replaceAll('-', '').slice(-15);
}

function lineRecords(document: UniformDocument, code: number, link: number): RecordValues[] {
  const nets = netLineTotals(document);
  const base = baseOf(document);
  return document.items.map((item, index) => ({
    code: 'D110',
    values: {
      1253: code,
      1254: String(document.number),
      1255: index + 1,
      ...base,
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

/** The document that another is based on (§5.5 note 6); null where there is none, or it has no code. */
function baseOf({ based_on: base }: UniformDocument): FieldValues | null {
  const code = base && uniformDocumentCode(base.type);
  return base !== null && code !== null ? { 1256: code, 1257: String(base.number) } : null;
}

/** The line of a receipt that names its base document: the field for it is in no other record. It has no VAT. */
function baseLine(document: UniformDocument, code: number, link: number): RecordValues[] {
  const base = baseOf(document);
  if (base === null || document.based_on === null) {
    return [];
  }
  const total = fromShekels(document.totals.total);
  const { type, number } = document.based_on;
  return [
    {
      code: 'D110',
      values: {
        1253: code,
        1254: String(document.number),
        1255: 1,
        ...base,
        1260: `עבור ${documentTypeRules[type].nameHe} ${number}`,
        1263: unnamedUnit,
        1264: toUnits(1, 4),
        1265: total,
        1267: total,
        1272: document.date,
        1273: link,
      },
    },
  ];
}

/** The fields that a check has, and no other payment (§4.5). */
const checkFields = [1307, 1308, 1309, 1310] as const;

function paymentRecords(document: UniformDocument, code: number, link: number): RecordValues[] {
  return document.payments.map((payment, index) => ({
    code: 'D120',
    needed: payment.method === 'check' ? checkFields : [],
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
