import { html } from '@pinkas/ui';
import { ConsolePage, type PageReply, redirect } from '../../http/console-page.js';
import { localPath } from '../../http/local-path.js';
import type { PersonVisit } from '../../http/visit.js';
import { LinkRequests } from '../../sign-in/link-requests.js';
import { cardPage, tooManyPage } from './sign-in-pages.js';
import { signInWords as texts } from './sign-in-words.js';

/** Sends a link to the signed-in person, as a fresh proof. */
@ConsolePage({ method: 'POST', path: '/prove', access: 'person' })
export class RequestProof {
  constructor(private readonly requests: LinkRequests) {}

  async handle(visit: PersonVisit): Promise<PageReply> {
    const request = await this.requests.accept(visit, visit.session.email, localPath(visit.form.get('next')));
    return request.kind === 'limited'
      ? tooManyPage(visit.language, request.seconds)
      : redirect('/prove/sent', { cookies: request.cookies });
  }
}

/** Says where the link was sent. */
@ConsolePage({ method: 'GET', path: '/prove/sent', access: 'person' })
export class ShowProofSent {
  async handle({ language }: PersonVisit): Promise<PageReply> {
    return cardPage(texts.sentTitle[language], html`<p>${texts.proveSent[language]}</p>`);
  }
}
