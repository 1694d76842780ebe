import { acrossTenants, type Clock, type Database, InjectClock, InjectDatabase } from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import { ConsolePage, type PageReply, redirect } from '../../http/console-page.js';
import { localPath } from '../../http/local-path.js';
import type { Visit } from '../../http/visit.js';
import { AttemptLimiter } from '../../sign-in/attempt-limiter.js';
import { SessionStarter } from '../../sign-in/session-starter.js';
import { useLink } from '../../sign-in/sign-in.repository.js';
import { failedPage, tooManyPage } from './sign-in-pages.js';
import { signInWords as texts } from './sign-in-words.js';

/** Uses a link up, and starts a session. */
@ConsolePage({ method: 'POST', path: '/sign-in/link/:token', access: 'anyone' })
export class UseLink {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly limiter: AttemptLimiter,
    private readonly sessions: SessionStarter,
  ) {}

  async handle(visit: Visit): Promise<PageReply> {
    const { language, network, params } = visit;
    const started = await acrossTenants(this.db)
      .transaction()
      .execute(async (trx) => {
        const link = await useLink(trx, params.token ?? '', this.clock.now());
        return link && { ...link, cookies: await this.sessions.start(visit, link.personId, trx) };
      });
    if (!started) {
      const seconds = await this.limiter.consume('guess_network', network);
      return seconds === null
        ? failedPage(language, texts.linkGone, texts.linkGoneMore, 410)
        : tooManyPage(language, seconds);
    }
    return redirect(localPath(started.nextPath), { cookies: started.cookies });
  }
}
