import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type BookEntry, type Business, getBookEnd } from '@pinkas/contracts';
import { isCalendarDate } from '@pinkas/domain';
import {
  type BookRange,
  bookEndFile,
  bookPages,
  readBookEnd,
  readSums,
  sha256Of,
  sumsFile,
} from '@pinkas/exports/book';
import type { Call } from '../../builder/command.js';
import { RefusalError } from '../../builder/usage-error.js';
import { BookComparison } from './against-book.js';
import { DataCheck, dataFile } from './data-check.js';
import type { FileDocument } from './document-rules.js';
import { minuteOf } from './expected-fields.js';
import { Findings } from './findings.js';
import { type Ini, iniFile, readIni } from './ini-check.js';
import { readLines } from './read-records.js';
import { checkZip, zipFile } from './zip-check.js';

/** The result of a check. */
export interface CheckResult {
  readonly folder: string;
  readonly documents: number;
  readonly records: number;
  /** Whether the files were compared with the book. */
  readonly compared: boolean;
  readonly findings: Findings;
}

/** Whose book the files are compared with. */
export interface Against {
  readonly call: Call;
  readonly business: Business;
}

/** A comparison, and the entries of the book for it. */
interface Compared {
  readonly comparison: BookComparison;
  readonly book: AsyncGenerator<BookEntry, undefined>;
}

/** Checks the files of one run: sums, INI.TXT, BKMVDATA.TXT, its zip, and with `against` every figure of the book. */
export async function checkFolder(
  named: string,
  against: Against | null,
  onDocuments: (count: number) => void,
): Promise<CheckResult> {
  const folder = await findRun(named);
  const findings = new Findings();
  await checkSums(folder, findings);
  const ini = await readIni(join(folder, iniFile), findings);
  if (!ini) {
    return { folder, documents: 0, records: 0, compared: false, findings };
  }
  checkPath(folder, ini, findings);
  const compared = against && (await openBook(folder, against, ini, findings));
  const data = await checkData(folder, ini, findings, compared, onDocuments);
  checkCounts(ini, data, findings);
  await checkZip(join(folder, zipFile), dataFile, await sha256Of(join(folder, dataFile)), findings);
  return { folder, documents: data.documents, records: data.records, compared: compared !== null, findings };
}

/**
 * The folder of the run: the named one, or the only one below its OPENFRMT.
 * @throws RefusalError where there is none, or more than one.
 */
async function findRun(named: string): Promise<string> {
  const has = (folder: string, name: string) =>
    stat(join(folder, name)).then(
      () => true,
      () => false,
    );
  if (await has(named, iniFile)) {
    if (!(await has(named, dataFile))) {
      throw new RefusalError(`${named} has no ${dataFile}`);
    }
    return named;
  }
  const found: string[] = [];
  for (const business of await readdir(join(named, 'OPENFRMT')).catch(() => [])) {
    for (const run of await readdir(join(named, 'OPENFRMT', business)).catch(() => [])) {
      const folder = join(named, 'OPENFRMT', business, run);
      if ((await has(folder, iniFile)) && (await has(folder, dataFile))) {
        found.push(folder);
      }
    }
  }
  const [only, second] = found;
  if (only === undefined || second !== undefined) {
    throw new RefusalError(
      only === undefined
        ? `${named} has no ${iniFile} with its ${dataFile}: name the folder that pinkas export uniform printed`
        : `${named} has several exports: name one of them, for example ${only}`,
    );
  }
  return only;
}

async function checkSums(folder: string, findings: Findings): Promise<void> {
  const sums = await readSums(folder);
  for (const [name, sum] of sums ?? []) {
    const found = await sha256Of(join(folder, basename(name))).catch(() => null);
    if (found !== sum) {
      findings.add(
        name,
        null,
        null,
        found === null ? `is missing, and ${sumsFile} names it` : `is not the file of ${sumsFile}`,
      );
    }
  }
}

/** The path of INI.TXT, and the folder itself, name the business and the minute of the run. */
function checkPath(folder: string, { header, declared }: Ini, findings: Findings): void {
  const path = header
    .text(1012)
    .split(/[\\/]/)
    .filter((part) => part !== '');
  const real = resolve(folder);
  const [parent, run] = [basename(dirname(real)), basename(real)];
  if (path.at(-1) !== run || path.at(-2) !== parent || path.at(-3) !== 'OPENFRMT') {
    findings.add(
      iniFile,
      1,
      1012,
      `is "${header.text(1012)}", and the files are in ${parent}/${run}`,
      '2.2 b, c',
    );
  }
  const [business, year] = parent.split('.');
  if (business !== declared.vatNumber.slice(0, 8) || year !== declared.runDate.slice(2, 4)) {
    findings.add(iniFile, 1, 1003, `or the day of the run does not match the folder ${parent}`, '2.2 b');
  }
  const minute = declared.runDate.slice(4) + header.raw(1027);
  // A run in the same minute as another has the folder of a later minute.
  if (run < minute && !(run.startsWith('0101') && minute.startsWith('1231'))) {
    findings.add(iniFile, 1, 1027, `is later than the folder ${run}`, '2.2 c');
  }
}

async function checkData(
  folder: string,
  ini: Ini,
  findings: Findings,
  compared: Compared | null,
  onDocuments: (count: number) => void,
): Promise<DataCheck> {
  const data = new DataCheck(ini.declared, findings);
  const { comparison, book } = compared ?? {};
  const compare = async (document: FileDocument) => {
    comparison?.file(document);
    while (book && comparison?.needsBook) {
      const { value } = await book.next();
      comparison.book(value ?? null);
    }
  };
  for await (const line of readLines(join(folder, dataFile))) {
    const ended = data.line(line);
    if (ended) {
      onDocuments(data.documents);
      await compare(ended);
    }
  }
  const last = data.end();
  if (last) {
    await compare(last);
  }
  comparison?.file(null);
  for await (const entry of book ?? []) {
    comparison?.book(entry);
  }
  comparison?.book(null);
  if (comparison && data.counts.has('M100')) {
    findings.add(dataFile, null, null, 'has M100, and the book keeps no stock');
  }
  return data;
}

const dashed = (day: string): string => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;

/** A request has its reply within 15 s: what was issued longer before the minute of the run was committed before it. */
const commitMs = 15_000;

/** @returns null where the files do not say which days of the book to read, and up to where. */
async function openBook(
  folder: string,
  { call, business }: Against,
  ini: Ini,
  findings: Findings,
): Promise<Compared | null> {
  const [from, to] = [dashed(ini.declared.from), dashed(ini.declared.to)];
  if (!isCalendarDate(from) || !isCalendarDate(to)) {
    findings.add(iniFile, 1, null, `has no range of days, but ${from} to ${to}: the book is not compared`);
    return null;
  }
  const until = await readBookEnd(folder);
  if (until === null) {
    findings.add(bookEndFile, null, null, 'does not say where the export ends: the book is not compared');
    return null;
  }
  const { next_issued_at: next } = await call(getBookEnd, { business_id: business.id, after: until });
  const ranAt = ini.header.raw(1026) + ini.header.raw(1027);
  if (next !== null && minuteOf(new Date(Date.parse(next) + commitMs).toISOString()) < ranAt) {
    const reason = `ends at position ${until}, and the book had another document at ${next}, before the run`;
    findings.add(bookEndFile, null, null, reason);
  }
  const comparison = new BookComparison(business, ini, findings);
  return { comparison, book: entriesOf(call, { businessId: business.id, from, to, until }) };
}

async function* entriesOf(call: Call, range: BookRange): AsyncGenerator<BookEntry, undefined> {
  for await (const { entries } of bookPages(call, range)) {
    yield* entries;
  }
}

function checkCounts({ records, summaries }: Ini, data: DataCheck, findings: Findings): void {
  if (records !== BigInt(data.records)) {
    findings.add(iniFile, 1, 1002, `is ${records}, and ${dataFile} has ${data.records} records`, '3.1');
  }
  for (const code of new Set([...summaries.keys(), ...data.counts.keys()])) {
    const counted = summaries.get(code);
    const found = data.counts.get(code) ?? 0;
    // Some writers count the first and the last record, some do not.
    if (counted === undefined ? code !== 'A100' && code !== 'Z900' : counted !== BigInt(found)) {
      const reason = `counts ${counted ?? 0n} ${code}, and ${dataFile} has ${found}`;
      findings.add(iniFile, null, 1051, reason, '3.2');
    }
  }
}
