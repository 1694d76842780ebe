import {
  attributes,
  html,
  type Language,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  type Words,
} from '@pinkas/ui';
import { signInScript } from '../../assets/assets.js';
import { mark } from '../../frame/icons.js';
import { signInPath } from '../../frame/message-pages.js';
import { type PageReply, page } from '../../http/console-page.js';
import type { Visit } from '../../http/visit.js';
import type { EndedInvitation } from './sign-in.repository.js';
import { signInWords as texts } from './sign-in-words.js';

/** A page with a heading, in the middle. */
export function cardPage(title: string, content: Markup, status = 200): PageReply {
  return page(title, signInCard(title, content), status);
}

function signInCard(title: string, content: Markup): Markup {
  return html`<div class="card sign-in">
  <h1>${title}</h1>
  ${content}
</div>`;
}

/** The page of a person who is not signed in: what the product is, next to the way in. */
export function welcomePage(title: string, content: Markup, language: Language, status: number): PageReply {
  const points = [texts.pointLaw, texts.pointDelivery, texts.pointAccountant].map(
    (point) => html`<li>${point[language]}</li>
      `,
  );
  return page(
    title,
    html`<div class="welcome-page">
  <div class="about">
    ${mark}
    <p class="slogan">${texts.slogan[language]}</p>
    <ul>
      ${points}
    </ul>
  </div>
  ${signInCard(title, content)}
</div>`,
    status,
  );
}

/** The page for a person who has attempted something too often. */
export function tooManyPage(language: Language, seconds: number): PageReply {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? `1 ${texts.minute[language]}` : `${minutes} ${texts.minutes[language]}`;
  const reply = cardPage(
    texts.tooMany[language],
    notice('error', `${texts.tooManyMore[language]} ${wait}.`),
    429,
  );
  return { ...reply, retryAfterSeconds: seconds } as PageReply;
}

/** The page for a way to sign in that did not work; it leads back to where others are. */
export function failedPage(language: Language, title: Words, more: Words, status: number): PageReply {
  return cardPage(
    title[language],
    html`${notice('error', more[language])}
<p>${linkButton({ href: signInPath, text: texts.backToSignIn[language] })}</p>`,
    status,
  );
}

/** The page of an invitation whose link cannot be used any more: the person asks for another link, or for another invitation. */
export function endedInvitationPage(
  language: Language,
  { isMember, isUsed, inviter }: EndedInvitation,
): PageReply {
  const ofMember = isUsed ? 'invitationUsed' : 'invitationOver';
  const name = isMember ? ofMember : 'invitationWithdrawn';
  const toSignIn = html`<p>${linkButton({ href: signInPath, text: texts.sendLink[language], kind: 'primary' })}</p>`;
  const whom = inviter !== null && html`<p>${texts.inviter[language]} ${leftToRight(inviter)}</p>`;
  return cardPage(
    texts[name][language],
    html`<p>${texts[`${name}More`][language]}</p>
${isMember && toSignIn}
${whom}`,
    410,
  );
}

/** The script that these pages need besides that of every page. */
export function scriptTag(): Markup {
  return html`<script type="module" src="${signInScript().path}"></script>`;
}

/** The button for a passkey: a browser without scripts or passkeys does not show it. */
export function passkeyButton({ t, csrfToken }: Visit, next: string): Markup {
  const part = attributes({
    class: 'passkey',
    hidden: true,
    'data-passkey': 'use',
    'data-token': csrfToken,
    'data-next': next,
    'data-failed': t(texts.passkeyFailed),
  });
  return html`<div${part}>
  <button type="button" class="secondary">${t(texts.withPasskey)}</button>
  <p class="error" role="alert"></p>
</div>`;
}

/** The link to the issuer, where one is configured. */
export function issuerLink(
  { t }: Visit,
  { oidcIssuer, oidcName }: { oidcIssuer: string; oidcName: string },
  next: string,
): Markup | null {
  const href = `/sign-in/oidc?${new URLSearchParams({ next }).toString()}`;
  return oidcIssuer === ''
    ? null
    : html`<p>
  <a class="button secondary" href="${href}">${t(texts.withIssuer)} <bdi>${oidcName}</bdi></a>
</p>`;
}
