import { sqlMigration } from '@pinkas/service-kit/schema';

/** An index of the documents that need a person, in the order in which they are listed; it replaces an unused one. */
export const unresolvedAllocations = sqlMigration(`
  create index allocation_unresolved_idx on allocation (business_id, coalesce(dead_lettered_at, refused_at), document_id)
    where state in ('refused', 'dead_lettered');
  drop index allocation_failed_idx;
`);
