import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { checkHeads, readHeads, type SignedHeads, serviceNames } from '@pinkas/contracts';
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

/** Collects the heads of statements and checks the statements: each is signed, and continues the one before it. */
export class HeadsCollection {
  readonly #heads = new Map<string, ExpectedHead[]>();
  readonly findings: Finding[] = [];
  /** SHA-256, in hex, of the certificates that have signed. */
  readonly certificates = new Set<string>();
  statements = 0;

  constructor(
    private readonly call: Call,
    /** How findings name the statements, for example `the file`. */
    private readonly source: string,
  ) {}

  get heads(): ExpectedHeads {
    return this.#heads;
  }

  async addAll(all: AsyncIterable<SignedHeads> | Iterable<SignedHeads>): Promise<this> {
    let before = { n: 0, sha256: null as string | null };
    for await (const signed of all) {
      const { n, at, previous, heads } = parse(signed);
      const { finding } = await this.call(checkHeads, signed);
      if (finding !== null) {
        this.#find(`statement ${n} of ${at}: ${finding}`);
      }
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
      this.certificates.add(signed.certificate_sha256);
      this.statements += 1;
    }
    return this;
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
