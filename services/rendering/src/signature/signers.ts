import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, ConfigError, type Logger, type Metrics, remainingMs } from '@pinkas/service-kit';
import type { RenderingConfig } from '../config.js';
import { Signer, type Stamp } from './signer.js';
import { TimestampAuthority } from './timestamp-authority.js';

/** A certificate takes its time to renew. */
const warnedDays = 30;
const fileOfBusiness = /^([0-9a-f-]{36})\.p12$/;

type SigningConfig = Pick<
  RenderingConfig,
  | 'signingP12File'
  | 'signingP12Base64'
  | 'signingP12Password'
  | 'signingP12Folder'
  | 'timestampAuthorityUrl'
  | 'timestampTimeoutMs'
  | 'timestampRequired'
>;

interface Kit {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Who signs what: a business with a certificate of its own by that, every other by the operator's. */
export class Signers {
  private constructor(
    private readonly operator: Signer,
    private readonly businesses: ReadonlyMap<string, Signer>,
    private readonly authority: TimestampAuthority | null,
    private readonly stampRequired: boolean,
  ) {}

  /**
   * Opens every certificate and signs with it once.
   * @throws ConfigError when one cannot be read or cannot sign. A business's certificate that has ended stops nobody else.
   */
  static async open(config: SigningConfig, kit: Kit): Promise<Signers> {
    const { clock } = kit;
    if (config.timestampRequired && !config.timestampAuthorityUrl) {
      throw new ConfigError('TIMESTAMP_REQUIRED needs a TIMESTAMP_AUTHORITY_URL.');
    }
    const authority = config.timestampAuthorityUrl
      ? new TimestampAuthority(config.timestampAuthorityUrl, clock)
      : null;
    const stamp = stampWith(authority, config, kit);
    const open = async (name: string, read: () => Promise<Buffer>) => {
      try {
        return await Signer.open(await read(), config.signingP12Password, stamp, clock.now());
      } catch (error) {
        throw new ConfigError(`${name} cannot sign documents: ${(error as Error).message}.`, {
          cause: error,
        });
      }
    };
    const { signingP12File: file, signingP12Base64: base64, signingP12Folder: folder } = config;
    if (!file === !base64) {
      throw new ConfigError(
        'The signing certificate is given by one of SIGNING_P12_FILE and SIGNING_P12_BASE64.',
      );
    }
    const operator = file
      ? await open(`SIGNING_P12_FILE (${file})`, () => readFile(file))
      : await open('SIGNING_P12_BASE64', async () => Buffer.from(base64, 'base64'));
    if (operator.daysLeft(clock.now()) <= 0) {
      const day = operator.certificate.validUntil.toISOString().slice(0, 10);
      throw new ConfigError(`The signing certificate ended on ${day}: put a valid one in its place.`);
    }
    const businesses = new Map<string, Signer>();
    for (const [businessId, path] of folder ? await filesOf(folder) : []) {
      businesses.set(businessId, await open(`SIGNING_P12_FOLDER (${path})`, () => readFile(path)));
    }
    return new Signers(operator, businesses, authority, config.timestampRequired);
  }

  of(businessId: string): Signer {
    return this.businesses.get(businessId) ?? this.operator;
  }

  /** Days until the first of the certificates ends. */
  daysLeft(now: Date): number {
    return Math.min(...[this.operator, ...this.businesses.values()].map((signer) => signer.daysLeft(now)));
  }

  /** Why nothing can be signed, or null. */
  fault(now: Date): string | null {
    if (this.operator.daysLeft(now) <= 0) return 'the signing certificate has ended';
    return this.stampRequired ? (this.authority?.fault ?? null) : null;
  }

  /** What an operator has to see to, though documents are still signed. */
  warnings(now: Date): string[] {
    const certificates: [string, Signer][] = [
      ['the signing certificate', this.operator],
      ...[...this.businesses].map(([id, signer]): [string, Signer] => [
        `the signing certificate of business ${id}`,
        signer,
      ]),
    ];
    const ending = certificates.flatMap(([name, signer]) => {
      const days = Math.floor(signer.daysLeft(now));
      if (days >= warnedDays) return [];
      return [days < 0 ? `${name} has ended` : `${name} ends in ${days} days`];
    });
    const unstamped = this.stampRequired ? null : (this.authority?.fault ?? null);
    return unstamped === null
      ? ending
      : [...ending, `${unstamped}: documents are signed without a time-stamp`];
  }
}

/** The files of businesses by the business's id. @throws ConfigError when the folder cannot be read. */
async function filesOf(folder: string): Promise<[string, string][]> {
  try {
    return (await readdir(folder)).flatMap((name): [string, string][] => {
      const id = fileOfBusiness.exec(name)?.[1];
      return id === undefined ? [] : [[id, join(folder, name)]];
    });
  } catch (error) {
    throw new ConfigError(`SIGNING_P12_FOLDER (${folder}) cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** Signing goes on without the time-stamp where it cannot be had, unless it is demanded (ADR 0015). */
function stampWith(
  authority: TimestampAuthority | null,
  config: SigningConfig,
  { logger, metrics }: Kit,
): Stamp {
  if (authority === null) return async () => null;
  const asked = metrics.counter('pinkas_timestamps_total', 'Time-stamps that signatures were to have.', [
    'outcome',
  ]);
  return async (signatureValue) => {
    try {
      const token = await authority.stamp(signatureValue, remainingMs(config.timestampTimeoutMs));
      asked.inc({ outcome: 'given' });
      return token;
    } catch (error) {
      asked.inc({ outcome: 'missing' });
      if (config.timestampRequired) throw error;
      logger.warn({ err: error }, 'a document is signed without a time-stamp');
      return null;
    }
  };
}
