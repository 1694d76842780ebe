import { isUuid } from '@pinkas/contracts';
import { acrossTenants, type Database, InjectDatabase } from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import { ConsolePage, type PageReply, redirect } from '../../http/console-page.js';
import type { PersonVisit } from '../../http/visit.js';
import { endOtherSessions, endSession } from '../../session/session.repository.js';
import { errorPage } from '../message-pages.js';

/** Ends one session of the person. */
@ConsolePage({ method: 'POST', path: '/account/sessions/:session/end', access: 'person' })
export class EndSession {
  constructor(@InjectDatabase() private readonly db: Database<ConsoleTables>) {}

  async handle({ params, session, language }: PersonVisit): Promise<PageReply> {
    const id = params.session ?? '';
    if (!isUuid(id)) {
      return errorPage('not_found', language);
    }
    await endSession(acrossTenants(this.db), session.personId, id);
    return redirect('/account');
  }
}

/** Ends every session of the person but this one. */
@ConsolePage({ method: 'POST', path: '/account/sessions/end-others', access: 'person' })
export class EndOtherSessions {
  constructor(@InjectDatabase() private readonly db: Database<ConsoleTables>) {}

  async handle({ session }: PersonVisit): Promise<PageReply> {
    await endOtherSessions(acrossTenants(this.db), session.personId, session.id);
    return redirect('/account');
  }
}
