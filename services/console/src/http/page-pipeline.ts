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
import { type Language, languages } from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import type { ConsoleTables } from '../db/console.tables.js';
import { keepFormOutcome, takeFormOutcome } from '../session/form-outcome.repository.js';
import { isAtLeast } from '../session/roles.js';
import {
  type FoundSession,
  findSession,
  type Membership,
  recordArrival,
} from '../session/session.repository.js';
import { BusinessNames } from './business-names.js';
import { type BoundPage, type Changes, isOfBusiness, type PageReply } from './console-page.js';
import { cookieNames } from './cookies.js';
import { Drafts } from './drafts.js';
import { isProofFresh, proofPath } from './fresh-proof.js';
import { localPath } from './local-path.js';
import { PageFrame, type Rejection } from './page-frame.js';
import type { MemberVisit, PersonVisit, Visit } from './visit.js';

/** The owner of the tokens of a browser without a session; the library takes an empty text for a missing one. */
const nobody = 'nobody';

/** A request before anything of it was checked. */
export type RawVisit = Omit<Visit, 'session' | 'memberships' | 'outcome' | 'language' | 't' | 'csrfToken'> & {
  /** Whether it asks for the head of a response alone. */
  readonly isHead: boolean;
  /** The request header Accept-Language. */
  readonly acceptLanguage: string;
  /** The token of the form that was sent; empty for GET. */
  readonly sentToken: string;
  /** Whether the browser says that a page of another site sent the form. */
  readonly isFromAnotherSite: boolean;
  /** The session of a form, which is found before its body is read; undefined where it is not known yet. */
  readonly found?: FoundSession | null | undefined;
};

/** A response, ready to be sent. */
export interface PageResponse {
  readonly reply:
    | Exclude<PageReply, { kind: 'html' }>
    | { kind: 'page'; status: number; html: string; retryAfterSeconds: number | undefined };
  readonly cookies: NonNullable<PageReply['cookies']>;
  /** Who is signed in; null: no one. */
  readonly personId: string | null;
}

/** What comes of a request before its page is made: a reply that replaces it, or what makes it. */
type Admission = { readonly visit: Visit } & (
  | { readonly reply: PageReply }
  | { readonly handle: (outcome: Visit['outcome']) => Promise<PageReply> }
);

const admitted = <V extends Visit>(visit: V, handle: (visit: V) => Promise<PageReply>): Admission => ({
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
  ) {
    // A token is valid for its session alone: a form from before signing in or out is stale.
    this.#tokens = csrfTokens(config);
  }

  /** The reply of a handler to a request, with its frame. Never throws. */
  async respond(page: BoundPage, raw: RawVisit): Promise<PageResponse> {
    const secret = this.#secretOf(raw);
    let visit = this.#visit(raw, secret, null);
    let reply: PageReply;
    let newToken: string | null = null;
    try {
      const found = await this.#findSession(raw);
      newToken = found?.newToken ?? null;
      visit = this.#visit(raw, secret, found);
      if (hasControlCharacter(raw)) {
        throw ApiError.invalid([{ path: '', message: 'has a character that no text has' }]);
      }
      const refused = await this.#refusedForm(page, visit, raw, secret);
      if (refused) {
        reply = refused;
      } else {
        const admission = await this.#admit(page, visit);
        visit = admission.visit;
        if ('reply' in admission) {
          reply = admission.reply;
        } else {
          reply = await admission.handle(await this.#takeOutcome(visit));
          await this.#keepOutcome(reply, visit);
        }
      }
    } catch (error) {
      const apiError = toApiError(error);
      this.logger[apiError.code === 'internal_error' ? 'error' : 'info'](
        { code: apiError.code, err: apiError.code === 'internal_error' ? error : undefined },
        'page request failed',
      );
      reply = this.frame.rejected(rejectionBy(apiError, raw), visit.language);
    }
    return this.#framed(reply, visit, raw, secret, newToken);
  }

  /** The page for a path that does not exist. */
  async respondUnknown(raw: RawVisit): Promise<PageResponse> {
    const secret = this.#secretOf(raw);
    const found = await this.#findSession(raw).catch(() => null);
    const visit = this.#visit(raw, secret, found);
    const reply = this.frame.rejected('not_found', visit.language);
    return this.#framed(reply, visit, raw, secret, found?.newToken ?? null);
  }

  /** The response to a form with files in a browser in which no one is signed in: its body is not read. */
  respondUnsigned(raw: RawVisit): PageResponse {
    const secret = this.#secretOf(raw);
    const visit = this.#visit(raw, secret, null);
    return this.#framed(this.#signIn(visit), visit, raw, secret, null);
  }

  /** The page for a request that could not be read. @param status of its response. */
  pageOfRejected(raw: RawVisit, status: number, rejection = rejectionOf(status)): string {
    const visit = this.#visit(raw, this.#secretOf(raw), null);
    const reply = this.frame.rejected(rejection, visit.language, raw.formPath && localPath(raw.formPath));
    return reply.kind === 'html' ? this.frame.frame(reply, visit) : '';
  }

  async #takeOutcome({ method, path, session }: Visit): Promise<string | null> {
    return session && method === 'GET'
      ? takeFormOutcome(acrossTenants(this.db), session.id, path, this.clock.now())
      : null;
  }

  /** What was done is done: a failure here takes its notice only. */
  async #keepOutcome(reply: PageReply, { session }: Visit): Promise<void> {
    if (session && reply.kind === 'redirect' && reply.outcome !== undefined) {
      const [path = ''] = reply.location.split('?');
      await keepFormOutcome(acrossTenants(this.db), session.id, path, reply.outcome, this.clock.now()).catch(
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

  #visit(raw: RawVisit, secret: string, found: FoundSession | null): Visit {
    const chosen = languages.find((language) => language === raw.cookies.language);
    const language = found?.session.language ?? chosen ?? preferred(raw.acceptLanguage);
    return {
      ...raw,
      session: found?.session ?? null,
      memberships: found?.memberships ?? [],
      outcome: null,
      language,
      t: (words) => words[language],
      csrfToken: this.#tokens.create(secret, found?.session.id ?? nobody),
    };
  }

  /** What the tokens of this browser are made of. */
  #secretOf(raw: RawVisit): string {
    return raw.cookies[cookieNames(this.config).csrf] || this.#tokens.secretSync();
  }

  #isForged(raw: RawVisit, secret: string, { session }: Visit): boolean {
    return raw.isFromAnotherSite || !this.#tokens.verify(secret, raw.sentToken, session?.id ?? nobody);
  }

  /** What replaces a form without a session, or without a token of it; null: it goes on. */
  async #refusedForm(
    page: BoundPage,
    visit: Visit,
    raw: RawVisit,
    secret: string,
  ): Promise<PageReply | null> {
    if (raw.method === 'POST' && page.access !== 'anyone' && !visit.session) {
      return this.#signIn(visit, await this.#keepForm(page, visit, raw, secret));
    }
    if (raw.method === 'GET' || !this.#isForged(raw, secret, visit)) {
      return null;
    }
    const kept = await this.#keepForm(page, visit, raw, secret);
    return kept ? { kind: 'redirect', location: kept } : this.frame.rejected('stale_form', visit.language);
  }

  /** Where a form goes on whose session has ended since its page was loaded; null: it is not kept. */
  async #keepForm({ access }: BoundPage, visit: Visit, raw: RawVisit, secret: string) {
    const isOf = (id: string) => this.#tokens.verify(secret, raw.sentToken, id);
    const token = raw.cookies[cookieNames(this.config).session];
    return raw.isFromAnotherSite || !isOfBusiness(access)
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
    return { kind: 'redirect', location: `${this.frame.signInPath}${query && '?'}${query}` };
  }

  /** Whether the visitor may use the page, and as whom. */
  async #admit(page: BoundPage, visit: Visit): Promise<Admission> {
    if (page.access === 'anyone') {
      return admitted(visit, page.handle);
    }
    const { session } = visit;
    if (!session) {
      return { visit, reply: this.#signIn(visit) };
    }
    if (page.freshProof && !isProofFresh(session, this.clock.now())) {
      const kept = visit.method === 'POST' ? await this.drafts.saveSent(visit, session.personId) : null;
      return { visit, reply: { kind: 'redirect', location: proofPath(kept ?? nextOf(visit)) } };
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
    visit: PersonVisit,
    { businessId: id, role, hasJoined }: Membership,
  ): Promise<{ readonly member: MemberVisit; readonly apiEnabled: boolean }> {
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

  #framed(
    reply: PageReply,
    visit: Visit,
    raw: RawVisit,
    secret: string,
    newToken: string | null,
  ): PageResponse {
    const { csrf, session } = cookieNames(this.config);
    // The handler has started or ended a session: the value of the former one is of no use.
    const isReplaced = reply.cookies?.some(({ name }) => name === session) ?? false;
    const cookies = [
      ...(raw.cookies[csrf] === secret ? [] : [{ name: csrf, value: secret }]),
      ...(newToken === null || isReplaced ? [] : [{ name: session, value: newToken }]),
      ...(reply.cookies ?? []),
    ];
    const personId = visit.session?.personId ?? null;
    return reply.kind === 'html'
      ? {
          reply: {
            kind: 'page',
            status: reply.status,
            html: this.frame.frame(reply, visit),
            retryAfterSeconds: reply.retryAfterSeconds,
          },
          cookies,
          personId,
        }
      : { reply, cookies, personId };
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
