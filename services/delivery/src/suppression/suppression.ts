import type { Suppression } from '@pinkas/contracts';
import type { SuppressionRow } from './suppression.repository.js';

/** A suppressed address as an operator reads it. */
export function toSuppression(row: SuppressionRow): Suppression {
  return {
    business_id: row.business_id,
    channel: row.channel,
    address: row.address,
    reason: row.reason,
    detail: row.detail,
    since: row.since.toISOString(),
  };
}
