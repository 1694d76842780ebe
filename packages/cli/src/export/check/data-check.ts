import { hasValidCheckDigit } from '@pinkas/domain';
import { type Findings } from './findings.js';
import { NumberSet } from './number-set.js';
import { type Line, malformedFields, ParsedRecord } from './read-records.js';
import { recordTables } from './record-tables.js';
import { TypeNumbers } from './type-numbers.js';

/** A document of the file: its header with its lines and payments, and the items that came before it. */
export interface FileDocument {
  readonly header: ParsedRecord;
  readonly lines: ParsedRecord[];
  readonly payments: ParsedRecord[];
  readonly items: ParsedRecord[];
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
}

export const dataFile = 'BKMVDATA.TXT';
export const systemConstant = '&OF1.31&';
/** The types of the authority's appendix 1. */
const documentTypes = new Set(
  '100 200 205 210 300 305 310 320 330 340 345 400 405 410 420 500 600 610 700 710 800 810 820 830 840 900 910'.split(
    ' ',
  ),
);
/** Headers with lines of goods and services, and headers with receipt lines. */
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
/** The fields of each record that every record has: its number in the file and the VAT number. */
const fixedFields: Readonly<Record<string, readonly [record: number, vat: number]>> = {
  A100: [1101, 1102],
  C100: [1201, 1202],
  D110: [1251, 1252],
  D120: [1301, 1302],
  M100: [1451, 1452],
  Z900: [1151, 1152],
};

const distance = (a: bigint, b: bigint): bigint => (a < b ? b - a : a - b);
const shekels = (agorot: bigint): string =>
  `${agorot / 100n}.${String(distance(agorot % 100n, 0n)).padStart(2, '0')}`;
/** `numerator / denominator`, of positive numbers, to the nearest whole number. */
const divided = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);

/** Checks BKMVDATA.TXT record by record: `line` for each, then `end`. */
export class DataCheck {
  readonly counts = new Map<string, number>();
  readonly #numbers = new Map<string, TypeNumbers>();
  readonly #links = new NumberSet();
  readonly #skus = new Set<string>();
  #record = 0;
  /** By how much the numbers of the records are ahead of the lines of the file. */
  #shift = 0n;
  #current: FileDocument | null = null;
  #items: ParsedRecord[] = [];
  #closed = false;
  documents = 0;

  constructor(
    private readonly declared: Declared,
    private readonly findings: Findings,
  ) {}

  /** Checks one line. @returns the document that ended before it, which is checked. */
  line({ bytes, ended }: Line): FileDocument | null {
    this.#record += 1;
    const code = bytes.subarray(0, 4).toString('latin1');
    const table = recordTables.get(code);
    if (!table || fixedFields[code] === undefined) {
      this.#add(null, `begins with "${printable(code)}", which is no record of this file`);
      return null;
    }
    this.counts.set(code, (this.counts.get(code) ?? 0) + 1);
    if (!ended) {
      this.#add(null, 'does not end with CR LF');
    }
    if (bytes.length !== table.length) {
      this.#add(null, `has ${bytes.length} characters, and a ${code} has ${table.length}`);
      return null;
    }
    for (const [field, reason] of malformedFields(code, bytes, this.declared.charset)) {
      this.#add(field, reason);
    }
    const record = new ParsedRecord(code, bytes, this.declared.charset);
    this.#checkFixed(record);
    return this.#place(record);
  }

  /** @returns the last document. */
  end(): FileDocument | null {
    const last = this.#endDocument();
    if (!this.#closed) {
      this.findings.add(dataFile, null, null, 'does not end with a Z900');
    }
    this.#checkGaps();
    return last;
  }

  /** A series may begin with any number, and has every number from there on. */
  #checkGaps(): void {
    for (const [type, numbers] of this.#numbers) {
      for (const [first, last, record] of numbers.gaps()) {
        const missing = first === last ? first : `${first} to ${last}`;
        const reason = `type ${type} has ${first - 1} and ${last + 1}, and lacks ${missing}`;
        this.findings.add(dataFile, record, 1204, reason);
      }
    }
  }

  get records(): number {
    return this.#record;
  }

  #checkFixed(record: ParsedRecord): void {
    const [number, vat] = fixedFields[record.code] ?? [0, 0];
    const found = record.amount(number);
    const next = BigInt(this.#record) + this.#shift;
    if (found !== next) {
      this.#add(number, `is ${record.raw(number)}, and after the record before it comes ${next}`);
      // Where a record is missing, those that follow are not reported for it.
      this.#shift = found === 0n ? this.#shift : found - BigInt(this.#record);
    }
    if (record.raw(vat) !== this.declared.vatNumber) {
      this.#add(vat, `is ${record.raw(vat)}, and INI.TXT names ${this.declared.vatNumber}`);
    }
  }

  #place(record: ParsedRecord): FileDocument | null {
    const { code } = record;
    if ((code === 'A100') !== (this.#record === 1)) {
      this.#add(null, code === 'A100' ? 'an A100 is the first record only' : 'the first record is no A100');
    }
    if (this.#closed) {
      this.#add(null, 'comes after the Z900');
    }
    switch (code) {
      case 'C100': {
        const ended = this.#endDocument();
        this.#current = { header: record, lines: [], payments: [], items: this.#items, record: this.#record };
        this.#items = [];
        this.documents += 1;
        this.#checkHeader(record);
        return ended;
      }
      case 'D110':
        this.#checkPart(record, [1253, 1254, 1255, 1272, 1273], 'lines');
        return null;
      case 'D120':
        this.#checkPart(record, [1303, 1304, 1305, 1322, 1323], 'payments');
        return null;
      case 'M100': {
        const ended = this.#endDocument();
        this.#checkItem(record);
        return ended;
      }
      default: {
        const ended = this.#endDocument();
        this.#checkEnds(record);
        return ended;
      }
    }
  }

  #checkEnds(record: ParsedRecord): void {
    const isLast = record.code === 'Z900';
    const [id, constant] = isLast ? [1153, 1154] : [1103, 1104];
    if (record.raw(id) !== this.declared.primaryId) {
      this.#add(id, 'is not the primary id of INI.TXT');
    }
    if (record.raw(constant) !== systemConstant) {
      this.#add(constant, `is "${record.text(constant)}" instead of ${systemConstant}`);
    }
    if (isLast) {
      this.#closed = true;
      if (record.amount(1155) !== BigInt(this.#record)) {
        this.#add(1155, `is ${record.amount(1155)}, and the file has ${this.#record} records so far`);
      }
    }
  }

  #checkHeader(record: ParsedRecord): void {
    const type = record.raw(1203);
    const number = record.text(1204);
    if (!documentTypes.has(type)) {
      this.#add(1203, `is ${type}, which is no type of document`);
    }
    const numbers = this.#numbers.get(type) ?? new TypeNumbers();
    this.#numbers.set(type, numbers);
    if (!/^\d{1,15}$/.test(number)) {
      this.#add(1204, `is "${number}", which is no number`);
    } else if (!numbers.add(Number(number), this.#record)) {
      this.#add(1204, `is ${number}, as of another document of type ${type}`);
    }
    const date = record.raw(1230);
    if (date < this.declared.from || date > this.declared.to) {
      this.#add(1230, `is ${date}, outside ${this.declared.from} to ${this.declared.to}`);
    }
    if (record.raw(1205) > this.declared.runDate) {
      this.#add(1205, `is ${record.raw(1205)}, after the day of the run`);
    }
    const customer = record.raw(1215);
    if (/[1-9]/.test(customer) && /^\d+$/.test(customer) && !hasValidCheckDigit(customer)) {
      this.#add(1215, `is ${customer}, an id of a customer with a wrong check digit`);
    }
    if (!/^[1 ]$/.test(record.raw(1228))) {
      this.#add(1228, `is "${record.text(1228)}": a cancelled document has 1, others a space`);
    }
    if (record.amount(1234) !== 0n && !this.#links.add(Number(record.amount(1234)))) {
      this.#add(1234, 'is the link of another document');
    }
    this.#checkTotals(record, type);
  }

  #checkTotals(record: ParsedRecord, type: string): void {
    const [before, discount, net, vat, total] = [1219, 1220, 1221, 1222, 1223].map((field) =>
      record.amount(field),
    ) as [bigint, bigint, bigint, bigint, bigint];
    if (discount > 0n) {
      this.#add(1220, 'is above zero, and a discount reduces');
    }
    for (const [field, amount] of [
      [1219, before],
      [1221, net],
      [1222, vat],
      [1223, total],
    ] as const) {
      if (amount < 0n) {
        this.#add(field, 'is below zero');
      }
    }
    if (before + discount !== net) {
      this.#add(1221, `is ${shekels(net)}, and 1219 with 1220 is ${shekels(before + discount)}`);
    }
    if (!withoutLines.has(type) && net + vat !== total) {
      this.#add(1223, `is ${shekels(total)}, and 1221 with 1222 is ${shekels(net + vat)}`);
    }
  }

  /** Compares a line or a payment with the header above it. */
  #checkPart(
    record: ParsedRecord,
    [type, number, line, date, link]: readonly [number, number, number, number, number],
    kind: 'lines' | 'payments',
  ): void {
    const current = this.#current;
    if (!current) {
      this.#add(null, `a ${record.code} has no C100 of its document before it`);
      return;
    }
    for (const [own, of] of [
      [type, 1203],
      [number, 1204],
      [date, 1230],
      [link, 1234],
    ] as const) {
      if (record.raw(own) !== current.header.raw(of)) {
        this.#add(
          own,
          `is "${record.raw(own).trim()}", and ${of} of its document "${current.header.raw(of).trim()}"`,
        );
      }
    }
    current[kind].push(record);
    if (record.amount(line) !== BigInt(current[kind].length)) {
      this.#add(line, `is ${record.amount(line)}, and it is number ${current[kind].length} of its document`);
    }
    if (kind === 'lines') {
      this.#checkLine(record);
    } else {
      this.#checkPayment(record);
    }
  }

  #checkPayment(record: ParsedRecord): void {
    const means = record.raw(1306);
    if (!/^[1-9]$/.test(means)) {
      this.#add(1306, 'is no means of payment');
      return;
    }
    for (const [field, those] of meansOfFields) {
      if (!those.includes(means) && /[^0 ]/.test(record.raw(field))) {
        const value = record.text(field).replace(/^0+/, '');
        this.#add(field, `is "${value}", and a payment of means ${means} (1306) has no such field`);
      }
    }
  }

  #checkLine(record: ParsedRecord): void {
    const base = record.raw(1256);
    if (base !== '000' && !documentTypes.has(base)) {
      this.#add(1256, `is ${base}, which is no type of document`);
    }
    if ((base === '000') !== (record.text(1257) === '')) {
      this.#add(1257, 'and 1256 are given together or not at all');
    }
    if (record.amount(1266) > 0n) {
      this.#add(1266, 'is above zero, and a discount reduces');
    }
    const sku = record.raw(1259).trim();
    if (sku !== '' && !this.#skus.has(sku)) {
      this.#add(1259, `is "${record.text(1259)}", which has no M100 before it`);
      // Reported once.
      this.#skus.add(sku);
    }
    const quantity = record.amount(1264);
    if (quantity <= 0n) {
      this.#add(1264, 'is not above zero');
      return;
    }
    const product = divided(quantity * record.amount(1265), 10_000n) + record.amount(1266);
    // A unit price without VAT is rounded to half an agora, and the line itself to one, and to one more in the sum.
    const tolerance = quantity / 20_000n + 3n;
    if (distance(product, record.amount(1267)) > tolerance) {
      this.#add(1267, `is ${shekels(record.amount(1267))}, and 1264 × 1265 with 1266 is ${shekels(product)}`);
    }
  }

  #checkItem(record: ParsedRecord): void {
    const sku = record.raw(1455).trim();
    if (this.#skus.has(sku)) {
      this.#add(1455, 'is the SKU of another item');
    }
    this.#skus.add(sku);
    this.#items.push(record);
  }

  #endDocument(): FileDocument | null {
    const document = this.#current;
    if (!document) {
      return null;
    }
    this.#current = null;
    const add = (field: number | null, reason: string) =>
      this.findings.add(dataFile, document.record, field, reason);
    const type = document.header.raw(1203);
    const { lines, payments, header } = document;
    if (withoutLines.has(type) !== (lines.length === 0)) {
      add(null, lines.length === 0 ? 'has no D110' : 'is a receipt, and has a D110');
    }
    if (withPayments.has(type) !== payments.length > 0) {
      add(null, payments.length === 0 ? 'has no D120' : 'is no receipt, and has a D120');
    }
    const listed = lines.reduce((sum, line) => sum + line.amount(1267), 0n);
    if (listed !== header.amount(1219)) {
      add(1219, `is ${shekels(header.amount(1219))}, and 1267 of its lines is ${shekels(listed)} together`);
    }
    const paid = payments.reduce((sum, payment) => sum + payment.amount(1312), 0n);
    if (payments.length > 0 && distance(paid, header.amount(1223) - header.amount(1224)) > 1n) {
      add(1223, `is ${shekels(header.amount(1223))}, and 1312 of its payments is ${shekels(paid)} together`);
    }
    const rate = lines[0]?.amount(1268);
    if (rate !== undefined && lines.every((line) => line.amount(1268) === rate)) {
      const vat = divided(header.amount(1221) * rate, 10_000n);
      if (distance(vat, header.amount(1222)) > 1n) {
        add(1222, `is ${shekels(header.amount(1222))}, and the rate of its lines makes ${shekels(vat)}`);
      }
    }
    return document;
  }

  #add(field: number | null, reason: string): void {
    this.findings.add(dataFile, this.#record, field, reason);
  }
}

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?');
