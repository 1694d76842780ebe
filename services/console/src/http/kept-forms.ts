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
} from '@pinkas/service-kit';
import type { ConsoleTables } from '../db/console.tables.js';
import { draftMs, saveDraft } from '../session/draft.repository.js';
import { findEndedSessions, isMember } from '../session/session.repository.js';
import type { Visit } from './visit.js';

/** A form that is no draft of a document is kept while its person signs in. */
const keptMs = 24 * 60 * 60 * 1000;

/** Keeps forms that are sent while their person has to sign in, or to prove who they are. */
@Injectable()
export class KeptForms {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /**
   * Keeps a form whose session has ended since its page was loaded. It is its person's where the cookie names that session, or the
   * person is signed in again, and its token was made for that session in this browser: no one else can put a form there.
   * @param token the session cookie. @param isOf whether the form has the token of a session.
   * @returns where it goes on; null: it is not kept.
   */
  async keepOfEnded(
    visit: Visit,
    token: string | undefined,
    isOf: (sessionId: string) => boolean,
  ): Promise<string | null> {
    const ofToken = token === undefined || token === '' ? null : { token };
    const of = visit.session ? { personId: visit.session.personId } : ofToken;
    const ended = of && (await findEndedSessions(acrossTenants(this.db), of, this.clock.now()));
    const own = ended?.find(({ id }) => isOf(id));
    return own ? this.keep(visit, own.personId) : null;
  }

  /** Keeps a form for its person. @returns where it goes on; null: there is nothing to keep, or the business is not theirs. */
  async keep({ files, form, params, path }: Visit, personId: string): Promise<string | null> {
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
    const draft = isUuid(key) ? { id: key, keptMs: draftMs } : { id: randomUUID(), keptMs };
    await saveDraft(db, { businessId, personId }, { ...draft, path, form: typed }, this.clock.now());
    return `/${path.startsWith('/t/') ? 't' : 'b'}/${businessId}/forms/${draft.id}`;
  }
}
