import { InjectConfig, InjectLogger, type Logger } from '@pinkas/service-kit';
import type { ConsoleConfig } from '../../config.js';
import { ConsolePage, PageController, type PageReply } from '../../http/console-page.js';
import { localPath } from '../../http/local-path.js';
import type { Visit } from '../../http/visit.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { markBrowser } from './browser-cookie.js';
import { PasskeyError, Passkeys } from './passkeys.js';
import { SessionStarter } from './session-starter.js';

/** The reply to a script. */
export function json(value: unknown, status = 200): Extract<PageReply, { kind: 'json' }> {
  return { kind: 'json', status, value };
}

/** Signing in by a passkey. */
@PageController({ path: '/sign-in/passkey', access: 'anyone' })
export class PasskeySignInPages {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly limiter: AttemptLimiter,
    @InjectConfig() private readonly config: ConsoleConfig,
    private readonly sessions: SessionStarter,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** Gives a browser a challenge for a passkey. */
  @ConsolePage({ method: 'POST', path: '/options' })
  async challenge(visit: Visit): Promise<PageReply> {
    const seconds = await this.limiter.consume('ceremony_network', visit.network);
    if (seconds !== null) {
      return json({ retry_after: seconds }, 429);
    }
    const mark = markBrowser(this.config, visit);
    const marked = { ...visit, cookies: { ...visit.cookies, [mark.cookie.name]: mark.cookie.value } };
    const options = await this.passkeys.challenge(marked, localPath(visit.form.get('next')));
    return { ...json(options), cookies: [mark.cookie] };
  }

  /** Starts a session for the person whose passkey was used. */
  @ConsolePage({ method: 'POST' })
  async use(visit: Visit): Promise<PageReply> {
    try {
      const { personId, next } = await this.passkeys.verify(visit);
      return { ...json({ next: localPath(next) }), cookies: await this.sessions.start(visit, personId) };
    } catch (error) {
      if (!(error instanceof PasskeyError)) {
        throw error;
      }
      const seconds = await this.limiter.consume('guess_network', visit.network);
      this.logger.info({ reason: error.message }, 'passkey rejected');
      return seconds === null
        ? json({ error: 'passkey_rejected' }, 403)
        : json({ retry_after: seconds }, 429);
    }
  }
}
