import type { BookEntry, Business } from '@pinkas/contracts';
import { fromShekels } from '@pinkas/domain';
import { dataFile } from './data-check.js';
import type { FileDocument } from './document-rules.js';
import {
  digitsOf,
  type Expected,
  headerOf,
  linesOf,
  minuteOf,
  paymentOf,
  typeCodes,
  withoutVat,
} from './expected-fields.js';
import type { Findings } from './findings.js';
import type { Ini } from './ini-check.js';
import { saysSame } from './plain-letters.js';
import { type ParsedRecord } from './read-records.js';
import { type Picture, recordTables } from './record-tables.js';

/** How far it is looked ahead for documents that are the same again, after one that is not. */
const lookAhead = 50;

/**
 * Compares the documents of the file with the book, both in the order of the book. Where their types or numbers differ, both are
 * skipped up to the nearest document that is the same again; what was skipped of both is compared in pairs.
 */
export class BookComparison {
  readonly #waiting: BookEntry[] = [];
  readonly #file: FileDocument[] = [];
  readonly #ranAt: string;
  #bookEnded = false;
  #fileEnded = false;

  constructor(
    business: Business,
    ini: Ini,
    private readonly findings: Findings,
  ) {
    this.#ranAt = ini.header.raw(1026) + ini.header.raw(1027);
    this.#compareField(ini.header, 1003, digitsOf(business.tax_id), 'INI.TXT', 1);
  }

  /** Adds a document of the book, or its end. */
  book(entry: BookEntry | null): void {
    if (entry === null) {
      this.#bookEnded = true;
    } else if (typeCodes[entry.document.type] !== undefined) {
      this.#waiting.push(entry);
    }
    this.#advance();
  }

  /** Adds a document of the file, or its end. */
  file(document: FileDocument | null): void {
    if (document === null) {
      this.#fileEnded = true;
    } else {
      this.#file.push(document);
    }
    this.#advance();
  }

  /** Whether the next document of the book is needed before another one of the file. */
  get needsBook(): boolean {
    return !this.#bookEnded && this.#file.length > 0 && this.#waiting.length < lookAhead;
  }

  /** Compares what has arrived of both, as far as it is known what belongs together. */
  #advance(): void {
    while (this.#waiting.length > 0 || this.#file.length > 0) {
      const [entry] = this.#waiting;
      const [document] = this.#file;
      if (entry && document && keyOf(entry) === fileKeyOf(document)) {
        this.#skip(1, 1);
      } else if (
        (this.#bookEnded || this.#waiting.length >= lookAhead) &&
        (this.#fileEnded || this.#file.length >= lookAhead)
      ) {
        this.#skip(...this.#nearest());
      } else {
        return;
      }
    }
  }

  /** How many documents of the book and of the file come before the nearest that is in both; the end of both is one as well. */
  #nearest(): [ofBook: number, ofFile: number] {
    const positions = new Map(this.#waiting.map((entry, index) => [keyOf(entry), index]));
    const found = this.#file.flatMap((document, ofFile): [number, number][] => {
      const ofBook = positions.get(fileKeyOf(document));
      return ofBook === undefined ? [] : [[ofBook, ofFile]];
    });
    const [nearest] = found.sort((a, b) => a[0] + a[1] - b[0] - b[1]);
    if (nearest) {
      return nearest;
    }
    if (this.#bookEnded && this.#fileEnded) {
      return [this.#waiting.length, this.#file.length];
    }
    // Too many differ: the one that comes first by its key has no counterpart.
    const [entry] = this.#waiting;
    const [document] = this.#file;
    return entry && (!document || compareKeys(entry, document) < 0) ? [1, 0] : [0, 1];
  }

  /** Takes the next documents of both. */
  #skip(ofBook: number, ofFile: number): void {
    const entries = this.#waiting.splice(0, ofBook);
    const documents = this.#file.splice(0, ofFile);
    for (let index = 0; index < Math.max(ofBook, ofFile); index += 1) {
      const entry = entries[index];
      const document = documents[index];
      if (entry && document && isLike(entry, document)) {
        this.#compare(entry, document);
        continue;
      }
      if (entry) {
        this.#missing(entry);
      }
      if (document) {
        this.#unknown(document);
      }
    }
  }

  #missing({ document }: BookEntry): void {
    this.findings.add(dataFile, null, null, `lacks ${document.type} ${document.number} of the book`);
  }

  #unknown({ header, record }: FileDocument): void {
    this.findings.add(
      dataFile,
      record,
      1204,
      `type ${header.raw(1203)} ${header.text(1204)} is not in the book`,
    );
  }

  #compare(entry: BookEntry, document: FileDocument): void {
    const { cancelled_at } = entry.state;
    // What was cancelled while the export ran may be cancelled in it or not.
    const isCancelled =
      cancelled_at !== null && (minuteOf(cancelled_at) < this.#ranAt || document.header.text(1228) === '1');
    this.#compareRecord(document.header, headerOf(entry, isCancelled), document.record);
    const lines = linesOf(entry);
    const { payments } = entry.document;
    this.#compareCount(document, 'D110', document.lines.length, lines.length);
    this.#compareCount(document, 'D120', document.payments.length, payments.length);
    lines.forEach((expected, index) => {
      const line = document.lines[index];
      if (line) {
        const at = Number(line.amount(1251));
        this.#compareRecord(line, expected, at);
        if (expected[1267] === undefined) {
          this.#compareNet(line, entry, index, at);
        }
      }
    });
    payments.forEach((payment, index) => {
      const record = document.payments[index];
      if (record) {
        this.#compareRecord(record, paymentOf(entry, payment), Number(record.amount(1301)));
      }
    });
  }

  #compareCount({ record }: FileDocument, code: string, found: number, expected: number): void {
    if (found !== expected) {
      this.findings.add(dataFile, record, null, `has ${found} ${code}, and the book has ${expected}`);
    }
  }

  /** Compares every field of a record but those that only the file knows. */
  #compareRecord(record: ParsedRecord, expected: Expected, at: number): void {
    for (const { number, picture } of recordTables.get(record.code)?.fields ?? []) {
      const own = picture === 'R' || number % 50 <= 2 || (ownFields.has(number) && !(number in expected));
      if (!own) {
        this.#compareField(record, number, expected[number] ?? null, dataFile, at);
      }
    }
  }

  #compareField(
    record: ParsedRecord,
    field: number,
    expected: string | bigint | null,
    file: string,
    at: number,
  ): void {
    const wanted = this.#differs(record, field, expected);
    if (wanted !== null) {
      this.findings.add(file, at, field, `is ${shown(record, field)}, and the book has ${wanted}`);
    }
  }

  /** @returns what the book has where the field says something else; null where it states the same. */
  #differs(record: ParsedRecord, number: number, expected: string | bigint | null): string | null {
    const field = recordTables.get(record.code)?.fields.find((candidate) => candidate.number === number);
    if (!field) {
      return null;
    }
    if (field.picture === 'X') {
      const text = typeof expected === 'string' ? expected : '';
      return saysSame(record.text(number), text, field.to - field.from + 1) ? null : `"${text}"`;
    }
    const width = field.to - field.from + 1;
    const wanted = typeof expected === 'bigint' ? expected : BigInt((expected || '0').slice(-width));
    return record.amount(number) === wanted ? null : decimalOf(field.picture, wanted);
  }

  /** A net line is as it was issued; of gross prices it is its share of the subtotal, within an agora and its rounding. */
  #compareNet(record: ParsedRecord, { document }: BookEntry, index: number, at: number): void {
    const listed = fromShekels(document.items[index]?.line_total ?? 0);
    const share = withoutVat(listed, document);
    const difference = record.amount(1267) - share;
    const tolerance = document.prices_include_vat ? 2n : 0n;
    if (difference > tolerance || difference < -tolerance) {
      this.findings.add(
        dataFile,
        at,
        1267,
        `is ${shown(record, 1267)}, and the book has ${decimalOf('S9V2', share)}`,
      );
    }
  }
}

/** A number as people write it. */
function decimalOf(picture: Picture, value: bigint): string {
  const decimals = { S9V2: 2, S9V4: 4 }[picture as string] ?? 0;
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return `${value < 0n ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`;
}

/** What a field has, as people write it; as it is where it is malformed. */
function shown(record: ParsedRecord, number: number): string {
  const { picture = 'X' } =
    recordTables.get(record.code)?.fields.find((field) => field.number === number) ?? {};
  const text = record.text(number);
  return picture === 'X' || !/^[+-]?\d+$/.test(text)
    ? `"${text}"`
    : decimalOf(picture, record.amount(number));
}

/** What only the file knows: links, and the sum of a line, which is compared separately. */
const ownFields = new Set([1234, 1255, 1267, 1273, 1305, 1323]);

const typesByCode = new Map(Object.entries(typeCodes).map(([type, code]) => [code, type]));

/** The type and number of a document, as the book and the file have them. */
const keyOf = ({ document: { type, number } }: BookEntry): string => `${typeCodes[type]} ${number}`;
const fileKeyOf = ({ header }: FileDocument): string => `${header.raw(1203)} ${header.text(1204)}`;

/** Whether a document of the file may be this one of the book, with a type or a number that was changed. */
const isLike = ({ document: { type, number } }: BookEntry, { header }: FileDocument): boolean =>
  header.raw(1203) === typeCodes[type] || header.text(1204) === String(number);

/** Below zero where the document of the book comes first. Types are in the order of their names; an unknown one comes first. */
function compareKeys({ document }: BookEntry, { header }: FileDocument): number {
  const type = typesByCode.get(header.raw(1203)) ?? '';
  if (document.type !== type) {
    return document.type < type ? -1 : 1;
  }
  const number = header.text(1204);
  // What is no number is no document of the book, and comes first.
  return /^\d+$/.test(number) ? Math.sign(document.number - Number(number)) : 1;
}
