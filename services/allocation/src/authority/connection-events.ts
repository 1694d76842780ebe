import { connectionEventDue } from '@pinkas/contracts';
import { type OutboxTransaction, publish, timeOrderedId } from '@pinkas/service-kit';
import type { AllocationTables } from '../db/allocation.tables.js';

/** Publishes, for callers, that a connection is about to end, or has ended. @param validUntil null: it has ended. */
export async function publishConnectionEvent(
  trx: OutboxTransaction<AllocationTables>,
  businessId: string,
  validUntil: Date | null,
  now: Date,
): Promise<void> {
  await publish(trx, connectionEventDue, businessId, {
    business_id: businessId,
    event_id: timeOrderedId(),
    occurred_at: now.toISOString(),
    type: validUntil ? 'authority.expiring' : 'authority.disconnected',
    valid_until: validUntil?.toISOString() ?? null,
  });
}
