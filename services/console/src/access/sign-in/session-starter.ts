import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  type Transaction,
} from '@pinkas/service-kit';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { SetCookie } from '../../http/console-page.js';
import { cookieNames } from '../../http/cookies.js';
import type { Visit } from '../../http/visit.js';
import { endSession, insertSession, proveSession } from '../../session/session.repository.js';
import { unmarkBrowser } from './browser-cookie.js';

/** What follows when a person has proved who they are, in whatever way. */
@Injectable()
export class SessionStarter {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: Pick<ConsoleConfig, 'consoleUrl'>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /**
   * Starts a session, and ends that of the browser; the session of the same person goes on with a fresh proof and a new value.
   * @returns the cookies of the reply.
   */
  async start(
    visit: Visit,
    personId: string,
    db: Database<ConsoleTables> | Transaction<ConsoleTables> = acrossTenants(this.db),
  ): Promise<SetCookie[]> {
    const token = (await this.#prove(db, visit, personId)) ?? (await this.#replace(db, visit, personId));
    return [{ name: cookieNames(this.config).session, value: token }, unmarkBrowser(this.config)];
  }

  async #prove(
    db: Database<ConsoleTables> | Transaction<ConsoleTables>,
    { session }: Visit,
    personId: string,
  ): Promise<string | null> {
    return session?.personId === personId ? proveSession(db, session.id, this.clock.now()) : null;
  }

  async #replace(
    db: Database<ConsoleTables> | Transaction<ConsoleTables>,
    { session, userAgent, network }: Visit,
    personId: string,
  ): Promise<string> {
    if (session) {
      await endSession(db, session.personId, session.id);
    }
    return insertSession(db, personId, { userAgent, network }, this.clock.now());
  }
}
