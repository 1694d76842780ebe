import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { checkHeads, type ReplyOf, readHeads, type SignedHeads, serviceNames } from '@pinkas/contracts';
import { documentTypes } from '@pinkas/domain';
import type { Call } from '../command.js';
import { UsageError } from '../usage-error.js';
import type { Finding } from '../verify/checks.js';

/** What a chain must have: a record with a hash, as a statement has it. */
export interface ExpectedHead {
  readonly n: number;
  readonly hash: string;
  /** Of the statement. */
  readonly at: string;
}

/** The heads of all statements, by chain. */
export type ExpectedHeads = ReadonlyMap<string, readonly ExpectedHead[]>;

type Checked = ReplyOf<typeof checkHeads>;

interface Statement {
  readonly n: number;
  readonly at: string;
  readonly previous: string | null;
  readonly heads: readonly (Pick<ExpectedHead, 'n' | 'hash'> & {
    service: string;
    business_id: string;
    type: string | null;
  })[];
}

/** The name of a chain: of a series, or of a trail, whose type is null. */
export const chainName = (service: string, businessId: string, type: string | null): string =>
  [service, businessId, type ?? 'trail'].join(' ');

/** The statements that the system has stored, the oldest first. */
export async function* storedHeads(call: Call): AsyncGenerator<SignedHeads> {
  for (let after = 0; ; ) {
    const { signed } = await call(readHeads, { after });
    if (signed === null) {
      return;
    }
    const { n, ...statement } = signed;
    yield statement;
    after = n;
  }
}

/** Writes all stored statements to a file, one on each line. */
export async function writeHeads(call: Call, file: string): Promise<number> {
  const lines: string[] = [];
  for await (const signed of storedHeads(call)) {
    lines.push(`${JSON.stringify(signed)}\n`);
  }
  await writeFile(file, lines.join('')).catch((error: Error) => {
    throw new UsageError(`${file} cannot be written: ${error.message}`);
  });
  return lines.length;
}

/** Reads a file of `writeHeads`. @throws UsageError for anything else. */
export async function readHeadsFile(file: string): Promise<SignedHeads[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
  try {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const signed = JSON.parse(line) as SignedHeads;
        parse(signed);
        return signed;
      });
  } catch {
    throw new UsageError(`${file} is no file of pinkas audit heads`);
  }
}

/** SHA-256, in hex, of certificates that are accepted, whatever rendering knows. */
export interface AcceptedCertificates {
  /** Of statements; null: those that rendering has signed with. */
  readonly statements: ReadonlySet<string> | null;
  /** Of time-stamps, or of authorities above them, which every statement must have then; null: those that rendering has received. */
  readonly timestamps: ReadonlySet<string> | null;
}

/** Collects the heads of statements and checks the statements: each is signed, and continues the one before it. */
export class HeadsCollection {
  readonly #heads = new Map<string, ExpectedHead[]>();
  readonly findings: Finding[] = [];
  /** The certificates that have signed, by their SHA-256 in hex, and how rendering knows them. */
  readonly certificates = new Map<string, Checked['certificate']>();
  /** The topmost certificates of the time-stamps, by their SHA-256 in hex. */
  readonly timestampCertificates = new Set<string>();
  statements = 0;
  timestamps = 0;
  readonly #reported = new Set<string>();

  constructor(
    private readonly call: Call,
    /** How findings name the statements, for example `the file`. */
    private readonly source: string,
    private readonly accepted: AcceptedCertificates = { statements: null, timestamps: null },
  ) {}

  get heads(): ExpectedHeads {
    return this.#heads;
  }

  async addAll(all: AsyncIterable<SignedHeads> | Iterable<SignedHeads>): Promise<this> {
    let before = { n: 0, sha256: null as string | null };
    for await (const signed of all) {
      const { n, at, previous, heads } = parse(signed);
      const checked = await this.call(checkHeads, signed);
      if (checked.finding !== null) {
        this.#find(`statement ${n} of ${at}: ${checked.finding}`);
      }
      this.#checkCertificates(`statement ${n} of ${at}`, signed.certificate_sha256, checked);
      if (n !== before.n + 1 || previous !== before.sha256) {
        this.#find(`statement ${n} of ${at} does not continue the one before it`);
      }
      for (const { service, business_id, type, ...head } of heads) {
        const name = chainName(service, business_id, type);
        const known = this.#heads.get(name);
        if (known) {
          known.push({ ...head, at });
        } else {
          this.#heads.set(name, [{ ...head, at }]);
        }
      }
      before = { n, sha256: createHash('sha256').update(signed.statement).digest('hex') };
      this.statements += 1;
    }
    return this;
  }

  /** Each certificate that is not accepted is reported once, with the first statement that has it. */
  #checkCertificates(name: string, sha256: string, { finding, certificate, timestamp }: Checked): void {
    const { statements, timestamps } = this.accepted;
    this.certificates.set(sha256, certificate);
    if (statements ? !statements.has(sha256) : certificate === 'unknown') {
      const who = statements ? '--certificate does not name' : 'rendering has never signed with';
      this.#findOnce(sha256, `${name} is signed by the certificate ${sha256}, which ${who}`);
    }
    if (timestamp === null) {
      if (timestamps && finding === null) {
        this.#findOnce('no time-stamp', `${name} has no time-stamp`);
      }
      return;
    }
    this.timestamps += 1;
    const authority = timestamp.certificates.at(-1) ?? '';
    this.timestampCertificates.add(authority);
    const isAccepted = timestamps
      ? timestamp.certificates.some((each) => timestamps.has(each))
      : timestamp.known;
    if (!isAccepted) {
      const who = timestamps
        ? '--timestamp-certificate does not name'
        : 'gave rendering no time-stamp when it signed';
      this.#findOnce(authority, `${name} has a time-stamp of the certificate ${authority}, which ${who}`);
    }
  }

  #findOnce(key: string, message: string): void {
    if (!this.#reported.has(key)) {
      this.#reported.add(key);
      this.#find(message);
    }
  }

  /** Finds the chains of businesses that are not there any more. */
  findUnknown(businessIds: ReadonlySet<string>): void {
    for (const name of this.#heads.keys()) {
      const [service, businessId = '', type] = name.split(' ');
      if (!businessIds.has(businessId)) {
        this.#find(`business ${businessId} is missing, which has a chain of ${service} (${type})`);
      }
    }
  }

  #find(message: string): void {
    const named = `${this.source}: ${message}`;
    this.findings.push({ check: 'trail', document_id: null, type: null, number: null, message: named });
  }
}

function parse({ statement }: SignedHeads): Statement {
  const parsed = JSON.parse(statement) as Statement;
  const isKnown = parsed.heads.every(
    ({ service, type }) =>
      (serviceNames as readonly string[]).includes(service) &&
      (type === null || (documentTypes as readonly string[]).includes(type)),
  );
  if (!isKnown || !Number.isInteger(parsed.n)) {
    throw new UsageError('a statement has another form than this release writes');
  }
  return parsed;
}

/** Compares the records of one chain with what statements say of it. */
export class HeadsComparison {
  readonly #missing: Map<string, ExpectedHead>;

  constructor(expected: readonly ExpectedHead[] = []) {
    this.#missing = new Map(expected.map((head) => [keyOf(head), head]));
  }

  see(record: { n: number; hash: string }): void {
    this.#missing.delete(keyOf(record));
  }

  /** Half a sentence for each head that the chain does not have: the first of them, since all later ones follow from it. */
  messages(): string[] {
    const [first] = [...this.#missing.values()].sort((a, b) => a.n - b.n);
    return first ? [`number ${first.n} is not the one whose hash was signed at ${first.at}`] : [];
  }
}

const keyOf = ({ n, hash }: { n: number; hash: string }): string => `${n} ${hash}`;
