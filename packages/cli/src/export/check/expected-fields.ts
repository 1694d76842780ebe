import type { BookEntry, Payment } from '@pinkas/contracts';
import { type Agorot, dayInIsrael, fromShekels, timeInIsrael } from '@pinkas/domain';

/** What a field has to say: the text of a text field, the digits of another. Absent: blank, or zero. */
export type Expected = Readonly<Record<number, string | bigint | null>>;

/** The codes of our types in appendix 1 (§5.1). */
export const typeCodes: Readonly<Record<string, string>> = {
  order: '100',
  delivery_note: '200',
  return_note: '210',
  proforma: '300',
  tax_invoice: '305',
  tax_invoice_receipt: '320',
  credit_note: '330',
  receipt: '400',
  donation_receipt: '405',
};
/** How the line of a receipt names what it is based on. */
const baseNames: Readonly<Record<string, string>> = { proforma: 'חשבון עסקה', tax_invoice: 'חשבונית מס' };
const meansCodes: Readonly<Record<string, string>> = {
  cash: '1',
  check: '2',
  credit_card: '3',
  bank_transfer: '4',
};
const receiptTypes = new Set(['receipt', 'donation_receipt']);

export const digitsOf = (text: string | number | null): string => String(text ?? '').replaceAll(/\D/g, '');
/** As fields 1026 and 1027 have it. */
export const minuteOf = (instant: string): string => {
  const at = new Date(instant);
  return digitsOf(dayInIsrael(at) + timeInIsrael(at));
};
const digitsAndLetters = (id: string): string => id.replaceAll('-', '').slice(17);

/** With the tax that the customer of a receipt withheld, ILS, where the book has it. */
type BookedDocument = BookEntry['document'] & { readonly withheld?: number | undefined };

/** The header of a document (§4.3); that of a receipt has what was received (§5.5 note 4). */
export function headerOf(
  { document }: { readonly document: BookedDocument },
  isCancelled: boolean,
): Expected {
  const { customer, totals } = document;
  const producedAt = minuteOf(document.issued_at);
  const isReceipt = receiptTypes.has(document.type);
  const total = fromShekels(totals.total);
  const subtotal = isReceipt ? total : fromShekels(totals.subtotal);
  const discount = isReceipt ? 0n : fromShekels(totals.discount);
  const paidOn = document.payments.map(dueDay).sort().at(-1) ?? null;
  return {
    1203: typeCodes[document.type] ?? '',
    1204: String(document.number),
    1205: producedAt.slice(0, 8),
    1206: producedAt.slice(8),
    1207: customer.name,
    1208: customer.address,
    1210: customer.city,
    1213: document.foreign_donor?.country ?? null,
    1214: customer.phone?.replaceAll(/[\s-]/g, '') ?? null,
    1215: digitsOf(customer.tax_id),
    1216: digitsOf(isReceipt ? paidOn : document.due_date),
    1219: subtotal,
    1220: -discount,
    1221: subtotal - discount,
    1222: isReceipt ? 0n : fromShekels(totals.vat),
    1223: total,
    1224: isReceipt ? fromShekels(document.withheld ?? 0) : 0n,
    1225: digitsAndLetters(customer.id),
    1228: isCancelled ? '1' : null,
    1230: digitsOf(document.date),
  };
}

/** The lines of a document (§4.4); of a receipt the one that names its base document (§5.5 note 6). */
export function linesOf({ document }: BookEntry): Expected[] {
  const base = document.based_on && typeCodes[document.based_on.type];
  const shared = {
    1253: typeCodes[document.type] ?? '',
    1254: String(document.number),
    ...(base && { 1256: base, 1257: String(document.based_on?.number) }),
    1263: 'יחידה',
    1272: digitsOf(document.date),
  };
  if (receiptTypes.has(document.type)) {
    const total = fromShekels(document.totals.total);
    const what = `עבור ${baseNames[document.based_on?.type ?? '']} ${document.based_on?.number}`;
    return base ? [{ ...shared, 1260: what, 1264: 10_000n, 1265: total, 1267: total }] : [];
  }
  const [rateWhole = '', rateFraction = ''] = decimal(document.totals.vat_rate).split('.');
  return document.items.map((item) => {
    const [whole = '', fraction = ''] = decimal(item.quantity).split('.');
    return {
      ...shared,
      1259: item.sku,
      1260: item.description,
      1264: BigInt(whole + fraction.padEnd(4, '0')),
      1265: withoutVat(fromShekels(item.unit_price), document),
      1268: rateWhole + rateFraction.padEnd(2, '0'),
    };
  });
}

const dueDay = ({ method, date, check_date }: Payment): string =>
  method === 'check' ? (check_date ?? date) : date;

/** A payment (§4.5). */
export function paymentOf({ document }: BookEntry, payment: Payment): Expected {
  const hasDueDay = payment.method === 'check' || payment.method === 'credit_card';
  return {
    1303: typeCodes[document.type] ?? '',
    1304: String(document.number),
    1306: meansCodes[payment.method] ?? '9',
    1307: digitsOf(payment.bank_code),
    1308: digitsOf(payment.branch),
    1309: digitsOf(payment.account),
    1310: digitsOf(payment.check_number),
    1311: hasDueDay ? digitsOf(dueDay(payment)) : null,
    1312: fromShekels(payment.amount),
    1314: payment.card_type,
    1322: digitsOf(document.date),
  };
}

/** The shortest decimal form of a number of the book, which is below 1e21 and has at most four decimals. */
const decimal = (value: number): string =>
  String(value).includes('e') ? value.toFixed(4).replace(/\.?0+$/, '') : String(value);

/** An amount of the document without VAT, rounded to agorot. */
export function withoutVat(amount: Agorot, { prices_include_vat, totals }: BookEntry['document']): bigint {
  if (!prices_include_vat) {
    return amount;
  }
  const [whole = '', fraction = ''] = decimal(totals.vat_rate).split('.');
  const gross = 10_000n + BigInt(whole + fraction.padEnd(2, '0'));
  return (20_000n * amount + gross) / (2n * gross);
}
