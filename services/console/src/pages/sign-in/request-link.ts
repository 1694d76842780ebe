import { normaliseEmailAddress, pastedEmail } from '@pinkas/domain';
import { InjectConfig } from '@pinkas/service-kit';
import type { ConsoleConfig } from '../../config.js';
import { ConsolePage, type PageReply, redirect } from '../../http/console-page.js';
import { localPath } from '../../http/local-path.js';
import type { Visit } from '../../http/visit.js';
import { LinkRequests } from '../../sign-in/link-requests.js';
import { signInPath } from '../message-pages.js';
import { signInPage } from './show-sign-in.js';
import { tooManyPage } from './sign-in-pages.js';

/** Accepts a request for a link in the mail, whether or not somebody has the address. */
@ConsolePage({ method: 'POST', path: signInPath, access: 'anyone' })
export class RequestLink {
  constructor(
    @InjectConfig() private readonly config: ConsoleConfig,
    private readonly requests: LinkRequests,
  ) {}

  async handle(visit: Visit): Promise<PageReply> {
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
}
