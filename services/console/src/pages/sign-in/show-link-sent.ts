import { html, linkButton } from '@pinkas/ui';
import { ConsolePage, type PageReply } from '../../http/console-page.js';
import type { Visit } from '../../http/visit.js';
import { signInPath } from '../message-pages.js';
import { cardPage } from './sign-in-pages.js';
import { signInWords as texts } from './sign-in-words.js';

/** Says what happens next; the same for every address. */
@ConsolePage({ method: 'GET', path: '/sign-in/sent', access: 'anyone' })
export class ShowLinkSent {
  async handle({ language }: Visit): Promise<PageReply> {
    return cardPage(
      texts.sentTitle[language],
      html`<p>${texts.sent[language]}</p>
<p>${texts.sentMore[language]}</p>
<p>${linkButton({ href: signInPath, text: texts.again[language] })}</p>`,
    );
  }
}
