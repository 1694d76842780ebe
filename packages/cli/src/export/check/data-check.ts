import {
  checkDocument,
  checkHeader,
  checkLine,
  checkPayment,
  type Declared,
  type FileDocument,
} from './document-rules.js';
import type { Findings, Report } from './findings.js';
import { NumberSet } from './number-set.js';
import { type Line, malformedFields, ParsedRecord } from './read-records.js';
import { recordTables } from './record-tables.js';
import { TypeNumbers } from './type-numbers.js';

export const dataFile = 'BKMVDATA.TXT';
export const systemConstant = '&OF1.31&';
/** The fields of each record that every record has: its number in the file and the VAT number. */
const fixedFields: Readonly<Record<string, readonly [record: number, vat: number]>> = {
  A100: [1101, 1102],
  C100: [1201, 1202],
  D110: [1251, 1252],
  D120: [1301, 1302],
  M100: [1451, 1452],
  Z900: [1151, 1152],
};

/** A number of a document: at most five letters of its series, and its digits, with or without zeros before them (§2.4 d). */
const documentNumber = /^(\p{L}{0,5})0*(\d+)$/u;
/** Longer numbers are not compared with each other. */
const comparedDigitsMax = 15;

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
      this.#add(null, `begins with "${printable(code)}", which is no record of this file`, '2.5 e');
      return null;
    }
    this.counts.set(code, (this.counts.get(code) ?? 0) + 1);
    if (!ended) {
      this.#add(null, 'does not end with CR LF', '2.4 i');
    }
    if (bytes.length !== table.length) {
      this.#add(null, `has ${bytes.length} characters, and a ${code} has ${table.length}`, '2.5 e');
      return null;
    }
    for (const [field, reason, section] of malformedFields(code, bytes, this.declared.charset)) {
      this.#add(field, reason, section);
    }
    const record = new ParsedRecord(code, bytes, this.declared.charset);
    this.#checkFixed(record);
    return this.#place(record);
  }

  /** @returns the last document. */
  end(): FileDocument | null {
    const last = this.#endDocument();
    if (!this.#closed) {
      this.findings.add(dataFile, null, null, 'does not end with a Z900', '2.5 c');
    }
    this.#checkGaps();
    return last;
  }

  /** A series may begin with any number, and has every number from there on. */
  #checkGaps(): void {
    for (const [key, numbers] of this.#numbers) {
      for (const [first, last, record] of numbers.gaps()) {
        const missing = first === last ? first : `${first} to ${last}`;
        const reason = `type ${key.trim()} has ${first - 1} and ${last + 1}, and lacks ${missing}`;
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
      this.#add(number, `is ${record.raw(number)}, and after the record before it comes ${next}`, '2.4 j');
      // Where a record is missing, those that follow are not reported for it.
      this.#shift = found === 0n ? this.#shift : found - BigInt(this.#record);
    }
    if (record.raw(vat) !== this.declared.vatNumber) {
      this.#add(vat, `is ${record.raw(vat)}, and INI.TXT names ${this.declared.vatNumber}`, '3.1');
    }
  }

  #place(record: ParsedRecord): FileDocument | null {
    const { code } = record;
    if ((code === 'A100') !== (this.#record === 1)) {
      this.#add(
        null,
        code === 'A100' ? 'an A100 is the first record only' : 'the first record is no A100',
        '2.5 c',
      );
    }
    if (this.#closed) {
      this.#add(null, 'comes after the Z900', '2.5 c');
    }
    switch (code) {
      case 'C100': {
        const ended = this.#endDocument();
        this.#current = { header: record, lines: [], payments: [], record: this.#record };
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
      this.#add(id, 'is not the primary id of INI.TXT', '2.4 a');
    }
    if (record.raw(constant) !== systemConstant) {
      this.#add(
        constant,
        `is "${record.text(constant)}" instead of ${systemConstant}`,
        isLast ? '4.2' : '4.1',
      );
    }
    if (isLast) {
      this.#closed = true;
      if (record.amount(1155) !== BigInt(this.#record)) {
        this.#add(1155, `is ${record.amount(1155)}, and the file has ${this.#record} records so far`, '4.2');
      }
    }
  }

  #checkHeader(record: ParsedRecord): void {
    const type = record.raw(1203);
    const number = record.text(1204);
    const [, series = '', digits] = documentNumber.exec(number) ?? [];
    if (digits === undefined) {
      this.#add(1204, `is "${number}", which is no number`, '2.4 d');
    } else if (digits.length <= comparedDigitsMax) {
      const key = `${type} ${series}`;
      const numbers = this.#numbers.get(key) ?? new TypeNumbers();
      this.#numbers.set(key, numbers);
      if (!numbers.add(Number(digits), this.#record)) {
        this.#add(1204, `is ${number}, as of another document of type ${type}`, null);
      }
    }
    if (record.amount(1234) !== 0n && !this.#links.add(Number(record.amount(1234)))) {
      this.#add(1234, 'is the link of another document', '5.5 note 11');
    }
    checkHeader(record, this.declared, this.#add);
  }

  /** Compares a line or a payment with the header above it. */
  #checkPart(
    record: ParsedRecord,
    [type, number, line, date, link]: readonly [number, number, number, number, number],
    kind: 'lines' | 'payments',
  ): void {
    const current = this.#current;
    if (!current) {
      this.#add(null, `a ${record.code} has no C100 of its document before it`, '4.3');
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
          own === link ? '5.5 note 11' : '2.4 d',
        );
      }
    }
    current[kind].push(record);
    if (record.amount(line) !== BigInt(current[kind].length)) {
      this.#add(
        line,
        `is ${record.amount(line)}, and it is number ${current[kind].length} of its document`,
        record.code === 'D110' ? '4.4' : '4.5',
      );
    }
    (kind === 'lines' ? checkLine : checkPayment)(record, this.declared, this.#add);
  }

  #checkItem(record: ParsedRecord): void {
    const sku = record.text(1455);
    if (this.#skus.has(sku)) {
      this.#add(1455, 'is the SKU of another item', '4.8');
    }
    this.#skus.add(sku);
  }

  #endDocument(): FileDocument | null {
    const document = this.#current;
    this.#current = null;
    if (document) {
      checkDocument(document, (field, reason, section) =>
        this.findings.add(dataFile, document.record, field, reason, section),
      );
    }
    return document;
  }

  readonly #add: Report = (field, reason, section) =>
    this.findings.add(dataFile, this.#record, field, reason, section);
}

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?');
