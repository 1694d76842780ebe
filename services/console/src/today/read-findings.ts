import {
  type Allocation,
  type DocumentHead,
  type DocumentState,
  type ListedDocument,
  listDeliveryFailures,
  listDocuments,
  listSuppressions,
  listUnresolvedAllocations,
  listUnresolvedDonations,
  type ReplyOf,
} from '@pinkas/contracts';
import type { RpcClient } from '@pinkas/service-kit';

const pageRows = 100;
/** So many rows of a kind are read: beyond them the page states that there are more. */
export const rowsMax = 500;

export interface UnresolvedAllocation {
  readonly allocation: Allocation;
  readonly document: DocumentHead;
  readonly state: DocumentState;
}

/** Rows of a list, and whether it has more than were read. */
export interface Found<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

type Before = NonNullable<ReplyOf<typeof listUnresolvedAllocations>['next_before']>;
type FailuresAfter = NonNullable<ReplyOf<typeof listDeliveryFailures>['next_after']>;
type SuppressionsAfter = NonNullable<ReplyOf<typeof listSuppressions>['next_after']>;

/** Reads a list page by page, at most {@link rowsMax} rows. */
async function readAll<Row, Position>(
  read: (position: Position | undefined) => Promise<{ rows: readonly Row[]; next: Position | null }>,
): Promise<Found<Row>> {
  const rows: Row[] = [];
  let position: Position | undefined;
  while (rows.length < rowsMax) {
    const page = await read(position);
    rows.push(...page.rows);
    if (page.next === null) {
      return { rows, hasMore: false };
    }
    position = page.next;
  }
  return { rows, hasMore: true };
}

/** The documents whose number was refused or not received, with how far they are settled. */
export const readAllocations = (rpc: RpcClient, business_id: string): Promise<Found<UnresolvedAllocation>> =>
  readAll((before: Before | undefined) => listed(rpc, business_id, before));

async function listed(rpc: RpcClient, business_id: string, before: Before | undefined) {
  const { allocations, next_before: next } = await rpc.call(listUnresolvedAllocations, {
    ...{ business_id, limit: pageRows },
    ...(before && { before }),
  });
  const documents = await documentsOf(
    rpc,
    business_id,
    allocations.map(({ document_id }) => document_id),
  );
  const rows = allocations.flatMap((allocation): UnresolvedAllocation[] => {
    const found = documents.get(allocation.document_id);
    return found ? [{ allocation, document: found.document, state: found.state }] : [];
  });
  return { rows, next };
}

async function documentsOf(
  rpc: RpcClient,
  business_id: string,
  document_ids: string[],
): Promise<ReadonlyMap<string, ListedDocument>> {
  if (document_ids.length === 0) {
    return new Map();
  }
  const { documents } = await rpc.call(listDocuments, {
    ...{ business_id, document_ids, include_cancelled: true, settlement: true },
    ...{ limit: pageRows, before: null },
  });
  return new Map(documents.map((row) => [row.document.id, row]));
}

/** The donations whose report was refused or given up. */
export const readDonations = (rpc: RpcClient, business_id: string) =>
  readAll(async (before: Before | undefined) => {
    const reply = await rpc.call(listUnresolvedDonations, {
      ...{ business_id, limit: pageRows },
      ...(before && { before }),
    });
    return { rows: reply.donations, next: reply.next_before };
  });

/** The messages that have failed. */
export const readFailures = (rpc: RpcClient, business_id: string) =>
  readAll(async (after: FailuresAfter | undefined) => {
    const reply = await rpc.call(listDeliveryFailures, { business_id, ...(after && { after }) });
    return { rows: reply.failures, next: reply.next_after };
  });

/** The addresses that get no messages. */
export const readSuppressions = (rpc: RpcClient, business_id: string) =>
  readAll(async (after: SuppressionsAfter | undefined) => {
    const reply = await rpc.call(listSuppressions, { business_id, ...(after && { after }) });
    return { rows: reply.suppressions, next: reply.next_after };
  });
