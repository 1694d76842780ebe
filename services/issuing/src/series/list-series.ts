import { listSeries, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { listSeriesOf } from './series.repository.js';

/** Tells which series of a business have begun. */
@Operation(listSeries)
export class ListSeries {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof listSeries>): Promise<ReplyOf<typeof listSeries>> {
    return { series: await listSeriesOf(ofBusiness(this.db, request.business_id), request.business_id) };
  }
}
