import { consumers, type donationSettled, type EventOf } from '@pinkas/contracts';
import { EventHandler, type Transaction } from '@pinkas/service-kit';
import { recordDonation } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';

/** Records what has become of the report of a donation. */
@EventHandler(consumers.recordDonation)
export class RecordDonation {
  async handle(event: EventOf<typeof donationSettled>, trx: Transaction<IssuingTables>): Promise<void> {
    await recordDonation(trx, event.document, event.donation);
  }
}
