import { Controller } from '@nestjs/common';
import {
  cancelDonation,
  listUnresolvedDonations,
  type ReplyOf,
  type RequestOf,
  showDonation,
} from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { toAttempt } from '../allocation/allocation-view.js';
import { type AllocationRow, attemptsOf, findByDocument } from '../attempt/allocation.repository.js';
import { unresolvedAllocations } from '../attempt/allocation-list.repository.js';
import { lockDonation, readReports, requestCancellation } from '../attempt/donation.repository.js';
import { ImmediateAttempt } from '../attempt/immediate-attempt.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { toDonation } from './donation-view.js';

const pageMax = 200;

type CancelRequest = RequestOf<typeof cancelDonation>;

/** The reports of donations. */
@Controller()
export class DonationOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly attempt: ImmediateAttempt,
  ) {}

  /** The donation of one receipt, with its reports and attempts. */
  @Operation(showDonation)
  async show({
    business_id: businessId,
    document_id,
    after_attempt: after = 0,
  }: RequestOf<typeof showDonation>): Promise<ReplyOf<typeof showDonation>> {
    const visible = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    // One snapshot: the state is that of the last attempt.
    return visible
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => {
        const row = await findByDocument(trx, document_id);
        if (row?.kind !== 'donation') {
          return { donation: null, attempts: [], next_after_attempt: null };
        }
        const attempts = await attemptsOf(trx, row, after, pageMax + 1);
        const page = attempts.slice(0, pageMax).map(toAttempt);
        return {
          donation: toDonation(row, await readReports(trx, [row])),
          attempts: page,
          next_after_attempt: attempts.length > pageMax ? (page.at(-1)?.n ?? null) : null,
        };
      });
  }

  /** The refused and the dead-lettered donations, page by page. */
  @Operation(listUnresolvedDonations)
  async listUnresolved({
    business_id: businessId,
    before,
    limit,
  }: RequestOf<typeof listUnresolvedDonations>): Promise<ReplyOf<typeof listUnresolvedDonations>> {
    const db = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const position = before && { ...before, decided_at: new Date(before.decided_at) };
    const found = await unresolvedAllocations(db, 'donation', businessId, position, limit + 1);
    const page = found.slice(0, limit);
    const reports = await readReports(db, page);
    const donations = page.map((row) => toDonation(row, reports));
    const last = found.length > limit ? donations.at(-1) : undefined;
    return {
      donations,
      next_before: last ? { decided_at: last.decided_at, document_id: last.document_id } : null,
    };
  }

  /** Cancels the reports of a donation, for an owner or an operator. */
  @Operation(cancelDonation)
  async cancel(request: CancelRequest): Promise<ReplyOf<typeof cancelDonation>> {
    const row = await this.#find(request);
    if (await this.#requestCancellation(row, request)) {
      await this.attempt.make(row);
    }
    const db = forTenant(this.db, row.business_id);
    return toDonation(await this.#find(request), await readReports(db, [row]));
  }

  async #find({ document_id, business_id: businessId }: CancelRequest): Promise<AllocationRow> {
    const visible = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const row = await findByDocument(visible, document_id);
    if (row?.kind !== 'donation') {
      throw new ApiError('not_found');
    }
    return row;
  }

  /** @returns false where it was asked for before. */
  async #requestCancellation(row: AllocationRow, { reason, person_id }: CancelRequest): Promise<boolean> {
    return forTenant(this.db, row.business_id)
      .transaction()
      .execute(async (trx) => {
        const locked = await lockDonation(trx, row);
        if (!locked || locked.cancel_requested_at !== null) {
          return false;
        }
        await requestCancellation(trx, row, reason, this.clock.now());
        await appendTrail(trx, {
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
