import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
} from '@pinkas/service-kit';
import { attributes, button, csrfField, html, type Language, leftToRight, type Markup } from '@pinkas/ui';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../../http/console-page.js';
import { localPath } from '../../http/local-path.js';
import type { Visit } from '../../http/visit.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { markBrowser } from './browser-cookie.js';
import { SessionStarter } from './session-starter.js';
import { findEndedInvitation, findLink, type SignInLink, useLink } from './sign-in.repository.js';
import { cardPage, endedInvitationPage, failedPage, scriptTag, tooManyPage } from './sign-in-parts.js';
import { signInWords as texts } from './sign-in-words.js';

/** The link of an email, which signs in the person who has it. */
@PageController({ path: '/sign-in/link/:token', access: 'anyone' })
export class LinkPages {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: ConsoleConfig,
    @InjectClock() private readonly clock: Clock,
    private readonly limiter: AttemptLimiter,
    private readonly sessions: SessionStarter,
  ) {}

  /** Shows a button that uses a link. Opening the link changes nothing: scanners of mail open every link. */
  @ConsolePage({ method: 'GET' })
  async show(visit: Visit): Promise<PageReply> {
    const { language, t, params, path, csrfToken } = visit;
    const link = await findLink(acrossTenants(this.db), params.token ?? '', this.clock.now());
    if (!link) {
      return this.#gone(visit);
    }
    const isHere = link.browserHash?.equals(markBrowser(this.config, visit).hash) ?? false;
    const who = html`<strong>${leftToRight(link.email)}</strong>`;
    const lead = isHere ? html`<p>${t(texts.linkHere)} ${who}</p>` : question(link, who, language);
    const label = isHere || link.isInvitation ? t(texts.linkTitle) : t(texts.linkConfirm);
    const start = attributes({ method: 'post', action: path, 'data-send-at-once': isHere });
    return cardPage(
      t(texts[link.isInvitation ? 'invitationTitle' : 'linkTitle']),
      html`${lead}
<form${start}>
  ${csrfField(csrfToken)}
  ${button({ text: label })}
</form>
${isHere && scriptTag()}`,
    );
  }

  /** Uses a link up, and starts a session. */
  @ConsolePage({ method: 'POST' })
  async use(visit: Visit): Promise<PageReply> {
    const { language, network, params } = visit;
    const started = await acrossTenants(this.db)
      .transaction()
      .execute(async (trx) => {
        const link = await useLink(trx, params.token ?? '', this.clock.now());
        return link && { ...link, cookies: await this.sessions.start(visit, link.personId, trx) };
      });
    if (!started) {
      const seconds = await this.limiter.consume('guess_network', network);
      return seconds === null ? this.#gone(visit) : tooManyPage(language, seconds);
    }
    return redirect(localPath(started.nextPath), { cookies: started.cookies });
  }

  /** Why a link signs no one in, and what to do. */
  async #gone({ language, params }: Visit): Promise<PageReply> {
    const ended = await findEndedInvitation(acrossTenants(this.db), params.token ?? '');
    return ended
      ? endedInvitationPage(language, ended)
      : failedPage(language, texts.linkGone, texts.linkGoneMore, 410);
  }
}

/** What a person reads before a link signs them in to a browser that did not ask for it. */
function question({ isInvitation }: SignInLink, who: Markup, language: Language): Markup {
  const [lead, more] = isInvitation
    ? [texts.invitationFor, texts.invitationMore]
    : [texts.linkElsewhere, texts.linkElsewhereMore];
  return html`<p>${lead[language]} ${who}.</p>
<p>${more[language]}</p>`;
}
