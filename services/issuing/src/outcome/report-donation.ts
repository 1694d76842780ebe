import { Controller } from '@nestjs/common';
import { donationDue, type ReplyOf, type RequestOf, reportDonation } from '@pinkas/contracts';
import { decideDonation } from '@pinkas/domain';
import {
  ApiError,
  actorOf,
  appendTrail,
  currentContext,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
  OutboxRelay,
  type OutboxTransaction,
  publish,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import { lockById } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { toDocument, toState } from '../document/document-row.js';
import { donationPending } from '../document/known-outcomes.js';

type Request = RequestOf<typeof reportDonation>;

/** Reports a donation whose institution was not connected when its receipt was issued, for an owner or an operator. */
@Controller()
export class ReportDonation {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    private readonly relay: OutboxRelay,
  ) {}

  @Operation(reportDonation)
  handle(request: Request): Promise<ReplyOf<typeof reportDonation>> {
    const db = forTenant(this.db, request.business.id);
    return this.relay.transaction(db, (trx) => this.#report(trx, request));
  }

  async #report(
    trx: OutboxTransaction<IssuingTables>,
    { business: { id, events, tax_authority_connected }, document_id, person_id }: Request,
  ): Promise<ReplyOf<typeof reportDonation>> {
    const actor = actorOf(person_id);
    await sql`
      select set_config('pinkas.actor', ${actor}, true),
        set_config('pinkas.request_id', ${currentContext()?.requestId ?? ''}, true)`.execute(trx);
    const row = await lockById(trx, id, document_id);
    const { donation } = row ? toState(row) : {};
    if (!row || !donation) {
      throw new ApiError('not_found');
    }
    if (donation.status !== 'not_required') {
      return { donation };
    }
    // All but the connection is as it was: the receipt states it.
    const business = { ...row.business, tax_authority_connected, ...(events !== undefined && { events }) };
    const document = toDocument(row);
    const decision = decideDonation(document, business);
    if (!decision.required) {
      return { donation: { ...donation, reason: decision.reason } };
    }
    await trx
      .updateTable('document')
      .set({ donation: null })
      .where('business_id', '=', id)
      .where('id', '=', document_id)
      .execute();
    const subject = { business_id: id, subject: document_id };
    await appendTrail(trx, {
      ...subject,
      action: 'donation.report',
      actor,
      before: { ...donation },
      after: null,
    });
    await publish(trx, donationDue, document_id, {
      document,
      business,
      artifact_sha256: row.artifact_sha256,
    });
    return { donation: donationPending };
  }
}
