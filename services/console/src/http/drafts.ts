import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isUuid } from '@pinkas/contracts';
import {
  acrossTenants,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import type { ConsoleTables } from '../db/console.tables.js';
import {
  type Draft,
  type DraftOwner,
  deleteDraft,
  draftMs,
  endDraft,
  findDraft,
  listDrafts,
  saveDraft,
} from '../session/draft.repository.js';
import { findEndedSessions, isMember } from '../session/session.repository.js';
import { type BoundPage, type PageReply, redirect } from './console-page.js';
import type { MemberVisit, Visit } from './visit.js';

/** A form that was sent while its person had to sign in is kept so long, unless it is that of a document. */
const sentMs = 24 * 60 * 60 * 1000;

const ownerOf = ({ business, session }: MemberVisit): DraftOwner => ({
  businessId: business.id,
  personId: session.personId,
});

/** The steps of a form that keeps what is typed: as its script does, and by its buttons. */
export const draftSteps = { keep: 'keep_draft', save: 'save_draft', discard: 'discard_draft' } as const;

const addressOf = ({ path, query }: MemberVisit): string => (query.size === 0 ? path : `${path}?${query}`);

/** What the person of a visit has typed for its business and not finished. No one else sees it. */
@Injectable()
export class Drafts {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  #of({ business }: MemberVisit): Database<ConsoleTables> {
    return forTenant(this.db, business.id);
  }

  /** @returns false where a document was issued from it already, and nothing is saved. */
  save(visit: MemberVisit, draft: Pick<Draft, 'id' | 'path' | 'form'>): Promise<boolean> {
    return saveDraft(this.#of(visit), ownerOf(visit), draft, this.clock.now());
  }

  /** A draft by its id, of any form. */
  async find(visit: MemberVisit, id: string): Promise<Draft | null> {
    return isUuid(id) ? findDraft(this.#of(visit), ownerOf(visit), id, this.clock.now()) : null;
  }

  /** Those of the form that is sent to a path, the one saved last first. */
  list(visit: MemberVisit, path: string): Promise<Draft[]> {
    return listDrafts(this.#of(visit), ownerOf(visit), path, this.clock.now());
  }

  async discard(visit: MemberVisit, id: string): Promise<void> {
    if (isUuid(id)) {
      await deleteDraft(this.#of(visit), ownerOf(visit), id);
    }
  }

  /**
   * Saves a form whose session has ended since its page was loaded. It is its person's where the cookie names that session, or the
   * person is signed in again, and its token was made for that session in this browser: no one else can put a form there.
   * @param token the session cookie. @param isOf whether the form has the token of a session.
   * @returns where it goes on; null: it is not saved.
   */
  async saveOfEnded(
    visit: Visit,
    token: string | undefined,
    isOf: (sessionId: string) => boolean,
  ): Promise<string | null> {
    const ofToken = token === undefined || token === '' ? null : { token };
    const of = visit.session ? { personId: visit.session.personId } : ofToken;
    const ended = of && (await findEndedSessions(acrossTenants(this.db), of, this.clock.now()));
    const own = ended?.find(({ id }) => isOf(id));
    return own ? this.saveSent(visit, own.personId) : null;
  }

  /**
   * Saves a form that was sent while its person had to sign in, or to prove who they are.
   * @returns where it goes on; null: there is nothing to save, or the business is not theirs.
   */
  async saveSent({ files, form, params, path }: Visit, personId: string): Promise<string | null> {
    const businessId = (params.business ?? '').toLowerCase();
    const typed = new URLSearchParams([...form].filter(([name]) => name !== '_csrf'));
    // A form with a file would go on without it.
    if (typed.size === 0 || Object.keys(files).length > 0 || !isUuid(businessId)) {
      return null;
    }
    const db = forTenant(this.db, businessId);
    if (!(await isMember(db, businessId, personId))) {
      return null;
    }
    const key = form.get('key') ?? '';
    // The form of a document is the draft that it is saved as.
    const draft = isUuid(key) ? { id: key, keptMs: draftMs } : { id: randomUUID(), keptMs: sentMs };
    await saveDraft(db, { businessId, personId }, { ...draft, path, form: typed }, this.clock.now());
    return `/${path.startsWith('/t/') ? 't' : 'b'}/${businessId}/forms/${draft.id}`;
  }

  /** Handles a page of a business; what is typed into its form is kept where the page states it. */
  handlerOf({ draft, handle }: BoundPage<'reader' | 'issuer' | 'owner'>): typeof handle {
    return draft ? (visit) => this.#around(visit, handle) : handle;
  }

  /**
   * Keeps what is typed into the form of a page: its buttons keep and discard it, as its script does while one types, the page has it
   * when it is loaded again, and a form that has done its work, and so leads to another page, ends it.
   */
  async #around(visit: MemberVisit, handle: (visit: MemberVisit) => Promise<PageReply>): Promise<PageReply> {
    if (visit.method === 'GET') {
      const [typed = null] = await this.list(visit, visit.path);
      return handle({ ...visit, typed });
    }
    switch (visit.form.get('step')) {
      case draftSteps.keep:
        await this.#keep(visit);
        return { kind: 'json', status: 200, value: { saved: true } };
      case draftSteps.save:
        await this.#keep(visit);
        return redirect(addressOf(visit));
      case draftSteps.discard:
        await this.#forget(visit);
        return redirect(addressOf(visit));
      default: {
        const reply = await handle(visit);
        if (reply.kind === 'redirect') {
          await this.#forget(visit).catch((error: unknown) =>
            this.logger.warn({ err: error }, 'draft not ended'),
          );
        }
        return reply;
      }
    }
  }

  async #keep(visit: MemberVisit): Promise<void> {
    const form = new URLSearchParams([...visit.form].filter(([name]) => name !== '_csrf' && name !== 'step'));
    const [known] = await this.list(visit, visit.path);
    await this.save(visit, { id: known?.id ?? randomUUID(), path: visit.path, form });
  }

  async #forget(visit: MemberVisit): Promise<void> {
    const typed = await this.list(visit, visit.path);
    await Promise.all(typed.map(({ id }) => this.discard(visit, id)));
  }

  /** The document is issued: where this fails, issuing again replies with it. */
  async end(
    visit: MemberVisit,
    draft: { readonly id: string; readonly path: string; readonly documentId: string },
  ): Promise<void> {
    await endDraft(this.#of(visit), ownerOf(visit), draft, this.clock.now()).catch((error: unknown) =>
      this.logger.warn({ err: error }, 'draft not ended'),
    );
  }
}
