import { createHash } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  getUsage,
  listSeries,
  type ReplyOf,
  type RequestOf,
  reviewDocuments,
  reviewNotes,
  sumDocuments,
  summarizeDocuments,
  summarizeMonths,
} from '@pinkas/contracts';
import { addDays, dayInIsrael, documentTypes, sum, toShekels } from '@pinkas/domain';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { sumsByMonth, sumsByType } from '../document/document-sums.repository.js';
import {
  countedMax,
  countWithoutBuyerId,
  type NotedDocument,
  readNoted,
  sumUndeductible,
  sumUnreportedDonations,
} from '../document/settlement.repository.js';
import { checkPeriod } from '../report/period-days.js';
import { type SummedType, sumListed } from './document-sum.repository.js';
import { listSeriesOf } from './series.repository.js';
import { countOf } from './usage.repository.js';

const monthsMax = 36;

/** Invoices of about a quarter: VAT of older ones was reported, and nothing can be done about them. */
const buyerIdDays = 92;

/** Counts and sums of documents. */
@Controller()
export class SummaryOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Sums up the documents of a list, by type. */
  @Operation(sumDocuments)
  async sumDocuments(request: RequestOf<typeof sumDocuments>): Promise<ReplyOf<typeof sumDocuments>> {
    const sums = await sumListed(forTenant(this.db, request.business_id), request);
    return { types: sums && inOrder(sums) };
  }

  /** Sums up the documents of a range of dates, by type. */
  @Operation(summarizeDocuments)
  async summarizeDocuments(
    request: RequestOf<typeof summarizeDocuments>,
  ): Promise<ReplyOf<typeof summarizeDocuments>> {
    const { business_id, from, to } = request;
    checkPeriod(request);
    const sums = await sumsByType(forTenant(this.db, business_id), business_id, { from, to });
    return { types: inOrder(sums) };
  }

  /** Sums up the documents of each month, by type. */
  @Operation(summarizeMonths)
  async summarizeMonths({
    business_id,
    from,
    to,
  }: RequestOf<typeof summarizeMonths>): Promise<ReplyOf<typeof summarizeMonths>> {
    if (monthsOf(to) - monthsOf(from) >= monthsMax) {
      throw ApiError.invalid([{ path: '/to', message: `must be within ${monthsMax} months from the first` }]);
    }
    const sums = await sumsByMonth(forTenant(this.db, business_id), business_id, {
      from: `${from}-01`,
      to: lastDay(to),
    });
    return {
      months: sums.map(({ net, vat, total, ...row }) => ({
        ...row,
        net: Number(net),
        vat: Number(vat),
        total: Number(total),
      })),
    };
  }

  /** Counts what a person should look at in a book. */
  @Operation(reviewDocuments)
  async reviewDocuments({
    business_id,
  }: RequestOf<typeof reviewDocuments>): Promise<ReplyOf<typeof reviewDocuments>> {
    const db = forTenant(this.db, business_id);
    const from = addDays(dayInIsrael(this.clock.now()), -buyerIdDays);
    const noted = await readNoted(db, business_id);
    const undeductible = await sumUndeductible(db, business_id);
    const withoutBuyerId = await countWithoutBuyerId(db, business_id, from);
    const unreported = await sumUnreportedDonations(db, business_id);
    return {
      notes: reviewNotes.flatMap((note): ReplyOf<typeof reviewDocuments>['notes'] => {
        if (note === 'number_missing') {
          return undeductible.documents === 0 ? [] : [{ note, ...undeductible }];
        }
        const documents = noted.get(note) ?? [];
        const amounts = documents.flatMap(({ amount }) => amount ?? []);
        const amount = amounts.length === 0 ? null : toShekels(sum(amounts));
        return documents.length === 0
          ? []
          : [
              {
                ...{ note, documents: documents.length, amount, documents_sha256: hashOf(documents) },
                ...(documents.length >= countedMax && { at_least: true as const }),
              },
            ];
      }),
      ...(withoutBuyerId.documents > 0 && { without_buyer_id: { ...withoutBuyerId, from } }),
      ...(unreported.documents > 0 && { unreported_donations: unreported }),
    };
  }

  /** Lists the series of a business that have begun. */
  @Operation(listSeries)
  async listSeries(request: RequestOf<typeof listSeries>): Promise<ReplyOf<typeof listSeries>> {
    return { series: await listSeriesOf(forTenant(this.db, request.business_id), request.business_id) };
  }

  /** Counts the documents that an API key has issued today. */
  @Operation(getUsage)
  async getUsage(request: RequestOf<typeof getUsage>): Promise<ReplyOf<typeof getUsage>> {
    return {
      used_today: await countOf(
        forTenant(this.db, request.business_id),
        request,
        dayInIsrael(this.clock.now()),
      ),
    };
  }
}

/** The sums of types that have a document, in the order of the types, as numbers. */
function inOrder(sums: readonly SummedType[]) {
  return documentTypes.flatMap((type) => {
    const found = sums.find((row) => row.type === type);
    return found && found.documents + found.cancelled > 0
      ? [
          {
            type,
            documents: found.documents,
            cancelled: found.cancelled,
            net: Number(found.net),
            vat: Number(found.vat),
            total: Number(found.total),
          },
        ]
      : [];
  });
}

const hashOf = (documents: readonly NotedDocument[]): string =>
  createHash('sha256')
    .update(JSON.stringify(documents.map(({ id }) => id).sort()))
    .digest('hex');

/** Months since year 0. */
const monthsOf = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));

/** The last day of a month, YYYY-MM-DD. */
function lastDay(month: string): string {
  const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
  return `${month}-${days}`;
}
