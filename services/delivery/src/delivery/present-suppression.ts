import type { Suppression } from '@pinkas/contracts';
import type { SuppressionRow } from './suppression.repository.js';

/** A suppressed address as an operator is told. */
export function presentSuppression(row: SuppressionRow): Suppression {
  return {
    business_id: row.business_id,
    channel: row.channel,
    address: row.address,
    reason: row.reason,
    words: row.words,
    since: row.since.toISOString(),
  };
}
