import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPromise } from 'yauzl';
import { type PaperField, paperRecords, paperTypes } from './paper-tables.js';

/**
 * Reads the files of a run by the authority's instructions 1.31 alone: nothing of the product is used. Every finding names the
 * section that is broken.
 */
export interface PaperReading {
  readonly findings: readonly string[];
  readonly documents: readonly PaperDocument[];
  /** The header of INI.TXT by field. */
  readonly ini: ReadonlyMap<number, string>;
}

/** A document as the file has it, amounts in hundredths. */
export interface PaperDocument {
  readonly type: string;
  readonly number: string;
  readonly header: ReadonlyMap<number, string>;
  readonly lines: readonly ReadonlyMap<number, string>[];
  readonly payments: readonly ReadonlyMap<number, string>[];
}

type Values = ReadonlyMap<number, string>;
const constant = '&OF1.31&';
const crLf = '\r\n';

/** The whole number behind an amount or digits; 0 where there is none. */
export function wholeOf(values: Values, field: number): bigint {
  const text = values.get(field) ?? '';
  return /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : 0n;
}

/** The text of a field without what fills it. */
export const textOf = (values: Values, field: number): string =>
  (values.get(field) ?? '').replace(/^!+$/, '').trimEnd();

class Reader {
  readonly findings: string[] = [];
  readonly documents: {
    type: string;
    number: string;
    header: Values;
    lines: Values[];
    payments: Values[];
  }[] = [];
  readonly counts = new Map<string, number>();
  #charset: 'hebrew' | 'dos' = 'hebrew';

  expect(isRight: boolean, section: string, what: string): void {
    if (!isRight) {
      this.findings.push(`§${section}: ${what}`);
    }
  }

  /** The records of a file, without their ends (§2.4 i). */
  #recordsOf(bytes: Buffer, file: string): Buffer[] {
    const text = bytes.toString('latin1');
    this.expect(text.endsWith(crLf), '2.4 i', `${file} ends without CR LF`);
    const records = text.split(crLf).slice(0, -1);
    this.expect(!records.some((record) => /[\r\n]/.test(record)), '2.4 i', `${file} has a lone CR or LF`);
    return records.map((record) => Buffer.from(record, 'latin1'));
  }

  #fieldsOf(record: Buffer, code: string, at: string): Values {
    const { length = 0, fields = [] } = paperRecords.get(code) ?? {};
    this.expect(record.length === length, '2.5 e', `${at} has ${record.length} characters, not ${length}`);
    const values = new Map<number, string>();
    for (const field of fields) {
      const bytes = record.subarray(field.first - 1, field.last);
      const text = this.#decoded(bytes, field.format);
      values.set(field.number, text);
      this.#checkField(field, text, `${at}, ${field.number} "${text}"`);
    }
    return values;
  }

  /** 1 is ISO-8859-8-i, 2 is CP-862 (§2.4 h). */
  #decoded(bytes: Buffer, format: PaperField['format']): string {
    if (format !== 'X') {
      return bytes.toString('latin1');
    }
    if (this.#charset === 'hebrew') {
      return new TextDecoder('iso-8859-8').decode(bytes);
    }
    return [...bytes]
      .map((byte) =>
        byte >= 0x80 && byte <= 0x9a ? String.fromCharCode(0x5d0 + byte - 0x80) : String.fromCharCode(byte),
      )
      .join('');
  }

  #checkField({ format, isMandatory }: PaperField, text: string, at: string): void {
    const isEmpty = /^(?: *|!+)$/.test(text);
    const needed = [!(isEmpty && isMandatory), '2.3 g', 'is mandatory'] as const;
    const rules: Record<
      PaperField['format'],
      readonly (readonly [isRight: boolean, section: string, what: string])[]
    > = {
      F: [[isEmpty, '2.4 i', 'is reserved']],
      // ISO-8859-8-i is not Windows-1255, and has no character without a picture.
      X: [
        needed,
        [isEmpty || !text.startsWith(' '), '2.3 e', 'is not on the left'],
        [!/[\p{Cc}\p{Cf}\ufffd]/u.test(text), '2.4 h', 'is outside the charset'],
      ],
      9: [[/^\d+$/.test(text), '2.3 c', 'is not of digits']],
      DATE: [[isDay(text) || (!isMandatory && /^0{8}$/.test(text)), '2.4 b', 'is no day']],
      TIME: [[/^(?:[01]\d|2[0-3])[0-5]\d$/.test(text), '2.4 c', 'is no time']],
      '9v99': [needed, ...amountRules(text, isEmpty)],
      '9v9999': [needed, ...amountRules(text, isEmpty)],
    };
    for (const [isRight, section, what] of rules[format]) {
      this.expect(isRight, section, `${at} ${what}`);
    }
  }

  ini(bytes: Buffer): { header: Values; sums: Map<string, bigint> } {
    const [first = Buffer.alloc(0), ...rest] = this.#recordsOf(bytes, 'INI.TXT');
    this.#charset = first.subarray(395, 396).toString() === '2' ? 'dos' : 'hebrew';
    const header = this.#fieldsOf(first, 'A000', 'A000');
    this.expect(header.get(1000) === 'A000', '2.5 b', 'INI.TXT does not begin with an A000');
    this.expect(header.get(1005) === constant, '3.1', '1005 is another constant');
    for (const [field, pattern] of [
      [1011, /^[12]$/],
      [1013, /^[012]$/],
      [1028, /^[012]$/],
      [1029, /^[12]$/],
      [1034, /^[01]$/],
    ] as const) {
      this.expect(pattern.test(header.get(field) ?? ''), '3.1', `${field} is ${header.get(field)}`);
    }
    this.expect(wholeOf(header, 1004) > 0n, '2.4 a', 'the primary id is zero');
    const isMultiYear = header.get(1011) === '2';
    const range = [header.get(1024) ?? '', header.get(1025) ?? ''];
    this.expect(
      !isMultiYear || (range.every(isDay) && String(range[0]) <= String(range[1])),
      '3.1',
      `the range is ${range}`,
    );
    this.expect(
      /^(?:[A-Z]:\\)?OPENFRMT\\\d{8}\.\d\d\\\d{8}$/.test(textOf(header, 1012)),
      '2.2',
      `1012 is ${textOf(header, 1012)}`,
    );
    const sums = new Map<string, bigint>();
    for (const record of rest) {
      const values = this.#fieldsOf(record, 'SUM', 'summary');
      const code = values.get(1050) ?? '';
      this.expect(!sums.has(code) && paperRecords.has(code), '3.2', `a summary of ${code}`);
      sums.set(code, wholeOf(values, 1051));
    }
    return { header, sums };
  }

  data(bytes: Buffer, ini: Values): void {
    const records = this.#recordsOf(bytes, 'BKMVDATA.TXT');
    records.forEach((record, index) => {
      const code = record.subarray(0, 4).toString('latin1');
      const at = `record ${index + 1} (${code})`;
      if (!paperRecords.has(code) || code === 'A000') {
        this.expect(false, '2.5 e', `${at} is unknown`);
        return;
      }
      this.counts.set(code, (this.counts.get(code) ?? 0) + 1);
      const values = this.#fieldsOf(record, code, at);
      const base =
        { A: 1100, C: 1200, D: code === 'D110' ? 1250 : 1300, M: 1450, Z: 1150 }[code.charAt(0)] ?? 0;
      this.expect(
        wholeOf(values, base + 1) === BigInt(index + 1),
        '2.4 j',
        `${at} has number ${values.get(base + 1)}`,
      );
      this.expect(values.get(base + 2) === ini.get(1003), '4', `${at} is of ${values.get(base + 2)}`);
      this.expect((code === 'A100') === (index === 0), '2.5 c', `${at} is no opening, or not the first`);
      this.expect(
        (code === 'Z900') === (index === records.length - 1),
        '2.5 c',
        `${at} is no end, or not the last`,
      );
      if (code === 'A100' || code === 'Z900') {
        this.expect(values.get(base + 3) === ini.get(1004), '2.4 a', `${at} has another primary id`);
        this.expect(values.get(base + 4) === constant, '4.1', `${at} has another constant`);
      }
      if (code === 'Z900') {
        this.expect(wholeOf(values, 1155) === BigInt(records.length), '4.2', '1155 is another count');
      }
      this.#place(code, values, at);
    });
    this.expect(wholeOf(ini, 1002) === BigInt(records.length), '3.1', '1002 is another count');
  }

  #place(code: string, values: Values, at: string): void {
    if (code === 'C100') {
      const number = textOf(values, 1204);
      this.documents.push({ type: values.get(1203) ?? '', number, header: values, lines: [], payments: [] });
      return;
    }
    const document = this.documents.at(-1);
    const [type, number, line, date, link] =
      code === 'D110' ? [1253, 1254, 1255, 1272, 1273] : [1303, 1304, 1305, 1322, 1323];
    if (code !== 'D110' && code !== 'D120') {
      return;
    }
    if (!document) {
      this.expect(false, '4.3', `${at} has no C100 before it`);
      return;
    }
    const parts = code === 'D110' ? document.lines : document.payments;
    parts.push(values);
    this.expect(values.get(type) === document.type, '4.4', `${at} is of another type`);
    // With or without zeros before it, in one and the same way everywhere.
    this.expect(textOf(values, number) === document.number, '2.4 d', `${at} is of another number`);
    this.expect(values.get(date) === document.header.get(1230), '4.4', `${at} has another date`);
    this.expect(values.get(link) === document.header.get(1234), '5.5 note 11', `${at} has another link`);
    this.expect(wholeOf(values, line) === BigInt(parts.length), '4.4', `${at} is not line ${parts.length}`);
  }
}

const amountRules = (text: string, isEmpty: boolean) =>
  [
    [isEmpty || /^[+-]\d+$/.test(text), '2.3 f', 'is no amount'],
    [!/^-0+$/.test(text), '2.4 k', 'is a negative zero'],
  ] as const;

function isDay(text: string): boolean {
  const day = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
  return /^\d{8}$/.test(text) && new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) === day;
}

const sumOf = (records: readonly Values[], field: number): bigint =>
  records.reduce((sum, record) => sum + wholeOf(record, field), 0n);
const near = (a: bigint, b: bigint, within: bigint): boolean => (a < b ? b - a : a - b) <= within;

/** Whether a document keeps the rules of §2.4, §4.3 to §4.5 and §5.5. */
function checkDocument(reader: Reader, document: PaperDocument, ini: Values): void {
  const { type, number, header, lines, payments } = document;
  const expect = (isRight: boolean, section: string, what: string) =>
    reader.expect(isRight, section, `${type}/${number}: ${what}`);
  const whole = (field: number) => wholeOf(header, field);
  const isReceipt = type === '400' || type === '405';
  expect(paperTypes.includes(type), '2.4 e', 'is no type of appendix 1');
  expect(/^\p{L}{0,5}\d+$/u.test(number), '2.4 d', 'is no number');
  const date = header.get(1230) ?? '';
  expect(
    date >= String(ini.get(1024)) && date <= String(ini.get(1025)),
    '2.1 c',
    `its date ${date} is outside`,
  );
  expect(
    Number(type) > 710 || (textOf(header, 1207) !== '' && textOf(header, 1225) !== ''),
    '4.3',
    'has no customer',
  );
  expect(['', '1'].includes(textOf(header, 1228)), '4.3', '1228 is neither blank nor 1');
  expect(/^(?:[A-Z]{2})?$/.test(textOf(header, 1213)), '2.4 g', '1213 is no country');
  expect(whole(1217) === 0n && textOf(header, 1218) === '', '4.3', '1217, 1218 are of export invoices');
  for (const field of [1219, 1221, 1222, 1223, 1224]) {
    expect(whole(field) >= 0n, '2.4 l', `${field} is negative`);
  }
  expect(whole(1220) <= 0n, '5.5 note 5', 'its discount is positive');
  if (isReceipt) {
    expect(
      whole(1219) === whole(1223) && whole(1221) === whole(1223),
      '5.5 note 4',
      '1219, 1221, 1223 differ',
    );
    expect(whole(1220) === 0n && whole(1222) === 0n, '5.5 note 4', '1220 or 1222 is not zero');
  } else {
    expect(whole(1224) === 0n, '4.3', '1224 is of receipts only');
    expect(whole(1219) + whole(1220) === whole(1221), '4.3', '1219 and 1220 are not 1221');
    expect(whole(1221) + whole(1222) === whole(1223), '4.3', '1221 and 1222 are not 1223');
    expect(lines.length > 0, '4.4', 'has no D110');
  }
  if (lines.length > 0) {
    expect(
      sumOf(lines, 1267) === whole(1219),
      '4.4',
      `its lines are ${sumOf(lines, 1267)}, not ${whole(1219)}`,
    );
  }
  const isPaid = isReceipt || type === '320';
  expect(isPaid || payments.length === 0, '4.5', 'has a D120');
  if (isPaid) {
    expect(near(sumOf(payments, 1312), whole(1223), 1n), '5.5 note 4', 'its D120 are not 1223');
  }
  for (const line of lines) {
    checkLine(expect, line);
  }
  for (const payment of payments) {
    checkPayment(expect, payment);
  }
}

type Expect = (isRight: boolean, section: string, what: string) => void;

function checkLine(expect: Expect, line: Values): void {
  const at = `line ${wholeOf(line, 1255)}`;
  const base = line.get(1256) ?? '';
  expect(base === '000' || paperTypes.includes(base), '2.4 e', `${at} is based on ${base}`);
  expect((base === '000') === (textOf(line, 1257) === ''), '5.5 note 6', `${at} has 1256 without 1257`);
  expect(/^[0-3]$/.test(line.get(1258) ?? ''), '4.4', `${at}: 1258`);
  expect(textOf(line, 1263) !== '', '4.4', `${at} has no unit`);
  expect(wholeOf(line, 1264) > 0n, '2.4 l', `${at} has no quantity`);
  expect(wholeOf(line, 1266) <= 0n, '5.5 note 5', `${at} has a positive discount`);
  const [quantity, price] = [wholeOf(line, 1264), wholeOf(line, 1265)];
  const product = (2n * quantity * price + 10_000n) / 20_000n + wholeOf(line, 1266);
  // A price without VAT is rounded: by half an agora in each unit, and by one more in the sum of the lines.
  expect(near(product, wholeOf(line, 1267), quantity / 20_000n + 3n), '4.4', `${at} is not 1264 × 1265`);
}

function checkPayment(expect: Expect, payment: Values): void {
  const at = `payment ${wholeOf(payment, 1305)}`;
  const means = payment.get(1306) ?? '';
  expect(/^[1-9]$/.test(means), '4.5', `${at} has means ${means}`);
  for (const field of [1307, 1308, 1309, 1310]) {
    expect((means === '2') === wholeOf(payment, field) > 0n, '4.5', `${at}: ${field} and means ${means}`);
  }
  expect(means === '2' || means === '3' || payment.get(1311) === '00000000', '4.5', `${at} has a due day`);
  expect(
    means === '3' || (wholeOf(payment, 1313) === 0n && textOf(payment, 1314) === ''),
    '4.5',
    `${at} has a card`,
  );
}

/** The one file of BKMVDATA.zip. */
async function zipped(folder: string): Promise<Buffer> {
  const zip = await openPromise(join(folder, 'BKMVDATA.zip'));
  const parts: Buffer[] = [];
  for await (const entry of zip.eachEntry()) {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      parts.push(chunk as Buffer);
    }
  }
  return Buffer.concat(parts);
}

/** Reads INI.TXT and the packed BKMVDATA of a folder. */
export async function readByPaper(folder: string): Promise<PaperReading> {
  const reader = new Reader();
  const { header: ini, sums } = reader.ini(await readFile(join(folder, 'INI.TXT')));
  reader.data(await zipped(folder), ini);
  for (const code of ['B100', 'B110', 'C100', 'D110', 'D120', 'M100']) {
    const [found, counted] = [BigInt(reader.counts.get(code) ?? 0), sums.get(code) ?? 0n];
    reader.expect(found === counted, '3.2', `INI.TXT counts ${counted} ${code}, and there are ${found}`);
  }
  const keys = new Set(reader.documents.map(({ type, number }) => `${type}/${number}`));
  reader.expect(keys.size === reader.documents.length, '4.3', 'a document is there twice');
  for (const document of reader.documents) {
    checkDocument(reader, document, ini);
  }
  return { findings: reader.findings, documents: reader.documents, ini };
}
