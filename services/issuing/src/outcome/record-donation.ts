import { isDeepStrictEqual } from 'node:util';
import { consumers, type donationSettled, type EventOf } from '@pinkas/contracts';
import { type Clock, EventHandler, InjectClock, type OutboxTransaction } from '@pinkas/service-kit';
import { findById, recordDonation } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { publishDocumentEvent } from '../document/document-events.js';

type Settled = EventOf<typeof donationSettled>;

/** Records what has become of the report of a donation, and publishes it for callers where the business wants events. */
@EventHandler(consumers.recordDonation)
export class RecordDonation {
  constructor(@InjectClock() private readonly clock: Clock) {}

  async handle(
    { document, business, donation }: Settled,
    trx: OutboxTransaction<IssuingTables>,
  ): Promise<void> {
    await recordDonation(trx, document, donation);
    const type = typeOf(donation);
    if (type === null || !business.events) {
      return;
    }
    const row = await findById(trx, document.business_id, document.id);
    // The reply may have recorded it before; what comes too late to be recorded is no event.
    if (row && isDeepStrictEqual(row.donation, donation)) {
      await publishDocumentEvent(trx, type, row, this.clock.now().toISOString());
    }
  }
}

/** Null: no event. A reason of a report that was made is that its cancellation failed. */
function typeOf({ status, reason }: Settled['donation']) {
  if (status === 'reported') {
    return reason === null ? 'donation.reported' : null;
  }
  return status === 'refused' || status === 'failed' ? (`donation.${status}` as const) : null;
}
