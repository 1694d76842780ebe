import { hasValidCheckDigit } from '@pinkas/domain';
import type { Report } from './findings.js';
import type { ParsedRecord } from './read-records.js';

/** A document of the file: its header with its lines and payments. */
export interface FileDocument {
  readonly header: ParsedRecord;
  readonly lines: ParsedRecord[];
  readonly payments: ParsedRecord[];
  /** The line of the header in the file. */
  readonly record: number;
}

/** What INI.TXT says and BKMVDATA.TXT has to say as well. */
export interface Declared {
  readonly vatNumber: string;
  readonly primaryId: string;
  readonly charset: string;
  /** YYYYMMDD. */
  readonly from: string;
  readonly to: string;
  readonly runDate: string;
  /** Whether the business has branches, which its records then name. */
  readonly hasBranches: boolean;
}

/** The types of appendix 1 (§5.1). */
const documentTypes = new Set(
  '100 200 205 210 300 305 310 320 330 340 345 400 405 410 420 500 600 610 700 710 800 810 820 830 840 900 910'.split(
    ' ',
  ),
);
const receipts = new Set(['400', '405']);
/** Headers that need no lines of goods and services, and headers with receipt lines. */
const withoutLines = new Set(['400', '405', '410', '420']);
const withPayments = new Set(['320', '400', '405', '410', '420']);
/** The fields of a payment that belong to some means only (1306): 2 is a check, 3 a credit card. */
const meansOfFields: readonly (readonly [field: number, means: string])[] = [
  [1307, '2'],
  [1308, '2'],
  [1309, '2'],
  [1310, '2'],
  [1311, '23'],
  [1313, '3'],
  [1314, '3'],
  [1315, '3'],
];
const neededByChecks = [1307, 1308, 1309, 1310] as const;
/** Fields that are one of some codes. */
const codes: readonly (readonly [field: number, pattern: RegExp, section: string])[] = [
  [1258, /^[0-3]$/, '4.4'],
  [1313, /^[0-46]$/, '4.5'],
  [1315, /^[0-5]$/, '4.5'],
];

const distance = (a: bigint, b: bigint): bigint => (a < b ? b - a : a - b);
const shekels = (agorot: bigint): string =>
  `${agorot < 0n ? '-' : ''}${distance(agorot, 0n) / 100n}.${String(distance(agorot, 0n) % 100n).padStart(2, '0')}`;
/** `numerator / denominator`, of positive numbers, to the nearest whole number. */
const divided = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);
const sumOf = (records: readonly ParsedRecord[], field: number): bigint =>
  records.reduce((sum, record) => sum + record.amount(field), 0n);

/** Whether ISO 4217 has a currency (§2.4 f), and ISO 3166-1 a country (§2.4 g). */
export const isCurrency = (code: string): boolean => currencies.has(code);
const currencies = new Set(Intl.supportedValuesOf('currency'));
const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const isCountry = (code: string): boolean => /^[A-Z]{2}$/.test(code) && countryNames.of(code) !== undefined;

/** Checks a header alone, but for its number. */
export function checkHeader(record: ParsedRecord, declared: Declared, report: Report): void {
  const type = record.raw(1203);
  if (!documentTypes.has(type)) {
    report(1203, `is ${type}, which is no type of document`, '2.4 e');
  }
  const date = record.raw(1230);
  if (date < declared.from || date > declared.to) {
    report(1230, `is ${date}, outside ${declared.from} to ${declared.to}`, '2.1 c');
  }
  if (record.raw(1205) > declared.runDate) {
    report(1205, `is ${record.raw(1205)}, after the day of the run`, '5.5 note 12');
  }
  if (!['1', ''].includes(record.text(1228))) {
    report(1228, `is "${record.text(1228)}": a cancelled document has 1, others a space`, '4.3');
  }
  checkCustomer(record, type, report);
  checkBranch(record, 1231, declared, report);
  checkTotals(record, type, report);
}

/** Whose document it is, and the currency that it is in. */
function checkCustomer(record: ParsedRecord, type: string, report: Report): void {
  const customer = record.raw(1215);
  if (/[1-9]/.test(customer) && /^\d+$/.test(customer) && !hasValidCheckDigit(customer)) {
    report(1215, `is ${customer}, an id of a customer with a wrong check digit`, null);
  }
  for (const field of type <= '710' ? [1207, 1225] : []) {
    if (record.text(field) === '') {
      report(field, 'is mandatory for this type, and blank', '4.3');
    }
  }
  const [country, currency] = [record.text(1213), record.text(1218)];
  if (country !== '' && !isCountry(country)) {
    report(1213, `is "${country}", which is no code of a country`, '2.4 g');
  }
  if (currency !== '' && !isCurrency(currency)) {
    report(1218, `is "${currency}", which is no code of a currency`, '2.4 f');
  }
}

function checkTotals(record: ParsedRecord, type: string, report: Report): void {
  const [before, discount, net, vat, total, withheld] = [1219, 1220, 1221, 1222, 1223, 1224].map((field) =>
    record.amount(field),
  ) as [bigint, bigint, bigint, bigint, bigint, bigint];
  if (discount > 0n) {
    report(1220, 'is above zero, and a discount reduces', '5.5 note 5');
  }
  for (const [field, amount] of [
    [1219, before],
    [1221, net],
    [1222, vat],
    [1223, total],
    [1224, withheld],
  ] as const) {
    if (amount < 0n) {
      report(field, 'is below zero', '2.4 l');
    }
  }
  if (receipts.has(type)) {
    checkReceipt(record, total, report);
    return;
  }
  if (withheld !== 0n) {
    report(1224, `is ${shekels(withheld)}, and only a receipt has tax that was withheld`, '4.3');
  }
  if (before + discount !== net) {
    report(1221, `is ${shekels(net)}, and 1219 with 1220 is ${shekels(before + discount)}`, '4.3');
  }
  if (!withoutLines.has(type) && net + vat !== total) {
    report(1223, `is ${shekels(total)}, and 1221 with 1222 is ${shekels(net + vat)}`, '4.3');
  }
}

/** A receipt has what was received in three fields, without what was withheld. */
function checkReceipt(record: ParsedRecord, total: bigint, report: Report): void {
  for (const field of [1219, 1221]) {
    const amount = record.amount(field);
    if (amount !== total) {
      const reason = `is ${shekels(amount)}, and 1223 of a receipt is the same: ${shekels(total)}`;
      report(field, reason, '5.5 note 4');
    }
  }
  for (const field of [1220, 1222]) {
    const amount = record.amount(field);
    if (amount !== 0n) {
      report(field, `is ${shekels(amount)}, and zero in a receipt`, '5.5 note 4');
    }
  }
}

function checkBranch(record: ParsedRecord, field: number, { hasBranches }: Declared, report: Report): void {
  if (hasBranches && record.text(field) === '') {
    report(field, 'is blank, and the business has branches (1034)', '5.5 note 3');
  }
}

/** Checks a line alone. */
export function checkLine(record: ParsedRecord, declared: Declared, report: Report): void {
  const base = record.raw(1256);
  if (base !== '000' && !documentTypes.has(base)) {
    report(1256, `is ${base}, which is no type of document`, '2.4 e');
  }
  if ((base === '000') !== (record.text(1257) === '')) {
    report(1257, 'and 1256 are given together or not at all', '5.5 note 6');
  }
  checkCodes(record, [1258], report);
  checkBranch(record, 1270, declared, report);
  if (base !== '000') {
    checkBranch(record, 1274, declared, report);
  }
  if (record.amount(1266) > 0n) {
    report(1266, 'is above zero, and a discount reduces', '5.5 note 5');
  }
  const quantity = record.amount(1264);
  if (quantity <= 0n) {
    report(1264, 'is not above zero', '2.4 l');
    return;
  }
  const product = divided(quantity * record.amount(1265), 10_000n) + record.amount(1266);
  // A unit price without VAT is rounded to half an agora, and the line itself to one, and to one more in the sum.
  const tolerance = quantity / 20_000n + 3n;
  if (distance(product, record.amount(1267)) > tolerance) {
    const reason = `is ${shekels(record.amount(1267))}, and 1264 × 1265 with 1266 is ${shekels(product)}`;
    report(1267, reason, '4.4');
  }
}

/** Checks a payment alone. */
export function checkPayment(record: ParsedRecord, declared: Declared, report: Report): void {
  checkBranch(record, 1320, declared, report);
  const means = record.raw(1306);
  if (!/^[1-9]$/.test(means)) {
    report(1306, 'is no means of payment', '4.5');
    return;
  }
  for (const [field, those] of meansOfFields) {
    if (!those.includes(means) && /[^0 !]/.test(record.raw(field))) {
      const value = record.text(field).replace(/^0+/, '');
      report(field, `is "${value}", and a payment of means ${means} (1306) has no such field`, '4.5');
    }
  }
  for (const field of means === '2' ? neededByChecks : []) {
    if (/^0*$/.test(record.raw(field))) {
      report(field, 'is zero, and mandatory for a check', '4.5');
    }
  }
  checkCodes(record, means === '3' ? [1313, 1315] : [], report);
}

function checkCodes(record: ParsedRecord, fields: readonly number[], report: Report): void {
  for (const [field, pattern, section] of codes) {
    if (fields.includes(field) && !pattern.test(record.raw(field))) {
      report(field, `is ${record.raw(field)}, which is none of its codes`, section);
    }
  }
}

/** Checks what a header, its lines and its payments have to have in common. */
export function checkDocument({ header, lines, payments }: FileDocument, report: Report): void {
  const type = header.raw(1203);
  const [before, net, vat, total] = [1219, 1221, 1222, 1223].map((field) => header.amount(field)) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const isWithoutLines = lines.length === 0 && withoutLines.has(type);
  if (lines.length === 0 && !isWithoutLines) {
    report(null, 'has no D110', '4.4');
  }
  if (payments.length > 0 && !withPayments.has(type)) {
    report(null, 'is no receipt, and has a D120', '4.5');
  }
  // What amounts to nothing is paid by nothing.
  if (payments.length === 0 && withPayments.has(type) && total !== 0n) {
    report(null, 'has no D120', '4.5');
  }
  const listed = sumOf(lines, 1267);
  if (!isWithoutLines && listed !== before) {
    report(1219, `is ${shekels(before)}, and 1267 of its lines is ${shekels(listed)} together`, '4.3');
  }
  const paid = sumOf(payments, 1312);
  // What was withheld was not paid: nothing is subtracted for it.
  if (payments.length > 0 && distance(paid, total) > 1n) {
    const reason = `is ${shekels(total)}, and 1312 of its payments is ${shekels(paid)} together`;
    report(1223, reason, '5.5 note 4');
  }
  const rate = lines[0]?.amount(1268);
  if (rate !== undefined && lines.every((line) => line.amount(1268) === rate)) {
    const made = divided(net * rate, 10_000n);
    if (distance(made, vat) > 1n) {
      report(1222, `is ${shekels(vat)}, and the rate of its lines makes ${shekels(made)}`, '4.4');
    }
  }
}
