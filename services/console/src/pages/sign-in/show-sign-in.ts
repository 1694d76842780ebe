import { InjectConfig } from '@pinkas/service-kit';
import { attributes, button, csrfField, hidden, html, type Markup } from '@pinkas/ui';
import type { ConsoleConfig } from '../../config.js';
import { ConsolePage, type PageReply, redirect } from '../../http/console-page.js';
import { localPath } from '../../http/local-path.js';
import type { Visit } from '../../http/visit.js';
import { markBrowser } from '../../sign-in/browser-cookie.js';
import { signInPath } from '../message-pages.js';
import { issuerLink, passkeyButton, scriptTag, welcomePage } from './sign-in-pages.js';
import { signInWords as texts } from './sign-in-words.js';

/** What the page shows again when the form was wrong. */
export interface WrongAddress {
  readonly email: string;
}

function addressField({ language }: Visit, wrong: WrongAddress | null): Markup {
  const error = html`<p class="error" id="email-error" role="alert">${texts.emailWrong[language]}</p>`;
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
    <label for="email">${texts.email[language]}</label>
    <input${input}>
    ${wrong ? error : null}
  </div>`;
}

/** The page on which a person signs in, also after a wrong address. */
export function signInPage(
  visit: Visit,
  config: Pick<ConsoleConfig, 'oidcIssuer' | 'oidcName'>,
  next: string,
  wrong: WrongAddress | null = null,
): PageReply {
  const { language, csrfToken } = visit;
  const start = attributes({ method: 'post', action: signInPath, novalidate: wrong !== null });
  return welcomePage(
    texts.title[language],
    html`<form${start}>
  ${csrfField(csrfToken)}
  ${hidden('next', next)}
  ${addressField(visit, wrong)}
  ${button({ text: texts.sendLink[language] })}
</form>
${passkeyButton(visit, next)}
${issuerLink(visit, config, next)}
${scriptTag()}`,
    language,
    wrong ? 422 : 200,
  );
}

/** Shows where to sign in. */
@ConsolePage({ method: 'GET', path: signInPath, access: 'anyone' })
export class ShowSignIn {
  constructor(@InjectConfig() private readonly config: ConsoleConfig) {}

  async handle(visit: Visit): Promise<PageReply> {
    const next = localPath(visit.query.get('next'));
    if (visit.session) {
      return redirect(next);
    }
    const { cookie } = markBrowser(this.config, visit);
    return { ...signInPage(visit, this.config, next), cookies: [cookie] };
  }
}
