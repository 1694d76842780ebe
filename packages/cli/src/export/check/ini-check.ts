import { hasValidCheckDigit } from '@pinkas/domain';
import { systemConstant } from './data-check.js';
import { type Declared, isCurrency } from './document-rules.js';
import type { Findings, Report } from './findings.js';
import { type Line, malformedFields, ParsedRecord, readLines } from './read-records.js';
import { recordTables } from './record-tables.js';

export const iniFile = 'INI.TXT';

/** INI.TXT as it is read. */
export interface Ini {
  readonly header: ParsedRecord;
  readonly declared: Declared;
  readonly records: bigint;
  /** The count of each kind of record. */
  readonly summaries: ReadonlyMap<string, bigint>;
}

/**
 * Reads and checks INI.TXT by itself.
 * @returns null where its first record cannot be read, without which nothing else can be.
 */
export async function readIni(path: string, findings: Findings): Promise<Ini | null> {
  const summaries = new Map<string, bigint>();
  let header: ParsedRecord | null = null;
  let record = 0;
  const add: Report = (field, reason, section) => findings.add(iniFile, record, field, reason, section);
  for await (const line of readLines(path)) {
    record += 1;
    const parsed = parseLine(line, record === 1 ? 'A000' : 'SUMM', add);
    if (record === 1) {
      header = parsed;
    } else if (parsed) {
      addSummary(parsed, summaries, add);
    }
  }
  if (!header) {
    findings.add(iniFile, null, null, 'has no A000 as its first record', '2.5 b');
    return null;
  }
  checkHeader(header, (field, reason, section) => findings.add(iniFile, 1, field, reason, section));
  return { header, declared: declaredBy(header), records: header.amount(1002), summaries };
}

/** @returns null for a line of another length. */
function parseLine({ bytes, ended }: Line, code: string, add: Report): ParsedRecord | null {
  if (!ended) {
    add(null, 'does not end with CR LF', '2.4 i');
  }
  const length = recordTables.get(code)?.length;
  if (bytes.length !== length) {
    add(null, `has ${bytes.length} characters instead of ${length}`, '2.5 e');
    return null;
  }
  // 1029 names the charset of the record that it is in.
  const charset = code === 'A000' ? bytes.subarray(395, 396).toString('latin1') : '1';
  for (const [field, reason, section] of malformedFields(code, bytes, charset)) {
    add(field, reason, section);
  }
  return new ParsedRecord(code, Buffer.from(bytes), charset);
}

function checkHeader(header: ParsedRecord, add: Report): void {
  const expect = (field: number, pattern: RegExp, reason: string) => {
    if (!pattern.test(header.raw(field))) {
      add(field, reason, '3.1');
    }
  };
  expect(1000, /^A000$/, 'is not A000');
  if (header.raw(1005) !== systemConstant) {
    add(1005, `is not ${systemConstant}`, '3.1');
  }
  if (!hasValidCheckDigit(header.raw(1003))) {
    add(1003, 'has a wrong check digit', null);
  }
  expect(1004, /[1-9]/, 'is zero');
  expect(1011, /^[12]$/, 'is neither 1 (a year) nor 2 (several years)');
  expect(1013, /^[012]$/, 'is no kind of bookkeeping');
  expect(1028, /^[012]$/, 'is no language');
  expect(1029, /^[12]$/, 'is neither 1 (ISO-8859-8-i) nor 2 (CP-862)');
  expect(1034, /^[01]$/, 'is neither 0 nor 1');
  if (header.raw(1013) === '2') {
    expect(1014, /^[12]$/, 'is mandatory in double entry, and neither 1 nor 2');
  }
  if (!isCurrency(header.text(1032))) {
    add(1032, `is "${header.text(1032)}", which is no code of a currency`, '2.4 f');
  }
  if (header.raw(1011) === '2' && header.raw(1024) > header.raw(1025)) {
    add(1024, 'is after 1025', '3.1');
  }
  if (header.raw(1011) === '2' && /^0+$/.test(header.raw(1024) + header.raw(1025))) {
    add(1024, 'is missing', '3.1');
  }
  if (header.raw(1011) === '1' && !/^(19|20)\d\d$/.test(header.raw(1023))) {
    add(1023, 'is no year', '3.1');
  }
}

function addSummary(parsed: ParsedRecord, summaries: Map<string, bigint>, add: Report): void {
  const code = parsed.raw(1050);
  if (!recordTables.has(code) || code === 'A000' || code === 'SUMM') {
    add(1050, 'is no record of BKMVDATA.TXT', '3.2');
  } else if (summaries.has(code)) {
    add(1050, `counts ${code} again`, '3.2');
  }
  summaries.set(code, parsed.amount(1051));
}

function declaredBy(header: ParsedRecord): Declared {
  const year = header.raw(1023);
  const [from, to] =
    header.raw(1011) === '1' ? [`${year}0101`, `${year}1231`] : [header.raw(1024), header.raw(1025)];
  return {
    vatNumber: header.raw(1003),
    primaryId: header.raw(1004),
    charset: header.raw(1029),
    from,
    to,
    runDate: header.raw(1026),
    hasBranches: header.raw(1034) === '1',
  };
}
