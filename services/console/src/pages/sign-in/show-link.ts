import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
} from '@pinkas/service-kit';
import { attributes, button, csrfField, html, leftToRight } from '@pinkas/ui';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { ConsolePage, type PageReply } from '../../http/console-page.js';
import type { Visit } from '../../http/visit.js';
import { markBrowser } from '../../sign-in/browser-cookie.js';
import { findLink } from '../../sign-in/sign-in.repository.js';
import { cardPage, failedPage, scriptTag } from './sign-in-pages.js';
import { signInWords as texts } from './sign-in-words.js';

/** Shows a button that uses a link. Opening the link changes nothing: scanners of mail open every link. */
@ConsolePage({ method: 'GET', path: '/sign-in/link/:token', access: 'anyone' })
export class ShowLink {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: ConsoleConfig,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: Visit): Promise<PageReply> {
    const { language, params, path, csrfToken } = visit;
    const link = await findLink(acrossTenants(this.db), params.token ?? '', this.clock.now());
    if (!link) {
      return failedPage(language, texts.linkGone, texts.linkGoneMore, 410);
    }
    const isHere = link.browserHash?.equals(markBrowser(this.config, visit).hash) ?? false;
    const who = html`<strong>${leftToRight(link.email)}</strong>`;
    const lead = isHere
      ? html`<p>${texts.linkHere[language]} ${who}</p>`
      : html`<p>${texts.linkElsewhere[language]} ${who}.</p>
<p>${texts.linkElsewhereMore[language]}</p>`;
    const label = isHere ? texts.linkTitle[language] : texts.linkConfirm[language];
    const start = attributes({ method: 'post', action: path, 'data-send-at-once': isHere });
    return cardPage(
      texts.linkTitle[language],
      html`${lead}
<form${start}>
  ${csrfField(csrfToken)}
  ${button({ text: label })}
</form>
${isHere && scriptTag()}`,
    );
  }
}
