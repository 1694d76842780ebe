import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  currentContext,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
} from '@pinkas/service-kit';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { SetCookie } from '../../http/console-page.js';
import type { Visit } from '../../http/visit.js';
import { insertNotice } from '../../notice/notice.repository.js';
import { NoticeTrigger } from '../../notice/notice-trigger.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { markBrowser } from './browser-cookie.js';

/** What became of a request for a link. */
type LinkRequest =
  | { readonly kind: 'accepted'; readonly cookies: readonly SetCookie[] }
  | { readonly kind: 'limited'; readonly seconds: number };

/** Accepts requests for links: the same statements for an address that is known and one that is not. */
@Injectable()
export class LinkRequests {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: Pick<ConsoleConfig, 'consoleUrl'>,
    @InjectClock() private readonly clock: Clock,
    private readonly limiter: AttemptLimiter,
    private readonly notices: NoticeTrigger,
  ) {}

  /** @param email normalised. @param next where the link leads after signing in. */
  async accept(visit: Visit, email: string, next: string): Promise<LinkRequest> {
    const seconds = await this.#limit(visit, email);
    if (seconds !== null) {
      return { kind: 'limited', seconds };
    }
    const { hash, cookie } = markBrowser(this.config, visit);
    await insertNotice(acrossTenants(this.db), {
      id: randomUUID(),
      kind: 'sign_in',
      email,
      browser_hash: hash,
      business_id: null,
      next_path: next,
      language: visit.language,
      request_id: currentContext()?.requestId ?? null,
      requested_at: this.clock.now(),
    });
    this.notices.trigger();
    return { kind: 'accepted', cookies: [cookie] };
  }

  /** @returns after how many seconds the next request is of use; null: this one may go on. */
  async #limit({ network, session }: Visit, email: string): Promise<number | null> {
    if (session?.email === email) {
      return this.limiter.consume('proof_person', session.personId);
    }
    const source = `${email} ${network}`;
    const seconds =
      (await this.limiter.consume('link_network', network)) ??
      (await this.limiter.consume('link_source', source));
    if (seconds !== null || (await this.limiter.consume('link_address', email)) === null) {
      return seconds;
    }
    return this.limiter.consume('link_reserve', source);
  }
}
