import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import type { Check } from '@pinkas/contracts';
import { InjectConfig } from '@pinkas/service-kit';
import { withTimeout } from '@pinkas/service-kit/concurrency';
import { isOnThisMachine } from '@pinkas/service-kit/config';
import {
  checkPublicAddresses,
  Diagnosis,
  failure,
  ok,
  wrongInProduction,
} from '@pinkas/service-kit/diagnosis';
import type { DeliveryConfig } from '../config.js';
import { checkMailDomain } from './mail-domain-checks.js';
import { Mailer } from './mailer.js';

/** Within the time limit of a check. */
const answerTimeoutMs = 2_500;
const dnsTimeoutMs = 1_000;

/** What delivery reports to `pinkas doctor`: the mail server, and what the DNS publishes about the domains that emails are from. */
@Injectable()
export class MailChecks {
  readonly #resolver = new Resolver({ timeout: dnsTimeoutMs });

  constructor(
    @InjectConfig() private readonly config: DeliveryConfig,
    private readonly mailer: Mailer,
    diagnosis: Diagnosis,
  ) {
    const { production, viewUrlBase, pdfUrlBase } = config;
    diagnosis.add('configuration', () =>
      checkPublicAddresses(production, { VIEW_URL_BASE: viewUrlBase, PDF_URL_BASE: pdfUrlBase }),
    );
    diagnosis.add('mail', () => this.#checkServer());
    diagnosis.add('mail', () => this.#checkDomains());
  }

  async #checkServer(): Promise<Check[]> {
    const { production, smtpUrl, smtpTls } = this.config;
    const { host, protocol } = new URL(smtpUrl);
    const subject = `mail server ${host}`;
    const reason = await withTimeout(
      this.mailer.verify().then(
        () => null,
        (error: Error) => error.message,
      ),
      answerTimeoutMs,
      () => `no answer within ${answerTimeoutMs / 1_000} s`,
    );
    const isEncrypted = protocol === 'smtps:' || smtpTls === 'required';
    return [
      reason === null
        ? ok('mail', subject, `takes emails (${isEncrypted ? 'encrypted' : `SMTP_TLS is ${smtpTls}`})`)
        : failure(
            'mail',
            subject,
            `takes no email: ${reason}`,
            'Check SMTP_URL, SMTP_TLS and the mail server: docs/runbooks/messages-not-sent.md',
          ),
      ...(isEncrypted || isOnThisMachine(smtpUrl)
        ? []
        : [
            wrongInProduction(production, this.config.viewUrlBase)(
              'configuration',
              'SMTP_TLS',
              `${smtpTls}: emails may be read on their way to the mail server`,
              'Set SMTP_TLS=required',
            ),
          ]),
    ];
  }

  async #checkDomains(): Promise<Check[]> {
    const { mailFrom, dkimKeys } = this.config;
    const own = mailFrom.slice(mailFrom.lastIndexOf('@') + 1).toLowerCase();
    const domains = new Set([own, ...dkimKeys.keys()]);
    const checks = await Promise.all(
      [...domains].map((domain) =>
        checkMailDomain(this.#resolver, { domain, key: dkimKeys.get(domain), isEnvelope: domain === own }),
      ),
    );
    return checks.flat();
  }
}
