import { listSeriesHeads, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { acrossTenants, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { seriesHeadsAfter } from './hash.repository.js';

/** Lists the ends of the chains of all series, for their signature. */
@Operation(listSeriesHeads)
export class ListSeriesHeads {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle({
    after,
    limit,
  }: RequestOf<typeof listSeriesHeads>): Promise<ReplyOf<typeof listSeriesHeads>> {
    const found = await seriesHeadsAfter(acrossTenants(this.db), after, limit + 1);
    const heads = found.slice(0, limit);
    const last = heads.at(-1);
    return {
      heads,
      next_after: found.length > limit && last ? { business_id: last.business_id, type: last.type } : null,
    };
  }
}
