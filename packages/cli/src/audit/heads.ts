import { createHash } from 'node:crypto';
import { type CheckedHeads, checkHeads, type SignedHeads } from '@pinkas/contracts';
import {
  type CompareChain,
  chainName,
  ExactComparison,
  type ExpectedHead,
  type Finding,
  type Heads,
  StatedChain,
  SumComparison,
} from '@pinkas/exports/verify';
import type { Call } from '../builder/command.js';
import { parseSignedHeads, type SignedHeadsPages, type StatedHead } from './signed-heads.js';

/** Of how many businesses missing heads are named: all statements are read again for each. */
const namedMax = 20;

/** SHA-256, in hex, of certificates that are accepted, whatever rendering knows. */
export interface AcceptedCertificates {
  /** Of statements; null: those that rendering has signed with. */
  readonly statements: ReadonlySet<string> | null;
  /** Of time-stamps, or of authorities above them, which every statement must have then; null: those that rendering has received. */
  readonly timestamps: ReadonlySet<string> | null;
}

/**
 * Collects the heads of statements and checks the statements: each is signed, and continues the one before it. Of the heads a few
 * bytes each are kept; the statements are read again where a chain differs.
 */
export class HeadsCollection implements Heads {
  readonly #chains = new Map<string, StatedChain>();
  readonly findings: Finding[] = [];
  /** The certificates that have signed, by their SHA-256 in hex, and how rendering knows them. */
  readonly certificates = new Map<string, CheckedHeads['certificate']>();
  /** The topmost certificates of the time-stamps, by their SHA-256 in hex. */
  readonly timestampCertificates = new Set<string>();
  statements = 0;
  timestamps = 0;
  readonly #reported = new Set<string>();
  #last = { n: 0, sha256: null as string | null };
  #named = 0;

  constructor(
    private readonly call: Call,
    private readonly source: {
      /** How findings name the statements, for example `the file`. */
      readonly name: string;
      readonly statements: SignedHeadsPages;
      /** Of whose chains heads are kept; by default of all. */
      readonly businessId?: string | undefined;
    },
    private readonly accepted: AcceptedCertificates = { statements: null, timestamps: null },
  ) {}

  /** Reads and checks all statements. @param onStatements called with their number so far. */
  async collect(onStatements: (count: number) => void = () => {}): Promise<this> {
    for await (const page of this.source.statements()) {
      const { checked } = await this.call(checkHeads, { statements: [...page] });
      for (const [index, signed] of page.entries()) {
        const verdict = checked[index];
        if (!verdict) {
          throw new Error('rendering has checked fewer statements than it was given');
        }
        this.#addStatement(signed, verdict);
      }
      onStatements(this.statements);
    }
    return this;
  }

  #addStatement(signed: SignedHeads, verdict: CheckedHeads): void {
    const { n, at, previous, heads } = parseSignedHeads(signed);
    const name = `statement ${n} of ${at}`;
    if (verdict.finding !== null) {
      this.#find(`${name}: ${verdict.finding}`);
    }
    this.#checkCertificates(name, signed.certificate_sha256, verdict);
    if (n !== this.#last.n + 1 || previous !== this.#last.sha256) {
      this.#find(`${name} does not continue the one before it`);
    }
    for (const head of heads) {
      this.#addHead(head);
    }
    this.#last = { n, sha256: createHash('sha256').update(signed.statement).digest('hex') };
    this.statements += 1;
  }

  async follow<T>(businessId: string, follow: (compare: CompareChain) => Promise<T>): Promise<T> {
    const comparisons: SumComparison[] = [];
    const result = await follow((service, id, type) => {
      const comparison = new SumComparison(this.#chains.get(chainName(service, id, type)));
      comparisons.push(comparison);
      return comparison;
    });
    if (comparisons.every(({ isSame }) => isSame) || this.#named === namedMax) {
      return result;
    }
    this.#named += 1;
    const expected = await this.#headsOf(businessId);
    return follow((service, id, type) => new ExactComparison(expected.get(chainName(service, id, type))));
  }

  /** Each certificate that is not accepted is reported once, with the first statement that has it. */
  #checkCertificates(name: string, sha256: string, { finding, certificate, timestamp }: CheckedHeads): void {
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
    for (const name of this.#chains.keys()) {
      const [service, businessId = '', type] = name.split(' ');
      if (!businessIds.has(businessId)) {
        this.#find(`business ${businessId} is missing, which has a chain of ${service} (${type})`);
      }
    }
  }

  #addHead({ service, business_id, type, ...head }: StatedHead): void {
    const { businessId } = this.source;
    if (businessId !== undefined && businessId !== business_id) {
      return;
    }
    const name = chainName(service, business_id, type);
    const chain = this.#chains.get(name) ?? new StatedChain();
    this.#chains.set(name, chain);
    chain.add(head);
  }

  /** All heads of one business. */
  async #headsOf(businessId: string): Promise<Map<string, ExpectedHead[]>> {
    const found = new Map<string, ExpectedHead[]>();
    for await (const page of this.source.statements()) {
      for (const { at, heads } of page.map(parseSignedHeads)) {
        for (const { service, business_id, type, n, hash } of heads) {
          if (business_id === businessId) {
            const name = chainName(service, business_id, type);
            const known = found.get(name) ?? [];
            found.set(name, known);
            known.push({ n, hash, at });
          }
        }
      }
    }
    return found;
  }

  #find(message: string): void {
    const named = `${this.source.name}: ${message}`;
    this.findings.push({ check: 'trail', document_id: null, type: null, number: null, message: named });
  }
}
