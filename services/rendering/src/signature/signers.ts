import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Mode } from '@pinkas/domain';
import {
  type RequestTimestamp,
  RevocationCache,
  type SignatureExtras,
  Signer,
  type SigningCertificate,
  TimestampChain,
  type ValidationData,
} from '@pinkas/pdf';
import { type Clock, type Logger, type Metrics, remainingMs } from '@pinkas/service-kit';
import { ConfigError } from '@pinkas/service-kit/config';
import type { RenderingConfig } from '../config.js';
import { openTestSigner, signerOfBook } from './test-mode/test-signer.js';
import { TimestampAuthority } from './timestamp-authority.js';

/** Renewing a certificate takes weeks. */
export const warningDays = 30;
/** Of the time-stamp of nothing that shows the certificates of the authority; no document waits for it. */
const exampleTimeoutMs = 5_000;
const fileOfBusiness = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.p12$/;
const certificateFile = /\.(p12|pfx)$/i;

type SigningConfig = Pick<
  RenderingConfig,
  | 'signingP12File'
  | 'signingP12Base64'
  | 'signingP12Password'
  | 'signingP12Folder'
  | 'testSigningP12File'
  | 'testSigningP12Base64'
  | 'testSigningP12Password'
  | 'timestampAuthorityUrl'
  | 'timestampTimeoutMs'
  | 'timestampRequired'
  | 'signWhenRevoked'
>;

interface Kit {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What is open once every certificate has signed. */
interface Opened {
  readonly operator: Signer;
  readonly businesses: ReadonlyMap<string, Signer>;
  readonly test: Signer | null;
  readonly authority: TimestampAuthority | null;
  readonly timestampRequired: boolean;
  readonly revocations: RevocationCache;
  readonly timestamps: TimestampChain | null;
  readonly logger: Logger;
}

/** The certificates of the process: a business with its own signs by that, every other by the operator's, and test books by a third. */
export class Signers {
  readonly operator: Signer;

  readonly #opened: Opened;

  private constructor(opened: Opened) {
    this.operator = opened.operator;
    this.#opened = opened;
  }

  /**
   * Opens every certificate and signs with it once.
   * @throws ConfigError when one cannot be read or cannot sign. An expired certificate of a business stops only its documents.
   */
  static async open(config: SigningConfig, kit: Kit): Promise<Signers> {
    const { timestampAuthorityUrl: url, timestampRequired } = config;
    if (timestampRequired && !url) {
      throw new ConfigError('TIMESTAMP_REQUIRED needs a TIMESTAMP_AUTHORITY_URL.');
    }
    const authority = url ? new TimestampAuthority(url, kit.clock) : null;
    const revocations = revocationCache(kit);
    const timestamps =
      authority &&
      new TimestampChain((value) => authority.requestToken(value, exampleTimeoutMs), revocations);
    const requestTimestamp = timestampRequestOf(authority, timestamps, config, kit);
    const open = openerOf(config, kit, (certificate) => ({
      findRevocation: () => (config.signWhenRevoked ? null : revocations.revokedAt(chainNameOf(certificate))),
      requestTimestamp,
      findValidationData: (at: Date) => {
        const own = revocations.dataOf(chainNameOf(certificate), at);
        return own && merged(own, timestamps?.dataOf(at) ?? null);
      },
    }));
    const operator = await openOperator(config, open, kit.clock.now());
    const businesses = await openBusinesses(config, open);
    const live = [operator, ...businesses.values()];
    const test = await openTestSigner(config, live, open);
    for (const { certificate } of live) {
      revocations.watch(chainNameOf(certificate), certificate.der, certificate.others);
    }
    kit.logger.info(
      { operator: operator.certificate.subject, businessIds: [...businesses.keys()] },
      'signing certificates opened',
    );
    const { logger } = kit;
    const certificates = { operator, businesses, test };
    return new Signers({ ...certificates, authority, timestampRequired, revocations, timestamps, logger });
  }

  /**
   * Fetches the proofs that the certificates are not revoked, as far as they are due, so that documents find them when they are
   * signed. It never throws.
   */
  async refreshValidationData(signal: AbortSignal): Promise<void> {
    const all = [this.operator, ...this.#opened.businesses.values()];
    if (all.some(({ certificate }) => this.#opened.revocations.hasSources(chainNameOf(certificate)))) {
      await this.#opened.timestamps?.discover().catch((error: unknown) => {
        this.#opened.logger.warn({ err: error }, 'timestamp request failed');
      });
    }
    await this.#opened.revocations.refresh(signal);
  }

  /**
   * @param bookId of the business, or of its test book, which no certificate of a live one ever signs for.
   * @throws Error where there is no certificate for test books.
   */
  forBook(bookId: string): Signer {
    const signer = this.findForBook(bookId);
    if (!signer) {
      throw new Error('there is no certificate for test documents: TEST_SIGNING_P12_FILE is not set');
    }
    return signer;
  }

  /** Like `forBook`; null where there is no certificate for test books. */
  findForBook(bookId: string): Signer | null {
    return signerOfBook(bookId, this.#opened.businesses.get(bookId) ?? this.operator, this.#opened.test);
  }

  /** Whether the documents of a book are signed by a certificate of its business's own. */
  isOwn(bookId: string): boolean {
    return this.#opened.businesses.has(bookId);
  }

  /** How many of the certificates are revoked, by themselves or by one above them. */
  revokedCount(): number {
    const all = [this.operator, ...this.#opened.businesses.values()];
    return all.filter(({ certificate }) => this.#opened.revocations.revokedAt(chainNameOf(certificate)))
      .length;
  }

  /** Since when a certificate of these is revoked, by its SHA-256; null: it is not, or it is another's. */
  revokedAt(certificateSha256: Buffer): Date | null {
    const signer = [this.operator, ...this.#opened.businesses.values()].find(({ certificate }) =>
      certificate.fingerprint.equals(certificateSha256),
    );
    return signer ? this.#opened.revocations.revokedAt(chainNameOf(signer.certificate)) : null;
  }

  /** Of which books a certificate of these signs the documents; null: it is none of these. */
  modeOf(certificateSha256: Buffer): Mode | null {
    const isIt = (signer: Signer | null) =>
      signer?.certificate.fingerprint.equals(certificateSha256) ?? false;
    if ([this.operator, ...this.#opened.businesses.values()].some(isIt)) {
      return 'live';
    }
    return isIt(this.#opened.test) ? 'test' : null;
  }

  /** Days until the first of the certificates expires. */
  daysLeft(now: Date): number {
    return Math.min(
      ...[this.operator, ...this.#opened.businesses.values()].map((signer) => signer.daysLeft(now)),
    );
  }

  /** Why nothing can be signed, or null. */
  failure(now: Date): string | null {
    if (this.operator.daysLeft(now) <= 0) {
      return 'the signing certificate has expired';
    }
    return this.#opened.timestampRequired ? (this.#opened.authority?.failure ?? null) : null;
  }

  /** The time-stamp authority; null where none is configured. */
  get authority(): TimestampAuthority | null {
    return this.#opened.authority;
  }

  /** Every certificate by its name in messages. */
  all(): [name: string, signer: Signer][] {
    const { businesses, test } = this.#opened;
    return [
      ['the signing certificate', this.operator],
      ...[...businesses].map(([id, signer]): [string, Signer] => [
        `the signing certificate of business ${id}`,
        signer,
      ]),
      ...(test ? [['the certificate of test documents', test] as [string, Signer]] : []),
    ];
  }

  /** What is known of the revocation of a certificate: `no source`: it names none; `unknown`: no source has answered. */
  revocationOf(certificate: SigningCertificate, now: Date): Date | 'not revoked' | 'no source' | 'unknown' {
    const { revocations } = this.#opened;
    const name = chainNameOf(certificate);
    if (!revocations.hasSources(name)) {
      return 'no source';
    }
    return revocations.revokedAt(name) ?? (revocations.dataOf(name, now) ? 'not revoked' : 'unknown');
  }

  /** The findings that need the operator, though documents are still signed. */
  warnings(now: Date): string[] {
    const expiring = this.all().flatMap(([name, signer]) => {
      const days = Math.floor(signer.daysLeft(now));
      if (days >= warningDays) {
        return [];
      }
      return [days < 0 ? `${name} has expired` : `${name} expires in ${days} days`];
    });
    const revoked = this.#opened.revocations
      .revoked()
      .map(({ name, revokedAt }) => `${name} was revoked on ${revokedAt.toISOString().slice(0, 10)}`);
    const noTimestamps = this.#opened.timestampRequired ? null : (this.#opened.authority?.failure ?? null);
    return [
      ...expiring,
      ...revoked,
      ...(noTimestamps === null ? [] : [`${noTimestamps}: documents are signed without a time-stamp`]),
    ];
  }
}

function revocationCache(kit: Kit): RevocationCache {
  const requests = kit.metrics.counter(
    'pinkas_revocation_requests_total',
    'Requests to OCSP responders and for revocation lists, by outcome.',
    ['outcome'],
  );
  return new RevocationCache({ ...kit, countRequest: (outcome) => requests.inc({ outcome }) });
}

type ExtrasOf = (certificate: SigningCertificate) => Partial<SignatureExtras>;

/** Opens a certificate, which is called `name` in messages. */
const openerOf =
  (config: SigningConfig, { clock, logger }: Kit, extrasOf: ExtrasOf) =>
  async (
    name: string,
    read: () => Promise<Buffer>,
    password = config.signingP12Password,
    extras: ExtrasOf = extrasOf,
  ): Promise<Signer> => {
    try {
      const signer = await Signer.open(await read(), password, clock.now(), extras);
      const { subject, weakness } = signer.certificate;
      if (weakness !== null) {
        logger.warn({ certificate: name, subject, reason: weakness }, 'signing certificate is weak');
      }
      return signer;
    } catch (error) {
      throw new ConfigError(`${name} cannot sign documents: ${(error as Error).message}.`, {
        cause: error,
      });
    }
  };

async function openOperator(
  { signingP12File: file, signingP12Base64: base64 }: SigningConfig,
  open: ReturnType<typeof openerOf>,
  now: Date,
): Promise<Signer> {
  if (!file === !base64) {
    throw new ConfigError(
      'The signing certificate is given by one of SIGNING_P12_FILE and SIGNING_P12_BASE64.',
    );
  }
  const operator = file
    ? await open(`SIGNING_P12_FILE (${file})`, () => readFile(file))
    : await open('SIGNING_P12_BASE64', async () => Buffer.from(base64, 'base64'));
  if (operator.daysLeft(now) <= 0) {
    const day = operator.certificate.validUntil.toISOString().slice(0, 10);
    throw new ConfigError(`The signing certificate expired on ${day}: replace it with a valid one.`);
  }
  return operator;
}

async function openBusinesses(
  { signingP12Folder: folder, signingP12File: file }: SigningConfig,
  open: ReturnType<typeof openerOf>,
): Promise<ReadonlyMap<string, Signer>> {
  const businesses = new Map<string, Signer>();
  for (const [businessId, path] of folder ? await filesOf(folder, file) : []) {
    businesses.set(businessId, await open(`SIGNING_P12_FOLDER (${path})`, () => readFile(path)));
  }
  return businesses;
}

/**
 * The files of businesses by the business's id. A file that no business would sign with is an error: the operator's
 * certificate would sign instead, and a signed document cannot be corrected.
 * @throws ConfigError when the folder cannot be read, has no such file, or has a certificate under another name.
 */
async function filesOf(folder: string, operatorFile: string): Promise<[string, string][]> {
  const names = await readdir(folder).catch((error: Error) => {
    throw new ConfigError(`SIGNING_P12_FOLDER (${folder}) cannot be read: ${error.message}.`, {
      cause: error,
    });
  });
  const certificates = names.filter(
    (name) =>
      certificateFile.test(name) && !(operatorFile !== '' && resolve(folder, name) === resolve(operatorFile)),
  );
  const misnamed = certificates.filter((name) => !fileOfBusiness.test(name));
  if (misnamed.length > 0) {
    throw new ConfigError(
      `SIGNING_P12_FOLDER (${folder}) has certificates that no business signs with: ${misnamed.join(', ')}. ` +
        'Name each <business id>.p12, in lower case.',
    );
  }
  if (certificates.length === 0) {
    throw new ConfigError(
      `SIGNING_P12_FOLDER (${folder}) has no <business id>.p12: add one, or leave the variable empty.`,
    );
  }
  return certificates.map((name) => [name.slice(0, -'.p12'.length), join(folder, name)]);
}

/** Two certificates may have the same subject. */
const chainNameOf = ({ subject, fingerprint }: SigningCertificate): string =>
  `the signing certificate of ${subject} (${fingerprint.toString('hex').slice(0, 16)})`;

const merged = (first: ValidationData, second: ValidationData | null): ValidationData =>
  second === null
    ? first
    : {
        certificates: distinct(first.certificates, second.certificates),
        ocspReplies: distinct(first.ocspReplies, second.ocspReplies),
        revocationLists: distinct(first.revocationLists, second.revocationLists),
      };

const distinct = (...lists: (readonly Buffer[])[]): Buffer[] => [
  ...new Map(lists.flat().map((der) => [der.toString('latin1'), der])).values(),
];

/** A document is signed without a time-stamp where there is none in time, unless it is required (ADR 0015). */
function timestampRequestOf(
  authority: TimestampAuthority | null,
  timestamps: TimestampChain | null,
  config: SigningConfig,
  { logger, metrics }: Kit,
): RequestTimestamp {
  if (authority === null) {
    return async () => null;
  }
  const requests = metrics.counter('pinkas_timestamps_total', 'Time-stamp requests by outcome.', ['outcome']);
  return async (signatureValue) => {
    try {
      const token = await authority.requestToken(signatureValue, remainingMs(config.timestampTimeoutMs));
      requests.inc({ outcome: 'given' });
      timestamps?.observe(token);
      return token;
    } catch (error) {
      requests.inc({ outcome: 'missing' });
      if (config.timestampRequired) {
        throw error;
      }
      logger.warn({ err: error }, 'timestamp request failed');
      return null;
    }
  };
}
