import { getUsage, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { countOf } from './usage.repository.js';

/** Counts the documents that an API key has issued today. */
@Operation(getUsage)
export class GetUsage {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof getUsage>): Promise<ReplyOf<typeof getUsage>> {
    return {
      used_today: await countOf(
        forTenant(this.db, request.business_id),
        request,
        dayInIsrael(this.clock.now()),
      ),
    };
  }
}
