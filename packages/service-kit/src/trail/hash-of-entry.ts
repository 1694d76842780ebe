import { createHash } from 'node:crypto';
import { canonicalJson } from '@pinkas/contracts';
import type { TrailEntryTable } from './trail.tables.js';

/** The hash that the database's `audit_append` gives an entry. @param previous the hash of the entry before it. */
export function hashOfEntry(row: Omit<TrailEntryTable, 'hash'>, previous: Buffer | null): Buffer {
  const facts = canonicalJson({
    action: row.action,
    actor: row.actor,
    after: row.after,
    at: row.at.toISOString(),
    before: row.before,
    business_id: row.business_id,
    n: row.n,
    previous: previous?.toString('hex') ?? null,
    request_id: row.request_id,
    subject: row.subject,
  });
  return createHash('sha256').update(facts).digest();
}
