import { listSeries, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { listSeriesOf } from './series.repository.js';

/** Lists the series of a business that have begun. */
@Operation(listSeries)
export class ListSeries {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof listSeries>): Promise<ReplyOf<typeof listSeries>> {
    return { series: await listSeriesOf(forTenant(this.db, request.business_id), request.business_id) };
  }
}
