import type { ValidationData } from '../file/security-store.js';
import { type ChainCertificate, chainCertificate, isIssuerOf, isRoot } from './chain-certificate.js';
import { fetchBytes } from './fetch-bytes.js';
import {
  CertificateRevokedError,
  encodeOcspRequest,
  type RevocationProof,
  readOcspReply,
  readRevocationList,
} from './revocation-reply.js';
import { revocationSourcesOf } from './revocation-sources.js';

/** A longer revocation list would be in every document. */
const replyBytesMax = 128 * 1024;
const fetchTimeoutMs = 10_000;
/** Of certificates from the signer to its root. */
const chainLengthMax = 6;
const refreshMinMs = 60_000;
const refreshMaxMs = 12 * 60 * 60_000;
const retryMinMs = 60_000;
const retryMaxMs = 60 * 60_000;

type Log = (facts: object, message: string) => void;

/** What the cache needs of its process. */
interface RevocationHost {
  readonly clock: { now(): Date };
  readonly logger: { readonly warn: Log; readonly error: Log };
  /** Counts a request to an OCSP responder or for a revocation list. */
  countRequest(outcome: 'answered' | 'failed'): void;
}

interface Chain {
  readonly leaf: ChainCertificate;
  /** Those that came with it, in any order. */
  readonly given: readonly ChainCertificate[];
  /** Those that were fetched. */
  readonly fetched: ChainCertificate[];
  /** From the leaf up, as far as they are known, without the root. */
  path: readonly ChainCertificate[];
}

/** What is known of one certificate. */
interface Entry {
  readonly proof: RevocationProof | null;
  readonly revokedAt: Date | null;
  /** When it is fetched next, in milliseconds since 1970. */
  readonly dueAtMs: number;
  /** In a row. */
  readonly failures: number;
}

const unknown: Entry = { proof: null, revokedAt: null, dueAtMs: 0, failures: 0 };

/**
 * Proofs that the certificates of chains are not revoked: fetched in the background, so that they are there when a document is
 * signed, from the OCSP responders and lists that the certificates name.
 */
export class RevocationCache {
  readonly #chains = new Map<string, Chain>();
  /** By the fingerprint of the certificate. */
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly host: RevocationHost) {}

  /**
   * Adds or replaces a chain.
   * @param name of the certificate, for messages: `the signing certificate`.
   * @param others above the leaf, in any order, as far as they are known.
   */
  watch(name: string, leaf: Buffer, others: readonly Buffer[]): void {
    const chain = {
      leaf: chainCertificate(leaf),
      given: others.map(chainCertificate),
      fetched: [],
      path: [],
    };
    this.#chains.set(name, chain);
    this.#updatePath(chain);
    const watched = new Set([...this.#chains.values()].flatMap(({ path }) => path.map(fingerprintOf)));
    for (const fingerprint of this.#entries.keys()) {
      if (!watched.has(fingerprint)) {
        this.#entries.delete(fingerprint);
      }
    }
  }

  /** Whether a certificate of the chain names a source. */
  hasSources(name: string): boolean {
    const chain = this.#chains.get(name);
    return chain?.path.some(isCheckable) ?? false;
  }

  /** Fetches what is due. It never throws. */
  async refresh(signal: AbortSignal): Promise<void> {
    // Certificates of one issuer share a list, on the wire and in memory.
    const lists = new Map<string, Promise<Buffer>>();
    for (const chain of [...this.#chains.values()]) {
      // The path grows with each issuer that is fetched.
      for (let index = 0; index < chain.path.length && !signal.aborted; index += 1) {
        await this.#refreshCertificate(chain, chain.path[index] as ChainCertificate, lists, signal);
      }
    }
  }

  /** @returns the proofs for a whole chain at an instant; null where one of them is not there, or none is named. */
  dataOf(name: string, at: Date): ValidationData | null {
    const chain = this.#chains.get(name);
    if (!chain) {
      return null;
    }
    const proofs: RevocationProof[] = [];
    for (const { fingerprint } of chain.path.filter(isCheckable)) {
      const proof = this.#entries.get(fingerprint)?.proof;
      if (!proof || proof.until <= at) {
        return null;
      }
      proofs.push(proof);
    }
    if (proofs.length === 0) {
      return null;
    }
    const of = (kind: RevocationProof['kind']) =>
      proofs.filter((proof) => proof.kind === kind).map(({ der }) => der);
    return {
      certificates: chain.fetched.map(({ der }) => der),
      ocspReplies: of('ocsp'),
      revocationLists: of('list'),
    };
  }

  /** The chains of which a certificate is revoked. */
  revoked(): { name: string; revokedAt: Date }[] {
    return [...this.#chains.keys()].flatMap((name) => {
      const revokedAt = this.revokedAt(name);
      return revokedAt ? [{ name, revokedAt }] : [];
    });
  }

  /** Since when a certificate of a chain is revoked; null: none is, as far as it is known. */
  revokedAt(name: string): Date | null {
    const instants = (this.#chains.get(name)?.path ?? []).flatMap(
      ({ fingerprint }) => this.#entries.get(fingerprint)?.revokedAt ?? [],
    );
    return instants.length === 0 ? null : new Date(Math.min(...instants.map(Number)));
  }

  async #refreshCertificate(
    chain: Chain,
    certificate: ChainCertificate,
    lists: Map<string, Promise<Buffer>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { fingerprint } = certificate;
    const entry = this.#entries.get(fingerprint) ?? unknown;
    const nowMs = this.host.clock.now().getTime();
    if (nowMs < entry.dueAtMs) {
      return;
    }
    try {
      const issuer = issuerIn(chain, certificate) ?? (await this.#fetchIssuer(chain, certificate, signal));
      if (!isCheckable(certificate)) {
        return;
      }
      if (!issuer) {
        throw new Error('its issuer came neither with it nor from where it says');
      }
      const proof = await this.#fetchProof(certificate, issuer, lists, signal);
      const dueInMs = (proof.until.getTime() - nowMs) / 2;
      this.#entries.set(fingerprint, {
        proof,
        revokedAt: null,
        dueAtMs: nowMs + Math.min(Math.max(dueInMs, refreshMinMs), refreshMaxMs),
        failures: 0,
      });
    } catch (error) {
      if (!signal.aborted) {
        this.#storeFailure(certificate, entry, error, nowMs);
      }
    }
  }

  #storeFailure({ fingerprint, x509 }: ChainCertificate, entry: Entry, error: unknown, nowMs: number): void {
    const revokedAt = error instanceof CertificateRevokedError ? error.revokedAt : null;
    const failures = entry.failures + 1;
    this.#entries.set(fingerprint, {
      // What was proven before it was revoked is no proof any more.
      proof: revokedAt ? null : entry.proof,
      revokedAt: revokedAt ?? entry.revokedAt,
      dueAtMs: nowMs + Math.min(retryMinMs * 2 ** (failures - 1), retryMaxMs),
      failures,
    });
    const facts = { err: error, certificate: x509.subject };
    if (revokedAt && entry.revokedAt === null) {
      this.host.logger.error(facts, 'certificate revoked');
    } else {
      this.host.logger.warn(facts, 'revocation request failed');
    }
  }

  async #fetchIssuer(
    chain: Chain,
    certificate: ChainCertificate,
    signal: AbortSignal,
  ): Promise<ChainCertificate | undefined> {
    for (const url of revocationSourcesOf(certificate.parsed).issuers) {
      const issuer = chainCertificate(await this.#fetch(url, { method: 'GET' }, signal));
      if (isIssuerOf(issuer, certificate)) {
        chain.fetched.push(issuer);
        this.#updatePath(chain);
        return issuer;
      }
    }
    return undefined;
  }

  #updatePath(chain: Chain): void {
    const path: ChainCertificate[] = [];
    let certificate: ChainCertificate | undefined = chain.leaf;
    while (certificate && path.length < chainLengthMax && !isRoot(certificate)) {
      path.push(certificate);
      certificate = issuerIn(chain, certificate);
    }
    chain.path = path;
  }

  /** By OCSP, whose replies are short, else by a list. */
  async #fetchProof(
    certificate: ChainCertificate,
    issuer: ChainCertificate,
    lists: Map<string, Promise<Buffer>>,
    signal: AbortSignal,
  ): Promise<RevocationProof> {
    const { ocsp, revocationLists } = revocationSourcesOf(certificate.parsed);
    const body = new Uint8Array(encodeOcspRequest(certificate, issuer));
    const headers = { 'content-type': 'application/ocsp-request', accept: 'application/ocsp-response' };
    const attempts = [
      ...ocsp.map((url) => async () => {
        const reply = await this.#fetch(url, { method: 'POST', headers, body }, signal);
        return readOcspReply(reply, certificate, issuer, this.host.clock.now());
      }),
      ...revocationLists.map((url) => async () => {
        const list = lists.get(url) ?? this.#fetch(url, { method: 'GET' }, signal);
        lists.set(url, list);
        return readRevocationList(await list, certificate, issuer, this.host.clock.now());
      }),
    ];
    let failure: unknown;
    for (const attempt of attempts) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof CertificateRevokedError) {
          throw error;
        }
        failure ??= error;
      }
    }
    throw failure;
  }

  async #fetch(url: string, request: Parameters<typeof fetchBytes>[2], signal: AbortSignal): Promise<Buffer> {
    try {
      const bytes = await fetchBytes(new URL(url).host, url, request, {
        bytesMax: replyBytesMax,
        signal: AbortSignal.any([signal, AbortSignal.timeout(fetchTimeoutMs)]),
      });
      this.host.countRequest('answered');
      return bytes;
    } catch (error) {
      this.host.countRequest('failed');
      throw error;
    }
  }
}

function isCheckable({ parsed }: ChainCertificate): boolean {
  const { ocsp, revocationLists } = revocationSourcesOf(parsed);
  return ocsp.length + revocationLists.length > 0;
}

const fingerprintOf = ({ fingerprint }: ChainCertificate): string => fingerprint;

const issuerIn = ({ given, fetched }: Chain, certificate: ChainCertificate): ChainCertificate | undefined =>
  [...given, ...fetched].find((item) => isIssuerOf(item, certificate));
