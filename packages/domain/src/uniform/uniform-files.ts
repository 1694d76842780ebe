import type { DocumentType } from '../document-types.js';
import { law } from '../law.js';
import type { Agorot } from '../money/agorot.js';
import { acknowledgesPayment } from '../total-rows.js';
import type { UniformCharset } from './charset.js';
import { documentRecords, type RecordValues, totalOf, type UniformDocument } from './document-records.js';
import { type Field, type RecordCode, recordLayouts } from './record-layouts.js';
import { uniformDocumentCode } from './uniform-codes.js';
import { type Deviation, deviations, type FieldValue, writeRecord } from './write-record.js';

/** The business, the software and the run that the files are of. */
export interface UniformRun {
  readonly business: {
    /** Nine digits. */
    readonly taxId: string;
    /** Whether the number is that of a company: those of amutot and cooperative societies are of other registers. */
    readonly isCompany: boolean;
    readonly name: string;
    readonly address: string | null;
    readonly city: string | null;
  };
  readonly software: UniformSoftware;
  /** The first and the last document date, YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  /** When the run began, in Israel: YYYY-MM-DD and hhmm. */
  readonly began: { readonly day: string; readonly time: string };
  /** 15 digits, random and of this run alone. */
  readonly primaryId: string;
  /** The folder of the files, with the drive where one was chosen. */
  readonly path: string;
  readonly charset: UniformCharset;
}

/** Who made the software, and how the authority knows it. */
export interface UniformSoftware {
  /** The number of its certificate, at most eight digits; null: it has none. */
  readonly registration: string | null;
  readonly name: string;
  readonly version: string;
  readonly vendorTaxId: string;
  readonly vendorName: string;
}

/** Fields that differ in one way from what the book has. */
interface DeviationCount {
  readonly field: Field;
  readonly deviation: Deviation;
  readonly count: number;
  /** The first documents, as code and number: `305/1042`. */
  readonly documents: readonly string[];
}

/** The documents of one type in the files. */
interface TypeTotal {
  readonly type: DocumentType;
  readonly code: number;
  readonly documents: number;
  readonly total: Agorot;
}

/** The documents that are in the book and not in the files. */
export interface LeftOut {
  /** Documents of a type that has no code. */
  documents: number;
  /** Lines of receipts, which have their payments instead. */
  receiptLines: number;
  /** References to a base document of a type that has no code. */
  baseDocuments: number;
}

const systemConstant = `&OF${law.uniformStructure.values.at(-1)?.value}&`;
const charsetCodes: Readonly<Record<UniformCharset, number>> = { 'iso-8859-8': 1, cp862: 2 };
/** The fields that every record has: the VAT number of the business, and the number of the record in its file. */
const fixedFields: Readonly<Record<RecordCode, { vatNumber?: number; recordNumber?: number }>> = {
  A000: { vatNumber: 1003 },
  summary: {},
  A100: { vatNumber: 1102, recordNumber: 1101 },
  C100: { vatNumber: 1202, recordNumber: 1201 },
  D110: { vatNumber: 1252, recordNumber: 1251 },
  D120: { vatNumber: 1302, recordNumber: 1301 },
  Z900: { vatNumber: 1152, recordNumber: 1151 },
};
const documentsNamed = 5;
/** The kind of software that keeps the years in one book (field 1011): a range of days, and no tax year. */
const multiYear = 2;

/** The order of the summary in INI.TXT. */
const dataRecords: readonly RecordCode[] = ['A100', 'C100', 'D110', 'D120', 'Z900'];

/**
 * The two files of a run, record by record: `open`, `add` for each document in the order of the book, `close`, and then `ini`.
 * What is counted on the way is small, so that a book of any size can be written.
 */
export class UniformFiles {
  readonly #counts = new Map<RecordCode, number>();
  readonly #totals = new Map<DocumentType, { code: number; documents: number; total: Agorot }>();
  readonly #deviations = new Map<
    string,
    { field: Field; deviation: Deviation; count: number; documents: string[] }
  >();
  readonly #leftOut: LeftOut = { documents: 0, receiptLines: 0, baseDocuments: 0 };
  #records = 0;
  #documents = 0;
  #current = '';

  constructor(private readonly run: UniformRun) {}

  /** The first record of BKMVDATA.TXT. */
  open(): Uint8Array {
    return this.#write({ code: 'A100', values: { 1103: this.run.primaryId, 1104: systemConstant } });
  }

  /** The records of a document; none where its type has no code. */
  add(document: UniformDocument): Uint8Array[] {
    const code = uniformDocumentCode(document.type);
    if (code === null) {
      this.#leftOut.documents += 1;
      return [];
    }
    this.#documents += 1;
    this.#current = `${code}/${document.number}`;
    this.#countLeftOut(document);
    const total = this.#totals.get(document.type) ?? { code, documents: 0, total: 0n };
    total.documents += 1;
    total.total += totalOf(document);
    this.#totals.set(document.type, total);
    const records = documentRecords(document, this.#documents);
    const written = records.map((record) => this.#write(record));
    this.#current = '';
    return written;
  }

  /** The last record of BKMVDATA.TXT. */
  close(): Uint8Array {
    const { primaryId } = this.run;
    return this.#write({
      code: 'Z900',
      values: { 1153: primaryId, 1154: systemConstant, 1155: this.#records + 1 },
    });
  }

  /** INI.TXT, after `close`. */
  ini(): Uint8Array[] {
    const summaries = this.recordCounts.map(
      ({ code, count }): RecordValues => ({
        code: 'summary',
        values: { 1050: code, 1051: count },
      }),
    );
    return [this.#header(), ...summaries].map((record) => this.#encode(record));
  }

  /** How many records of each kind BKMVDATA.TXT has, in the order of INI.TXT. */
  get recordCounts(): { code: RecordCode; count: number }[] {
    return dataRecords.flatMap((code) => {
      const count = this.#counts.get(code);
      return count === undefined ? [] : [{ code, count }];
    });
  }

  /** All records of BKMVDATA.TXT. */
  get records(): number {
    return this.#records;
  }

  /** In the order of the codes. */
  get typeTotals(): TypeTotal[] {
    return [...this.#totals].map(([type, total]) => ({ type, ...total })).sort((a, b) => a.code - b.code);
  }

  get leftOut(): Readonly<LeftOut> {
    return this.#leftOut;
  }

  /** In the order of the fields. */
  get deviations(): DeviationCount[] {
    const order = (deviation: Deviation) => deviations.indexOf(deviation);
    return [...this.#deviations.values()].sort(
      (a, b) => a.field.number - b.field.number || order(a.deviation) - order(b.deviation),
    );
  }

  #header(): RecordValues {
    const { business, software, began, charset } = this.run;
    return {
      code: 'A000',
      values: {
        1002: this.#records,
        1004: this.run.primaryId,
        1005: systemConstant,
        1006: software.registration,
        1007: software.name,
        1008: software.version,
        1009: software.vendorTaxId,
        1010: software.vendorName,
        1011: multiYear,
        1012: this.run.path,
        // No bookkeeping: neither journal (B100) nor accounts (B110).
        1013: 0,
        1015: business.isCompany ? business.taxId : null,
        1018: business.name,
        1019: business.address,
        1021: business.city,
        1024: this.run.from,
        1025: this.run.to,
        1026: began.day,
        1027: began.time,
        1028: 0,
        1029: charsetCodes[charset],
        1030: 'ZIP',
        1032: 'ILS',
        1034: 0,
      },
    };
  }

  #countLeftOut({ type, items, based_on }: UniformDocument): void {
    this.#leftOut.receiptLines += acknowledgesPayment(type) ? items.length : 0;
    if (based_on !== null && uniformDocumentCode(based_on.type) === null) {
      this.#leftOut.baseDocuments += 1;
    }
  }

  #write(record: RecordValues): Uint8Array {
    this.#records += 1;
    this.#counts.set(record.code, (this.#counts.get(record.code) ?? 0) + 1);
    return this.#encode(record);
  }

  #encode({ code, values, needed = [] }: RecordValues): Uint8Array {
    const layout = recordLayouts[code];
    const all: Record<number, FieldValue> = { ...values };
    const { vatNumber, recordNumber } = fixedFields[code];
    if (vatNumber !== undefined) {
      all[vatNumber] = this.run.business.taxId;
    }
    if (recordNumber !== undefined) {
      all[recordNumber] = this.#records;
    }
    if (code !== 'summary') {
      all[layout.fields[0]?.number ?? 0] = code;
    }
    const record = writeRecord(layout, all, this.run.charset, (field, deviation) =>
      this.#count(field, deviation),
    );
    for (const field of layout.fields.filter(({ number }) => needed.includes(number))) {
      if (/^0*$/.test(digitsOf(record, field))) {
        this.#count(field, 'missing');
      }
    }
    return record;
  }

  #count(field: Field, deviation: Deviation): void {
    const key = `${field.number} ${deviation}`;
    const found = this.#deviations.get(key) ?? { field, deviation, count: 0, documents: [] };
    found.count += 1;
    if (
      this.#current !== '' &&
      found.documents.length < documentsNamed &&
      !found.documents.includes(this.#current)
    ) {
      found.documents.push(this.#current);
    }
    this.#deviations.set(key, found);
  }
}

/** A field of digits, as it is written. */
const digitsOf = (record: Uint8Array, { start, length }: Field): string =>
  String.fromCharCode(...record.subarray(start - 1, start - 1 + length));
