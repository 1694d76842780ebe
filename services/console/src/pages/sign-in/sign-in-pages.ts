import { html, type Language, type Markup } from '@pinkas/ui';
import { signInScript } from '../../assets/assets.js';
import { type PageReply, page } from '../../http/console-page.js';
import type { Visit } from '../../http/visit.js';
import { signInPath } from '../message-pages.js';
import type { Words } from '../words.js';
import { signInWords as texts } from './sign-in-words.js';

/** A page with a heading, in the middle. */
export function cardPage(title: string, content: Markup, status = 200): PageReply {
  return page(title, html`<div class="card sign-in"><h1>${title}</h1>${content}</div>`, status);
}

/** The page for a person who has attempted something too often. */
export function tooManyPage(language: Language, seconds: number): PageReply {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? `1 ${texts.minute[language]}` : `${minutes} ${texts.minutes[language]}`;
  const reply = cardPage(
    texts.tooMany[language],
    html`<p class="notice" role="alert">${texts.tooManyMore[language]} ${wait}.</p>`,
    429,
  );
  return { ...reply, retryAfterSeconds: seconds } as PageReply;
}

/** The page for a way to sign in that did not work; it leads back to where others are. */
export function failedPage(language: Language, title: Words, more: Words, status: number): PageReply {
  return cardPage(
    title[language],
    html`<p class="notice" role="alert">${more[language]}</p><p><a class="button" href="${signInPath}">${texts.backToSignIn[language]}</a></p>`,
    status,
  );
}

/** The script that these pages need besides that of every page. */
export function scriptTag(): Markup {
  return html`<script type="module" src="${signInScript().path}"></script>`;
}

/** The button for a passkey: a browser without scripts or passkeys does not show it. */
export function passkeyButton({ language, csrfToken }: Visit, next: string): Markup {
  return html`<div class="passkey" hidden data-passkey="use" data-token="${csrfToken}" data-next="${next}" data-failed="${texts.passkeyFailed[language]}"><button type="button" class="secondary">${texts.withPasskey[language]}</button><p class="error" role="alert"></p></div>`;
}

/** The link to the issuer, where one is configured. */
export function issuerLink(
  { language }: Visit,
  { oidcIssuer, oidcName }: { oidcIssuer: string; oidcName: string },
  next: string,
): Markup | null {
  return oidcIssuer === ''
    ? null
    : html`<p><a class="button secondary" href="/sign-in/oidc?${new URLSearchParams({ next }).toString()}">${texts.withIssuer[language]} <bdi>${oidcName}</bdi></a></p>`;
}
