import { isDeepStrictEqual } from 'node:util';
import { Controller } from '@nestjs/common';
import { auditSeries, listSeriesHeads, type ReplyOf, type RequestOf, readSeries } from '@pinkas/contracts';
import { settlementOf, settlesSource } from '@pinkas/domain';
import {
  acrossTenants,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
  pageOf,
} from '@pinkas/service-kit';
import { agorotOf } from '../document/amounts.js';
import type { IssuingTables } from '../document/document.tables.js';
import { wrongSums } from '../document/document-sums.repository.js';
import { toSettling } from '../document/settlement.repository.js';
import { hashedFacts, stateOf } from './document-hash.js';
import { type ChainedRow, chainedAfter, continues, seriesHead, seriesHeadsAfter } from './hash.repository.js';

/** Half of the default message limit of NATS (1 MB), which a page of large documents would exceed. */
const pageBytesMax = 512 * 1024;

/** The chains of hashes of series. */
@Controller()
export class SeriesOperations {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  /** Computes hashes and sums of a series again, and compares each document's state with the trail of its changes. */
  @Operation(auditSeries)
  async audit(request: RequestOf<typeof auditSeries>): Promise<ReplyOf<typeof auditSeries>> {
    const { after, limit, ...series } = request;
    const db = forTenant(this.db, series.business_id);
    // Before the documents, so that they reach at least as far.
    const head = await seriesHead(db, series);
    const { page, last } = pageOf(await chainedAfter(db, series, after, limit + 1), limit);
    let previous: Buffer | null = after && Buffer.from(after.hash, 'hex');
    const documents = page.map((row) => {
      const findings = [
        ...hashFindings(row, previous),
        ...stateFindings(row),
        ...balanceFindings(row),
        ...copyFindings(row),
      ];
      previous = row.hash;
      return { number: row.number, id: row.id, hash: row.hash.toString('hex'), findings };
    });
    return {
      documents,
      wrong_sums: after === null ? await wrongSums(db, series) : [],
      head,
      next_after: last ? { number: last.number, id: last.id, hash: last.hash.toString('hex') } : null,
    };
  }

  /** Reads what the hashes of a series are of, for a file outside. It checks nothing: the reader of the file does. */
  @Operation(readSeries)
  async read(request: RequestOf<typeof readSeries>): Promise<ReplyOf<typeof readSeries>> {
    const { after, limit, ...series } = request;
    const rows = await chainedAfter(forTenant(this.db, series.business_id), series, after, limit + 1);
    let previous: Buffer | null = after && Buffer.from(after.hash, 'hex');
    let bytes = 0;
    const records: ReplyOf<typeof readSeries>['records'] = [];
    for (const row of rows.slice(0, limit)) {
      const facts = hashedFacts(row, row.changes[0]?.before ?? stateOf(row), previous);
      bytes += Buffer.byteLength(JSON.stringify(facts));
      if (records.length > 0 && bytes > pageBytesMax) {
        break;
      }
      records.push({ number: row.number, id: row.id, hash: row.hash.toString('hex'), facts });
      previous = row.hash;
    }
    const last = records.at(-1);
    return {
      records,
      next_after:
        rows.length > records.length && last ? { number: last.number, id: last.id, hash: last.hash } : null,
    };
  }

  /** Lists the ends of the chains of all series, for their signature. */
  @Operation(listSeriesHeads)
  async listHeads({
    after,
    limit,
  }: RequestOf<typeof listSeriesHeads>): Promise<ReplyOf<typeof listSeriesHeads>> {
    const found = await seriesHeadsAfter(acrossTenants(this.db), after, limit + 1);
    const { page, last } = pageOf(found, limit);
    return {
      heads: page,
      next_after: last ? { business_id: last.business_id, type: last.type } : null,
    };
  }
}

function hashFindings(row: ChainedRow, previous: Buffer | null): string[] {
  return continues(row, previous) ? [] : ['its facts, or the document before it, are not those of its issue'];
}

/** Each change begins with the state that the one before it has left, and the row has the state of the last. */
function stateFindings(row: ChainedRow): string[] {
  const { changes } = row;
  const isBroken = changes.some(
    ({ before }, index) => index > 0 && !isDeepStrictEqual(before, changes[index - 1]?.after),
  );
  const last = changes.at(-1);
  return [
    ...(isBroken ? ['a change of its state is missing from the trail'] : []),
    ...(last && !isDeepStrictEqual(last.after, stateOf(row))
      ? ['its state is not the one that its last recorded change has left']
      : []),
  ];
}

/** The stored balance is what debts and statements read. */
function balanceFindings(row: ChainedRow): string[] {
  const { balance, state } = settlementOf(
    { type: row.type, totals: { total: Number(row.total) } },
    { status: row.status, paid: Number(row.paid), set_off: Number(row.set_off), ...toSettling(row) },
  );
  const stored = row.balance === null ? null : agorotOf(row.balance);
  return [
    ...(stored === balance
      ? []
      : ['what is left to pay of it is not what its receipts, credit notes, invoices and set-offs leave']),
    ...(row.settlement === state ? [] : ['how far it is settled is not what is left to pay of it states']),
    ...(row.set_off === row.set_off_sum ? [] : ['what is set against it is not the sum of its set-offs']),
    ...(row.withheld === row.withheld_sum
      ? []
      : [
          row.type === 'receipt'
            ? 'what it states as withheld is not what was recorded with it'
            : 'what is withheld of it is not the sum of what was recorded as withheld',
        ]),
  ];
}

/** What lists, accounts and replays read instead of what the document contains. */
function copyFindings(row: ChainedRow): string[] {
  const { account_id, allocation, allocation_number: number, reply_outcomes: reply } = row;
  const accountId = (settlesSource(row.type) && row.source_customer_id) || row.customer_id;
  const replied = reply?.allocation.number ?? null;
  const checks: [boolean, string][] = [
    [BigInt(row.total_agorot) === agorotOf(row.total), 'the total that lists compare is not its total'],
    [
      account_id === accountId,
      'it is not on the account of the customer whose document it settles, or of its own',
    ],
    [row.is_in_order, 'its position in the order of commits is not behind that of another document'],
    [(allocation?.number ?? null) === number, 'the outcome of its allocation has another number'],
    [replied === null || replied === number, 'a repeated request is answered with another allocation number'],
  ];
  return checks.flatMap(([holds, finding]) => (holds ? [] : [finding]));
}
