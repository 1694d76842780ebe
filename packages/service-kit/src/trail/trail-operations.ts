import { Controller, type Type } from '@nestjs/common';
import {
  type ReplyOf,
  type RequestOf,
  type ServiceName,
  type trailContracts,
  trails,
} from '@pinkas/contracts';
import { acrossTenants, type Database, forTenant } from '../db/tenant-scope.js';
import { InjectDatabase } from '../process/tokens.js';
import { Operation } from '../rpc/operation.js';
import { hashOfEntry } from './hash-of-entry.js';
import { entriesAfter, entriesBetween, headOf, headsAfter, rangeOf } from './trail.repository.js';
import type { TrailTables } from './trail.tables.js';

type TrailContracts = ReturnType<typeof trailContracts>;
type ListContract = TrailContracts['listTrailEntries'];
type LatestContract = TrailContracts['listLatestTrailEntries'];
type HeadsContract = TrailContracts['listChainHeads'];

/** The controllers of a service's audit contracts. */
export function trailOperations(service: ServiceName): readonly Type[] {
  return [operationsOf(trails[service])];
}

function operationsOf({ listTrailEntries, listLatestTrailEntries, listChainHeads }: TrailContracts) {
  @Controller()
  class TrailOperations {
    constructor(@InjectDatabase() readonly db: Database<TrailTables>) {}

    /** Reads the trail of a business and checks its chain. */
    @Operation(listTrailEntries)
    async list({ business_id, after, limit }: RequestOf<ListContract>): Promise<ReplyOf<ListContract>> {
      const db = forTenant(this.db, business_id);
      // Before the entries, so that they reach at least as far.
      const head = await headOf(db, business_id);
      const rows = await entriesAfter(db, business_id, after?.n ?? 0, limit + 1);
      const entries = checkedEntries(rows.slice(0, limit), after);
      const last = entries.at(-1);
      return {
        entries,
        head,
        next_after: rows.length > limit && last ? { n: last.n, hash: last.hash } : null,
      };
    }

    /** Reads the latest entries of the trail of a business. */
    @Operation(listLatestTrailEntries)
    async listLatest({
      business_id,
      before,
      limit,
      ...filter
    }: RequestOf<LatestContract>): Promise<ReplyOf<LatestContract>> {
      const db = forTenant(this.db, business_id);
      const { range, start } = await rangeOf(db, business_id, before, filter);
      const rows = await entriesBetween(db, business_id, range, filter, limit + 1);
      const entries = rows.slice(0, limit);
      // Behind the last entry, or behind the last that was checked.
      const next = rows.length > limit ? entries.at(-1)?.n : range.first;
      const isMore = rows.length > limit || range.first > start;
      return {
        entries: entries.map((row) => ({ ...row, at: row.at.toISOString(), hash: row.hash.toString('hex') })),
        next_before: isMore ? (next ?? null) : null,
      };
    }

    /** Lists the ends of the trails. */
    @Operation(listChainHeads)
    async listHeads({ after, limit }: RequestOf<HeadsContract>): Promise<ReplyOf<HeadsContract>> {
      const found = await headsAfter(acrossTenants(this.db), after, limit + 1);
      const heads = found.slice(0, limit);
      return { heads, next_after: found.length > limit ? (heads.at(-1)?.business_id ?? null) : null };
    }
  }
  return TrailOperations;
}

/** Entries in the order of the chain, each with what is wrong with it. @param after the entry before the first. */
function checkedEntries(
  rows: Awaited<ReturnType<typeof entriesAfter>>,
  after: RequestOf<ListContract>['after'],
): ReplyOf<ListContract>['entries'] {
  let last: { n: number; hash: Buffer } | null = after && {
    n: after.n,
    hash: Buffer.from(after.hash, 'hex'),
  };
  return rows.map((row) => {
    const expected = (last?.n ?? 0) + 1;
    const findings = [
      ...(row.n === expected ? [] : [`before it entry ${expected} is missing`]),
      ...(hashOfEntry(row, last?.hash ?? null).equals(row.hash)
        ? []
        : ['it, or the entry before it, is not what was recorded']),
    ];
    last = { n: row.n, hash: row.hash };
    return {
      ...row,
      at: row.at.toISOString(),
      hash: row.hash.toString('hex'),
      finding: findings.length === 0 ? null : findings.join('; '),
    };
  });
}
