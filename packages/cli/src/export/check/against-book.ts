import type { BookEntry, Business, Payment } from '@pinkas/contracts';
import { type Agorot, dayInIsrael, fromShekels, timeInIsrael } from '@pinkas/domain';
import { dataFile, type FileDocument } from './data-check.js';
import type { Findings } from './findings.js';
import type { Ini } from './ini-check.js';
import { saysSame } from './plain-letters.js';
import { type ParsedRecord } from './read-records.js';
import { type Picture, recordTables } from './record-tables.js';

/** What a field has to say: the text of a text field, the digits of another. Absent: blank, or zero. */
type Expected = Readonly<Record<number, string | bigint | null>>;

/** The codes of our types in the authority's appendix 1. */
const typeCodes: Readonly<Record<string, string>> = {
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
const meansCodes: Readonly<Record<string, string>> = {
  cash: '1',
  check: '2',
  credit_card: '3',
  bank_transfer: '4',
};

const digitsOf = (text: string | number | null): string => String(text ?? '').replaceAll(/\D/g, '');
const hhmm = (instant: Date): string => digitsOf(timeInIsrael(instant));
const yyyymmdd = (instant: Date): string => digitsOf(dayInIsrael(instant));

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

  #minuteOf(instant: string): string {
    const at = new Date(instant);
    return yyyymmdd(at) + hhmm(at);
  }

  #compare(entry: BookEntry, document: FileDocument): void {
    this.#compareRecord(document.header, this.#header(entry, document), document.record);
    const { payments } = entry.document;
    const isReceipt = ['receipt', 'donation_receipt'].includes(entry.document.type);
    const items = isReceipt ? [] : entry.document.items;
    this.#compareCount(document, 'D110', document.lines.length, items.length);
    this.#compareCount(document, 'D120', document.payments.length, payments.length);
    items.forEach((_item, index) => {
      const line = document.lines[index];
      if (line) {
        const at = Number(line.amount(1251));
        this.#compareRecord(line, lineOf(entry, index), at);
        this.#compareNet(line, entry, index, at);
      }
    });
    payments.forEach((payment, index) => {
      const record = document.payments[index];
      if (record) {
        this.#compareRecord(record, paymentOf(entry, payment), Number(record.amount(1301)));
      }
    });
    this.#compareItems(document, items);
  }

  #compareCount({ record }: FileDocument, code: string, found: number, expected: number): void {
    if (found !== expected) {
      this.findings.add(dataFile, record, null, `has ${found} ${code}, and the book has ${expected}`);
    }
  }

  /** Each SKU has one item, which is named by the first line that has it. */
  #compareItems({ items, record }: FileDocument, lines: BookEntry['document']['items']): void {
    const found = new Map(items.map((item) => [item.raw(1455).trim(), item]));
    for (const item of items) {
      const named = lines.some(({ sku, description }) => {
        return this.#differs(item, 1455, sku) === null && this.#differs(item, 1456, description) === null;
      });
      const at = Number(item.amount(1451));
      if (!named) {
        this.findings.add(dataFile, at, 1455, 'is no item of the document that follows');
      }
      if (item.text(1459) !== 'יחידה') {
        this.findings.add(dataFile, at, 1459, 'is not the unit of the lines');
      }
      for (const field of [1453, 1454, 1457, 1458, 1460, 1461, 1462, 1463, 1464]) {
        this.#compareField(item, field, null, dataFile, at);
      }
    }
    if (found.size !== items.length) {
      this.findings.add(dataFile, record, null, 'has an item twice');
    }
  }

  #header({ document, state }: BookEntry, { header }: FileDocument): Expected {
    const { customer, totals } = document;
    const issuedAt = new Date(document.issued_at);
    const isReceipt = ['receipt', 'donation_receipt'].includes(document.type);
    const subtotal = fromShekels(totals.subtotal);
    const discount = fromShekels(totals.discount);
    // What was cancelled while the export ran may be cancelled in it or not.
    const cancelledBefore = state.cancelled_at !== null && this.#minuteOf(state.cancelled_at) < this.#ranAt;
    const cancelled = state.cancelled_at !== null && (cancelledBefore || header.text(1228) === '1');
    return {
      1203: typeCodes[document.type] ?? '',
      1204: String(document.number),
      1205: yyyymmdd(issuedAt),
      1206: hhmm(issuedAt),
      1207: customer.name,
      1208: customer.address,
      1210: customer.city,
      1214: customer.phone?.replaceAll(/[\s-]/g, '') ?? null,
      1215: digitsOf(customer.tax_id),
      1216: digitsOf(document.due_date),
      ...(!isReceipt && { 1219: subtotal, 1220: -discount, 1221: subtotal - discount }),
      ...(!isReceipt && { 1222: fromShekels(totals.vat) }),
      1223: fromShekels(totals.total),
      1225: digitsAndLetters(customer.id),
      1228: cancelled ? '1' : null,
      1230: digitsOf(document.date),
    };
  }

  /** Compares every field of a record but those that only the file knows. */
  #compareRecord(record: ParsedRecord, expected: Expected, at: number): void {
    for (const { number, picture } of recordTables.get(record.code)?.fields ?? []) {
      const own = picture === 'R' || number % 50 <= 2 || ownFields.has(number);
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

  /** @returns what the book has where the field says something else; null where it says the same. */
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

/** What only the file knows: links, and the sum of a line, which is compared by itself. */
const ownFields = new Set([1234, 1255, 1267, 1273, 1305, 1323]);

const digitsAndLetters = (id: string): string => id.replaceAll('-', '').slice(17);

function lineOf({ document }: BookEntry, index: number): Expected {
  const item = document.items[index];
  const base = document.based_on && typeCodes[document.based_on.type];
  const [whole = '', fraction = ''] = decimal(item?.quantity ?? 0).split('.');
  const [rateWhole = '', rateFraction = ''] = decimal(document.totals.vat_rate).split('.');
  return {
    1253: typeCodes[document.type] ?? '',
    1254: String(document.number),
    ...(base && { 1256: base, 1257: String(document.based_on?.number) }),
    1259: item?.sku ?? null,
    1260: item?.description ?? null,
    1263: 'יחידה',
    1264: BigInt(whole + fraction.padEnd(4, '0')),
    1265: withoutVat(fromShekels(item?.unit_price ?? 0), document),
    1268: rateWhole + rateFraction.padEnd(2, '0'),
    1272: digitsOf(document.date),
  };
}

function paymentOf({ document }: BookEntry, payment: Payment): Expected {
  const isCheck = payment.method === 'check';
  const due = isCheck ? (payment.check_date ?? payment.date) : payment.date;
  return {
    1303: typeCodes[document.type] ?? '',
    1304: String(document.number),
    1306: meansCodes[payment.method] ?? '9',
    1307: digitsOf(payment.bank_code),
    1308: digitsOf(payment.branch),
    1309: digitsOf(payment.account),
    1310: digitsOf(payment.check_number),
    1311: isCheck || payment.method === 'credit_card' ? digitsOf(due) : null,
    1312: fromShekels(payment.amount),
    1314: payment.card_type,
    1322: digitsOf(document.date),
  };
}

/** The shortest decimal form of a number of the book, which is below 1e21 and has at most four decimals. */
const decimal = (value: number): string =>
  String(value).includes('e') ? value.toFixed(4).replace(/\.?0+$/, '') : String(value);

/** An amount of the document without VAT, rounded to agorot. */
function withoutVat(amount: Agorot, { prices_include_vat, totals }: BookEntry['document']): bigint {
  if (!prices_include_vat) {
    return amount;
  }
  const [whole = '', fraction = ''] = decimal(totals.vat_rate).split('.');
  const gross = 10_000n + BigInt(whole + fraction.padEnd(2, '0'));
  return (20_000n * amount + gross) / (2n * gross);
}

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
