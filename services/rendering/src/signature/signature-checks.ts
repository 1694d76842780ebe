import { randomBytes, X509Certificate } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Check } from '@pinkas/contracts';
import type { Signer } from '@pinkas/pdf';
import { type Clock, InjectClock, InjectConfig } from '@pinkas/service-kit';
import {
  checkPublicAddresses,
  Diagnosis,
  daysText,
  failure,
  notChecked,
  ok,
  secondsText,
  warning,
  wrongInProduction,
} from '@pinkas/service-kit/diagnosis';
import type { RenderingConfig } from '../config.js';
import { Signers, warningDays } from './signers.js';

const runbook = 'docs/runbooks/signing-certificate.md';
/** Within the time limit of a check. */
const timestampTimeoutMs = 2_500;
/** A time-stamp may cost: one that was given within an hour shows that the authority answers. */
const freshSeconds = 3_600;

type Config = Pick<
  RenderingConfig,
  'production' | 'viewUrlBase' | 'timestampRequired' | 'timestampAuthorityUrl'
>;

/** What rendering reports to `pinkas doctor`: certificates, revocation, time-stamps. */
@Injectable()
export class SignatureChecks {
  constructor(
    private readonly signers: Signers,
    @InjectConfig() private readonly config: Config,
    @InjectClock() private readonly clock: Clock,
    diagnosis: Diagnosis,
  ) {
    diagnosis.add('configuration', () =>
      checkPublicAddresses(config.production, { VIEW_URL_BASE: config.viewUrlBase }),
    );
    diagnosis.add('certificates', () =>
      signers.all().flatMap(([name, signer]) => this.#checkCertificate(name, signer)),
    );
    diagnosis.add('certificates', async () => [await this.#checkTimestamps()]);
  }

  #checkCertificate(name: string, signer: Signer): Check[] {
    const now = this.clock.now();
    const { certificate } = signer;
    const { issuer, subject } = new X509Certificate(certificate.der);
    const isSelfSigned = issuer === subject;
    const until = `"${certificate.subject}" is valid until ${daysText(certificate.validUntil, now)}`;
    const days = signer.daysLeft(now);
    if (days <= 0) {
      return [failure('certificates', name, `${until}: it has expired`, `Replace it: ${runbook}`)];
    }
    const isTest = name === 'the certificate of test documents';
    const revocation = isTest ? [] : this.#checkRevocation(name, signer);
    return [
      days < warningDays
        ? warning('certificates', name, until, `Renew it now: ${runbook}`)
        : ok('certificates', name, until),
      ...(certificate.weakness === null
        ? []
        : [warning('certificates', name, certificate.weakness, `Order one with a stronger key: ${runbook}`)]),
      ...(isSelfSigned && !isTest
        ? [
            wrongInProduction(this.config.production, this.config.viewUrlBase)(
              'certificates',
              name,
              'is self-signed: no reader of a PDF trusts it',
              'Order a certificate of an authority: docs/operating/install.md',
            ),
          ]
        : revocation),
    ];
  }

  #checkRevocation(name: string, { certificate }: Signer): Check[] {
    const subject = `revocation of ${name}`;
    const found = this.signers.revocationOf(certificate, this.clock.now());
    switch (found) {
      case 'not revoked':
        return [ok('certificates', subject, 'its issuer answers that it is not')];
      case 'no source':
        return [notChecked('certificates', subject, 'the certificate names no source', runbook)];
      case 'unknown':
        return [
          warning(
            'certificates',
            subject,
            'no issuer has answered',
            `Allow the way to the issuer: ${runbook}`,
          ),
        ];
      default:
        return [
          failure(
            'certificates',
            subject,
            `it was revoked on ${found.toISOString().slice(0, 10)}`,
            `Replace the certificate: ${runbook}`,
          ),
        ];
    }
  }

  async #checkTimestamps(): Promise<Check> {
    const { authority } = this.signers;
    if (authority === null) {
      return ok('certificates', 'time-stamps', 'no time-stamp authority is configured');
    }
    const subject = `time-stamps of ${new URL(this.config.timestampAuthorityUrl).host}`;
    const { givenAt } = authority;
    const agoSeconds = givenAt === null ? null : (this.clock.now().getTime() - givenAt.getTime()) / 1_000;
    if (authority.failure === null && agoSeconds !== null && agoSeconds < freshSeconds) {
      return ok('certificates', subject, `the last was given ${secondsText(agoSeconds)} ago`);
    }
    try {
      await authority.requestToken(randomBytes(32), timestampTimeoutMs);
      return ok('certificates', subject, 'one was given now');
    } catch (error) {
      const { timestampRequired } = this.config;
      const effect = timestampRequired ? 'no document is issued' : 'documents are signed without';
      return (timestampRequired ? failure : warning)(
        'certificates',
        subject,
        `none is given (${(error as Error).message}): ${effect}`,
        `Ask the provider, or change TIMESTAMP_AUTHORITY_URL: ${runbook}`,
      );
    }
  }
}
