import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Metrics,
} from '@pinkas/service-kit';
import { Diagnosis, failure, ok } from '@pinkas/service-kit/diagnosis';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { Mailer } from '../mail/mailer.js';
import { refusedDomains, type ServerAnswers } from '../mail/refusal-evidence.js';
import { serverAnswers } from './refusal.repository.js';

/** What the mail server has answered to the messages of every process, and what is reported of it to an operator. */
@Injectable()
export class MailServerAnswers {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly mailer: Mailer,
    metrics: Metrics,
    diagnosis: Diagnosis,
  ) {
    metrics.gauge(
      'pinkas_mail_refused_domains',
      'Domains whose recipients the mail server refuses in a row, so that it may refuse us; 0: it does not.',
      async () => refusedDomains(await this.read()),
    );
    diagnosis.add('mail', async () => {
      const answers = await this.read();
      const domains = refusedDomains(answers);
      const subject = 'recipients of emails';
      return [
        domains === 0
          ? ok('mail', subject, 'the mail server does not refuse them in a row')
          : failure(
              'mail',
              subject,
              `the mail server refuses those of ${domains === 1 ? 'a domain' : `${domains} domains`} in a row, and may refuse us: their messages wait`,
              'Correct the login, the sender or the relay at the mail server: docs/runbooks/messages-not-sent.md',
            ),
      ];
    });
  }

  /** The answers of the last day. */
  read(): Promise<ServerAnswers> {
    return serverAnswers(acrossTenants(this.db), this.mailer.server, this.clock.now());
  }
}
