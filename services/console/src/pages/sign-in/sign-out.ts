import { acrossTenants, type Database, InjectConfig, InjectDatabase } from '@pinkas/service-kit';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { ConsolePage, type PageReply, redirect } from '../../http/console-page.js';
import { cookieNames } from '../../http/cookies.js';
import type { Visit } from '../../http/visit.js';
import { endSession } from '../../session/session.repository.js';
import { signInPath } from '../message-pages.js';

/** Ends the session of this browser. */
@ConsolePage({ method: 'POST', path: '/sign-out', access: 'anyone' })
export class SignOut {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {}

  async handle({ session }: Visit): Promise<PageReply> {
    if (session) {
      await endSession(acrossTenants(this.db), session.personId, session.id);
    }
    return redirect(signInPath, {
      cookies: [{ name: cookieNames(this.config).session, value: '', maxAgeSeconds: 0 }],
    });
  }
}
