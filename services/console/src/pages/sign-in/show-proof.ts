import { InjectConfig } from '@pinkas/service-kit';
import { button, csrfField, hidden, html, leftToRight } from '@pinkas/ui';
import type { ConsoleConfig } from '../../config.js';
import { ConsolePage, type PageReply } from '../../http/console-page.js';
import { localPath } from '../../http/local-path.js';
import type { PersonVisit } from '../../http/visit.js';
import { markBrowser } from '../../sign-in/browser-cookie.js';
import { cardPage, issuerLink, passkeyButton, scriptTag } from './sign-in-pages.js';
import { signInWords as texts } from './sign-in-words.js';

/** Shows how a signed-in person proves again who they are, and leads back to what needs it. */
@ConsolePage({ method: 'GET', path: '/prove', access: 'person' })
export class ShowProof {
  constructor(@InjectConfig() private readonly config: ConsoleConfig) {}

  async handle(visit: PersonVisit): Promise<PageReply> {
    const { language, csrfToken, query, session } = visit;
    const next = localPath(query.get('next'));
    const { cookie } = markBrowser(this.config, visit);
    const reply = cardPage(
      texts.proveTitle[language],
      html`<p>${texts.proveLead[language]}</p>
<p><strong>${leftToRight(session.email)}</strong></p>
${passkeyButton(visit, next)}
<form method="post" action="/prove">
  ${csrfField(csrfToken)}
  ${hidden('next', next)}
  ${button({ text: texts.sendLink[language] })}
</form>
${issuerLink(visit, this.config, next)}
${scriptTag()}`,
    );
    return { ...reply, cookies: [cookie] };
  }
}
