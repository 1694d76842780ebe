import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import { PeriodicTask } from '@pinkas/service-kit/concurrency';
import type { ConsoleTables } from '../../db/console.tables.js';
import { deleteExpiredDrafts } from '../../session/draft.repository.js';
import { deleteEndedSessions } from '../../session/session.repository.js';
import { deleteExpired } from './sign-in.repository.js';

const everyMs = 5 * 60 * 1000;

/** Deletes sessions that have ended, and expired links, challenges, counts and drafts: none of them is valid any more. */
@Injectable()
export class SignInPurger extends PeriodicTask {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() logger: Logger,
  ) {
    super('sign-in-purger', everyMs, logger);
  }

  override async tick(): Promise<undefined> {
    const all = acrossTenants(this.db);
    const now = this.clock.now();
    await deleteEndedSessions(all, now);
    await deleteExpired(all, now);
    await deleteExpiredDrafts(all, now);
  }
}
