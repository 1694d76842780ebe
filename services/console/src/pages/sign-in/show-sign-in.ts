import { InjectConfig } from '@pinkas/service-kit';
import { html, type Markup } from '@pinkas/ui';
import type { ConsoleConfig } from '../../config.js';
import { ConsolePage, type PageReply, redirect } from '../../http/console-page.js';
import { localPath } from '../../http/local-path.js';
import type { Visit } from '../../http/visit.js';
import { markBrowser } from '../../sign-in/browser-cookie.js';
import { signInPath } from '../message-pages.js';
import { cardPage, issuerLink, passkeyButton, scriptTag } from './sign-in-pages.js';
import { signInWords as texts } from './sign-in-words.js';

/** What the page shows again when the form was wrong. */
export interface WrongAddress {
  readonly email: string;
}

function field(visit: Visit, wrong: WrongAddress | null): Markup {
  const { language } = visit;
  const error =
    wrong && html`<p class="error" id="email-error" role="alert">${texts.emailWrong[language]}</p>`;
  return html`<label for="email">${texts.email[language]}</label><input id="email" name="email" type="email" dir="ltr" autocomplete="username webauthn" inputmode="email" maxlength="254" required${wrong && html` value="${wrong.email}" aria-invalid="true" aria-describedby="email-error"`}>${error}`;
}

/** The page on which a person signs in, also after a wrong address. */
export function signInPage(
  visit: Visit,
  config: Pick<ConsoleConfig, 'oidcIssuer' | 'oidcName'>,
  next: string,
  wrong: WrongAddress | null = null,
): PageReply {
  const { language, csrfToken } = visit;
  return cardPage(
    texts.title[language],
    html`<form method="post" action="${signInPath}"${wrong && html` novalidate`}><input type="hidden" name="_csrf" value="${csrfToken}"><input type="hidden" name="next" value="${next}">${field(visit, wrong)}<button>${texts.sendLink[language]}</button></form>${passkeyButton(visit, next)}${issuerLink(visit, config, next)}${scriptTag()}`,
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
