import { InjectConfig, InjectLogger, type Logger } from '@pinkas/service-kit';
import type { Words } from '@pinkas/ui';
import type { ConsoleConfig } from '../../config.js';
import { errorPage } from '../../frame/message-pages.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../../http/console-page.js';
import { localPath } from '../../http/local-path.js';
import type { Visit } from '../../http/visit.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { markBrowser } from './browser-cookie.js';
import { Oidc, OidcError, type OidcFailure } from './oidc.js';
import { SessionStarter } from './session-starter.js';
import { failedPage, tooManyPage } from './sign-in-parts.js';
import { signInWords as texts } from './sign-in-words.js';

const failures = {
  unreachable: { more: texts.issuerUnreachable, status: 502 },
  refused: { more: texts.issuerRefused, status: 403 },
  unverified: { more: texts.issuerUnverified, status: 403 },
  unknown: { more: texts.issuerUnknown, status: 403 },
  other: { more: texts.issuerOther, status: 403 },
  stale: { more: texts.issuerStale, status: 403 },
} as const satisfies Record<OidcFailure, { more: Words; status: number }>;

function failurePage(error: unknown, { language }: Visit, logger: Logger): PageReply {
  if (!(error instanceof OidcError)) {
    throw error;
  }
  const { more, status } = failures[error.failure];
  const { name, code } = (error.cause ?? {}) as { name?: string; code?: string };
  logger[error.failure === 'unreachable' ? 'warn' : 'info'](
    { failure: error.failure, cause: name, code },
    'openid connect sign-in failed',
  );
  return failedPage(language, texts.issuerFailed, more, status);
}

/** Signing in by the OpenID provider of an organisation. */
@PageController({ path: '/sign-in/oidc', access: 'anyone' })
export class OidcPages {
  constructor(
    private readonly oidc: Oidc,
    private readonly limiter: AttemptLimiter,
    @InjectConfig() private readonly config: ConsoleConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly sessions: SessionStarter,
  ) {}

  /** Leads to the issuer. A link and no form: browsers apply `form-action` to where a form is redirected. */
  @ConsolePage({ method: 'GET' })
  async start(visit: Visit): Promise<PageReply> {
    if (!this.oidc.isConfigured) {
      return errorPage('not_found', visit.language);
    }
    const seconds = await this.limiter.consume('ceremony_network', visit.network);
    if (seconds !== null) {
      return tooManyPage(visit.language, seconds);
    }
    try {
      const mark = markBrowser(this.config, visit);
      // The mark that the reply sets is the one that the state is stored with.
      const marked = { ...visit, cookies: { ...visit.cookies, [mark.cookie.name]: mark.cookie.value } };
      return redirect(await this.oidc.begin(marked, localPath(visit.query.get('next'))), {
        cookies: [mark.cookie],
      });
    } catch (error) {
      return failurePage(error, visit, this.logger);
    }
  }

  /** Where the issuer sends the browser back to. */
  @ConsolePage({ method: 'GET', path: '/callback' })
  async complete(visit: Visit): Promise<PageReply> {
    if (!this.oidc.isConfigured) {
      return errorPage('not_found', visit.language);
    }
    try {
      const { personId, next } = await this.oidc.complete(visit);
      return redirect(localPath(next), { cookies: await this.sessions.start(visit, personId) });
    } catch (error) {
      if (error instanceof OidcError && error.failure === 'refused') {
        const seconds = await this.limiter.consume('guess_network', visit.network);
        if (seconds !== null) {
          return tooManyPage(visit.language, seconds);
        }
      }
      return failurePage(error, visit, this.logger);
    }
  }
}
