import { Tokens } from '@fastify/csrf';
import { Injectable } from '@nestjs/common';
import { type Business, isUuid, showBusiness } from '@pinkas/contracts';
import { refusalOfBusiness, testBook } from '@pinkas/domain';
import {
  ApiError,
  acrossTenants,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  RpcClient,
  setLogContext,
  toApiError,
} from '@pinkas/service-kit';
import type { HttpReply } from '@pinkas/service-kit/http';
import { type Language, languages } from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import type { ConsoleTables } from '../db/console.tables.js';
import { keepFlash, takeFlash } from '../session/flash.repository.js';
import { isAtLeast } from '../session/roles.js';
import {
  type FoundSession,
  findSession,
  type Membership,
  recordArrival,
} from '../session/session.repository.js';
import { BusinessNames } from './business-names.js';
import { type BoundPage, type Changes, isOfBusiness, type PageReply, redirect } from './console-page.js';
import { cookieNames } from './cookies.js';
import { Drafts } from './drafts.js';
import { isProofFresh, proofPath } from './fresh-proof.js';
import { localPath } from './local-path.js';
import { PageFrame, type Rejection } from './page-frame.js';
import { type HtmlReply, PageReplies } from './page-replies.js';
import type { RawVisit } from './read-visit.js';
import type { MemberVisit, PersonVisit, Visit } from './visit.js';

/** The owner of the tokens of a browser without a session; the library takes an empty text for a missing one. */
const nobody = 'nobody';

/** A visit with what no page needs of it. */
interface OpenVisit extends Visit, RawVisit {
  /** What the tokens of this browser are made of. */
  readonly secret: string;
  /** That of the session from now on; null: it keeps its own. */
  readonly newToken: string | null;
}

/** What comes of a request before its page is made: a reply that replaces it, or what makes it. */
type Admission = { readonly visit: OpenVisit } & (
  | { readonly reply: PageReply }
  | { readonly handle: (outcome: Visit['outcome']) => Promise<PageReply> }
);

const admitted = <V extends OpenVisit>(visit: V, handle: (visit: V) => Promise<PageReply>): Admission => ({
  visit,
  handle: (outcome) => handle({ ...visit, outcome }),
});

const csrfTokens = ({ cookieSecret }: ConsoleConfig) =>
  new Tokens({ userInfo: true, hmacKey: cookieSecret.toString('hex') });

/** Every page goes through here: who asks, in which language, whether they may, and what they see when something fails. */
@Injectable()
export class PagePipeline {
  readonly #tokens: ReturnType<typeof csrfTokens>;

  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: ConsoleConfig,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly rpc: RpcClient,
    private readonly frame: PageFrame,
    private readonly names: BusinessNames,
    private readonly drafts: Drafts,
    private readonly replies: PageReplies,
  ) {
    // A token is valid for its session alone: a form from before signing in or out is stale.
    this.#tokens = csrfTokens(config);
  }

  /** The reply of a handler to a request, with its frame. Never throws. */
  async respond(page: BoundPage, raw: RawVisit): Promise<HttpReply> {
    let visit = this.#open(raw, null);
    let reply: PageReply;
    try {
      visit = this.#open(raw, await this.#findSession(raw));
      if (hasControlCharacter(raw)) {
        throw ApiError.invalid([{ path: '', message: 'has a character that no text has' }]);
      }
      const admission = (await this.#refusedForm(page, visit)) ?? (await this.#admit(page, visit));
      visit = admission.visit;
      reply = 'reply' in admission ? admission.reply : await this.#handled(visit, admission.handle);
    } catch (error) {
      const apiError = toApiError(error);
      this.logger[apiError.code === 'internal_error' ? 'error' : 'info'](
        { code: apiError.code, err: apiError.code === 'internal_error' ? error : undefined },
        'page request failed',
      );
      reply = this.frame.rejected(rejectionBy(apiError, raw), visit.language);
    }
    return this.#sent(reply, visit);
  }

  /** The page for a path that does not exist. */
  async respondUnknown(raw: RawVisit): Promise<HttpReply> {
    const visit = this.#open(raw, await this.#findSession(raw).catch(() => null));
    return this.#sent(this.frame.rejected('not_found', visit.language), visit);
  }

  /** The response to a form with files in a browser in which no one is signed in: its body is not read. */
  respondUnsigned(raw: RawVisit): HttpReply {
    const visit = this.#open(raw, null);
    return this.#sent(this.#signIn(visit), visit);
  }

  /** The page for a request that could not be read. @param status of its response. */
  refuse(
    raw: RawVisit,
    status: number,
    rejection = rejectionOf(status),
    retryAfterSeconds?: number,
  ): HttpReply {
    const visit = this.#open(raw, null);
    const reply = this.frame.rejected(rejection, visit.language, raw.formPath && localPath(raw.formPath));
    return this.replies.toHttp({ ...reply, status, retryAfterSeconds } as HtmlReply, visit, []);
  }

  async #handled(
    visit: Visit,
    handle: (outcome: Visit['outcome']) => Promise<PageReply>,
  ): Promise<PageReply> {
    const reply = await handle(await this.#takeFlash(visit));
    await this.#keepFlash(reply, visit);
    return reply;
  }

  async #takeFlash({ method, path, session }: Visit): Promise<string | null> {
    return session && method === 'GET'
      ? takeFlash(acrossTenants(this.db), session.id, path, this.clock.now())
      : null;
  }

  /** What was done is done: a failure here takes its notice only. */
  async #keepFlash(reply: PageReply, { session }: Visit): Promise<void> {
    if (session && reply.kind === 'redirect' && reply.outcome !== undefined) {
      const [path = ''] = reply.location.split('?');
      await keepFlash(acrossTenants(this.db), session.id, path, reply.outcome, this.clock.now()).catch(
        (error: unknown) => this.logger.warn({ err: error }, 'form outcome not kept'),
      );
    }
  }

  /** The session of a request's cookie; undefined: it cannot be found now, and the page will say so. */
  async authenticate(raw: RawVisit): Promise<FoundSession | null | undefined> {
    return this.#findSession(raw).catch(() => undefined);
  }

  async #findSession(raw: RawVisit): Promise<FoundSession | null> {
    if (raw.found !== undefined) {
      return raw.found;
    }
    const token = raw.cookies[cookieNames(this.config).session];
    return token ? findSession(acrossTenants(this.db), token, this.clock.now()) : null;
  }

  #open(raw: RawVisit, found: FoundSession | null): OpenVisit {
    const chosen = languages.find((language) => language === raw.cookies.language);
    const language = found?.session.language ?? chosen ?? preferred(raw.acceptLanguage);
    const secret = raw.cookies[cookieNames(this.config).csrf] || this.#tokens.secretSync();
    return {
      ...raw,
      session: found?.session ?? null,
      memberships: found?.memberships ?? [],
      outcome: null,
      language,
      t: (words) => words[language],
      secret,
      csrfToken: this.#tokens.create(secret, found?.session.id ?? nobody),
      newToken: found?.newToken ?? null,
    };
  }

  #isForged({ isFromAnotherSite, secret, sentToken, session }: OpenVisit): boolean {
    return isFromAnotherSite || !this.#tokens.verify(secret, sentToken, session?.id ?? nobody);
  }

  /** What replaces a form without a session, or without a token of it; null: it goes on. */
  async #refusedForm(page: BoundPage, visit: OpenVisit): Promise<Admission | null> {
    if (visit.method === 'GET') {
      return null;
    }
    if (page.access !== 'anyone' && !visit.session) {
      return { visit, reply: this.#signIn(visit, await this.#keepForm(page, visit)) };
    }
    if (!this.#isForged(visit)) {
      return null;
    }
    const kept = await this.#keepForm(page, visit);
    const reply = kept ? redirect(kept) : this.frame.rejected('stale_form', visit.language);
    return { visit, reply };
  }

  /** Where a form goes on whose session has ended since its page was loaded; null: it is not kept. */
  async #keepForm({ access }: BoundPage, visit: OpenVisit): Promise<string | null> {
    const isOf = (id: string) => this.#tokens.verify(visit.secret, visit.sentToken, id);
    const token = visit.cookies[cookieNames(this.config).session];
    return visit.isFromAnotherSite || !isOfBusiness(access)
      ? null
      : this.drafts.saveOfEnded(visit, token, isOf);
  }

  /** @param kept where the form that was sent goes on; null: it was not kept. */
  #signIn(visit: Visit, kept: string | null = null): PageReply {
    const next = kept ?? nextOf(visit);
    const query = new URLSearchParams({
      ...(next !== '' && { next }),
      ...(visit.method === 'POST' && { ended: kept ? 'form' : 'session' }),
    }).toString();
    return redirect(`${this.frame.signInPath}${query && '?'}${query}`);
  }

  /** Whether the visitor may use the page, and as whom. */
  async #admit(page: BoundPage, visit: OpenVisit): Promise<Admission> {
    if (page.access === 'anyone') {
      return admitted(visit, page.handle);
    }
    const { session } = visit;
    if (!session) {
      return { visit, reply: this.#signIn(visit) };
    }
    if (page.freshProof && !isProofFresh(session, this.clock.now())) {
      const kept = visit.method === 'POST' ? await this.drafts.saveSent(visit, session.personId) : null;
      return { visit, reply: redirect(proofPath(kept ?? nextOf(visit))) };
    }
    if (page.access === 'person') {
      return admitted({ ...visit, session }, page.handle);
    }
    const id = (visit.params.business ?? '').toLowerCase();
    const membership = visit.memberships.find(({ businessId }) => businessId === id);
    // A business of somebody else, and one that does not exist, look the same.
    if (!isUuid(id) || !membership) {
      return { visit, reply: this.frame.rejected('not_found', visit.language) };
    }
    setLogContext({ business_id: id });
    const { member, apiEnabled } = await this.#member({ ...visit, session }, membership);
    // What is refused here is shown with the menu of the business.
    if (page.access !== 'reader' && !isAtLeast(membership.role, page.access)) {
      return { visit: member, reply: this.frame.rejected(`${page.access}_only`, visit.language) };
    }
    const refusal = refusalOf(page.changes ?? 'nothing', member.business, apiEnabled);
    return refusal === null
      ? admitted(member, this.drafts.handlerOf(page))
      : { visit: member, reply: this.frame.refused(refusal, visit.language) };
  }

  /** The visit with the business of its path, as it is now. */
  async #member(
    visit: PersonVisit & OpenVisit,
    { businessId: id, role, hasJoined }: Membership,
  ): Promise<{ readonly member: MemberVisit & OpenVisit; readonly apiEnabled: boolean }> {
    if (!hasJoined) {
      const key = { businessId: id, personId: visit.session.personId };
      await recordArrival(forTenant(this.db, id), key, this.clock.now());
    }
    const [shown, businesses] = await Promise.all([
      this.rpc.call(showBusiness, { business_id: id }),
      this.names.of(visit.memberships),
    ]);
    const { business, settings_version: settingsVersion, api_enabled: apiEnabled } = shown;
    const isTest = visit.path.startsWith('/t/');
    const book = isTest ? testBook(business) : business;
    const root = `/${isTest ? 't' : 'b'}/${id}`;
    const link: MemberVisit['link'] = (path, query = {}) => {
      const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
      const search = new URLSearchParams(given).toString();
      return `${root}${path}${search === '' ? '' : `?${search}`}`;
    };
    const member = {
      ...visit,
      role,
      business,
      businesses,
      book,
      bookId: book.id,
      settingsVersion,
      isTest,
      link,
    };
    return { member, apiEnabled };
  }

  #sent(reply: PageReply, visit: OpenVisit): HttpReply {
    const { csrf, session } = cookieNames(this.config);
    const { secret, newToken } = visit;
    // The handler has started or ended a session: the value of the former one is of no use.
    const isReplaced = reply.cookies?.some(({ name }) => name === session) ?? false;
    return this.replies.toHttp(reply, visit, [
      ...(visit.cookies[csrf] === secret ? [] : [{ name: csrf, value: secret }]),
      ...(newToken === null || isReplaced ? [] : [{ name: session, value: newToken }]),
      ...(reply.cookies ?? []),
    ]);
  }
}

/** No person writes it, and PostgreSQL stores it in no text. */
const hasControlCharacter = ({ query, form }: RawVisit): boolean =>
  [...query, ...form].some((pair) => pair.some((text) => text.includes('\0')));

/** A page that is loaded has nothing but its address that can be invalid. */
const rejectionBy = (error: ApiError, { method }: RawVisit): Rejection =>
  error.code === 'validation_error' && method === 'GET' ? 'wrong_address' : error;

function rejectionOf(status: number): Rejection {
  switch (status) {
    case 404:
      return 'not_found';
    case 408:
      return 'too_slow';
    case 413:
      return 'too_large';
    case 503:
      return 'busy';
    default:
      return status < 500 ? ApiError.invalid([]) : new ApiError('internal_error');
  }
}

/** Why a change is refused, as the HTTP API refuses it; null: it may go on. */
function refusalOf(changes: Changes, business: Business, apiEnabled: boolean) {
  if (changes === 'nothing') {
    return null;
  }
  const { legal_type, ...others } = business;
  // A profile is completed by its settings.
  const status = { ...others, legal_type: changes === 'settings' ? 'any' : legal_type };
  return apiEnabled ? refusalOfBusiness(status, changes === 'issues') : 'api_disabled';
}

/** Hebrew, unless the browser asks for English and not for Hebrew. */
function preferred(acceptLanguage: string): Language {
  const asked = acceptLanguage.toLowerCase();
  return /\ben\b/.test(asked) && !/\bhe\b|\biw\b/.test(asked) ? 'en' : 'he';
}

/** Servers and proxies refuse longer headers than a few thousand characters, and the query is encoded once more. */
const nextQueryMax = 1_000;

/** Where to come back after signing in; a form is not sent twice, and leads back to its page. */
function nextOf({ method, path, query, formPath }: Visit): string {
  const search = query.toString();
  const kept = search === '' || search.length > nextQueryMax ? '' : `?${search}`;
  return method === 'GET' ? `${path}${kept}` : formPath;
}
