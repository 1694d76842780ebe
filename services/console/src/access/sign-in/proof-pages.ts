import { InjectConfig } from '@pinkas/service-kit';
import { button, csrfField, hidden, html, leftToRight } from '@pinkas/ui';
import type { ConsoleConfig } from '../../config.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../../http/console-page.js';
import { localPath } from '../../http/local-path.js';
import type { PersonVisit } from '../../http/visit.js';
import { markBrowser } from './browser-cookie.js';
import { LinkRequests } from './link-requests.js';
import { cardPage, issuerLink, passkeyButton, scriptTag, tooManyPage } from './sign-in-parts.js';
import { signInWords as texts } from './sign-in-words.js';

/** Where a person proves again who they are. */
@PageController({ path: '/prove', access: 'person' })
export class ProofPages {
  constructor(
    @InjectConfig() private readonly config: ConsoleConfig,
    private readonly requests: LinkRequests,
  ) {}

  /** Shows how a signed-in person proves again who they are, and leads back to what needs it. */
  @ConsolePage({ method: 'GET' })
  async show(visit: PersonVisit): Promise<PageReply> {
    const { t, csrfToken, query, session } = visit;
    const next = localPath(query.get('next'));
    const { cookie } = markBrowser(this.config, visit);
    const reply = cardPage(
      t(texts.proveTitle),
      html`<p>${t(texts.proveLead)}</p>
${/\/forms\/[^/]+$/.test(next) && html`<p>${t(texts.proveForm)}</p>`}
<p><strong>${leftToRight(session.email)}</strong></p>
${passkeyButton(visit, next)}
<form method="post" action="/prove">
  ${csrfField(csrfToken)}
  ${hidden('next', next)}
  ${button({ text: t(texts.sendLink) })}
</form>
${issuerLink(visit, this.config, next)}
${scriptTag()}`,
    );
    return { ...reply, cookies: [cookie] };
  }

  /** Sends a link to the signed-in person, as a fresh proof. */
  @ConsolePage({ method: 'POST' })
  async request(visit: PersonVisit): Promise<PageReply> {
    const request = await this.requests.accept(visit, visit.session.email, localPath(visit.form.get('next')));
    return request.kind === 'limited'
      ? tooManyPage(visit.language, request.seconds)
      : redirect('/prove/sent', { cookies: request.cookies });
  }

  @ConsolePage({ method: 'GET', path: '/sent' })
  async showSent({ t }: PersonVisit): Promise<PageReply> {
    return cardPage(t(texts.sentTitle), html`<p>${t(texts.proveSent)}</p>`);
  }
}
