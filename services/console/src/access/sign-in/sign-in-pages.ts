import { normaliseEmailAddress, pastedEmail } from '@pinkas/domain';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
} from '@pinkas/service-kit';
import { attributes, button, csrfField, hidden, html, linkButton, type Markup, notice } from '@pinkas/ui';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { signInPath } from '../../frame/message-pages.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../../http/console-page.js';
import { cookieNames } from '../../http/cookies.js';
import { localPath } from '../../http/local-path.js';
import type { Visit } from '../../http/visit.js';
import { closeSession } from '../../session/session.repository.js';
import { markBrowser } from './browser-cookie.js';
import { LinkRequests } from './link-requests.js';
import { cardPage, issuerLink, passkeyButton, scriptTag, tooManyPage, welcomePage } from './sign-in-parts.js';
import { signInWords as texts } from './sign-in-words.js';

/** What the page shows again when the form was wrong. */
interface WrongAddress {
  readonly email: string;
}

function addressField({ t }: Visit, wrong: WrongAddress | null): Markup {
  const error = html`<p class="error" id="email-error" role="alert">${t(texts.emailWrong)}</p>`;
  const input = attributes({
    id: 'email',
    name: 'email',
    type: 'text',
    autocapitalize: 'none',
    spellcheck: 'false',
    dir: 'ltr',
    autocomplete: 'username webauthn',
    inputmode: 'email',
    required: true,
    value: wrong?.email,
    'aria-invalid': wrong && 'true',
    'aria-describedby': wrong && 'email-error',
  });
  return html`<div class="field">
    <label for="email">${t(texts.email)}</label>
    <input${input}>
    ${wrong ? error : null}
  </div>`;
}

/** The page on which a person signs in, also after a wrong address. */
function signInPage(
  visit: Visit,
  config: Pick<ConsoleConfig, 'oidcIssuer' | 'oidcName'>,
  next: string,
  wrong: WrongAddress | null = null,
): PageReply {
  const { language, t, csrfToken, query } = visit;
  const ended = query.has('ended') && texts[query.get('ended') === 'form' ? 'endedForm' : 'ended'];
  const start = attributes({ method: 'post', action: signInPath, novalidate: wrong !== null });
  return welcomePage(
    t(texts.title),
    html`${ended && notice('info', t(ended))}
<form${start}>
  ${csrfField(csrfToken)}
  ${hidden('next', next)}
  ${addressField(visit, wrong)}
  ${button({ text: t(texts.sendLink) })}
</form>
${passkeyButton(visit, next)}
${issuerLink(visit, config, next)}
${scriptTag()}`,
    language,
    wrong ? 422 : 200,
  );
}

/** Where a person signs in and out. */
@PageController({ access: 'anyone' })
export class SignInPages {
  constructor(
    @InjectConfig() private readonly config: ConsoleConfig,
    private readonly requests: LinkRequests,
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @ConsolePage({ method: 'GET', path: signInPath })
  async show(visit: Visit): Promise<PageReply> {
    const next = localPath(visit.query.get('next'));
    if (visit.session) {
      return redirect(next);
    }
    const { cookie } = markBrowser(this.config, visit);
    return { ...signInPage(visit, this.config, next), cookies: [cookie] };
  }

  /** Accepts a request for a link in the mail, whether or not somebody has the address. */
  @ConsolePage({ method: 'POST', path: signInPath })
  async requestLink(visit: Visit): Promise<PageReply> {
    const next = localPath(visit.form.get('next'));
    const given = visit.form.get('email') ?? '';
    const email = normaliseEmailAddress(pastedEmail(given));
    if (email === null) {
      return signInPage(visit, this.config, next, { email: given });
    }
    const request = await this.requests.accept(visit, email, next);
    return request.kind === 'limited'
      ? tooManyPage(visit.language, request.seconds)
      : redirect('/sign-in/sent', { cookies: request.cookies });
  }

  /** The same for every address. */
  @ConsolePage({ method: 'GET', path: `${signInPath}/sent` })
  async showSent({ t }: Visit): Promise<PageReply> {
    return cardPage(
      t(texts.sentTitle),
      html`<p>${t(texts.sent)}</p>
<p>${t(texts.sentMore)}</p>
<p>${linkButton({ href: signInPath, text: t(texts.again) })}</p>`,
    );
  }

  @ConsolePage({ method: 'POST', path: '/sign-out' })
  async signOut({ session }: Visit): Promise<PageReply> {
    if (session) {
      await closeSession(acrossTenants(this.db), session.id, this.clock.now());
    }
    return redirect(signInPath, {
      cookies: [{ name: cookieNames(this.config).session, value: '', maxAgeSeconds: 0 }],
    });
  }
}
