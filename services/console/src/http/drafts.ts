import { Injectable } from '@nestjs/common';
import { isUuid } from '@pinkas/contracts';
import {
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
  endDraft,
  findDraft,
  listDrafts,
  saveDraft,
} from '../session/draft.repository.js';
import type { MemberVisit } from './visit.js';

const ownerOf = ({ business, session }: MemberVisit): DraftOwner => ({
  businessId: business.id,
  personId: session.personId,
});

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
