import { cancelDonation, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  actorOf,
  appendAudit,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { type AllocationRow, findByDocument } from '../attempt/allocation.repository.js';
import { lockDonation, readReports, requestCancellation } from '../attempt/donation.repository.js';
import { ImmediateAttempt } from '../attempt/immediate-attempt.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { toDonation } from './donation-view.js';

type Request = RequestOf<typeof cancelDonation>;

/** Cancels the reports of a donation, for an owner or an operator. */
@Operation(cancelDonation)
export class CancelDonation {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly attempt: ImmediateAttempt,
  ) {}

  async handle(request: Request): Promise<ReplyOf<typeof cancelDonation>> {
    const row = await this.#find(request);
    if (await this.#request(row, request)) {
      await this.attempt.make(row);
    }
    const db = forTenant(this.db, row.business_id);
    return toDonation(await this.#find(request), await readReports(db, [row]));
  }

  async #find({ document_id, business_id: businessId }: Request): Promise<AllocationRow> {
    const visible = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const row = await findByDocument(visible, document_id);
    if (row?.kind !== 'donation') {
      throw new ApiError('not_found');
    }
    return row;
  }

  /** @returns false where it was asked for before. */
  async #request(row: AllocationRow, { reason, person_id }: Request): Promise<boolean> {
    return forTenant(this.db, row.business_id)
      .transaction()
      .execute(async (trx) => {
        const locked = await lockDonation(trx, row);
        if (!locked || locked.cancel_requested_at !== null) {
          return false;
        }
        await requestCancellation(trx, row, reason, this.clock.now());
        await appendAudit(trx, {
          business_id: row.business_id,
          action: 'donation.cancel',
          subject: row.document_id,
          actor: actorOf(person_id),
          before: { state: locked.state },
          after: { reason },
        });
        return true;
      });
  }
}
