import { type ReplyOf, type RequestOf, summarizeDebts } from '@pinkas/contracts';
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
import { sumDebts } from './debt.repository.js';

/** Sums up what is left to pay of a book, by age. */
@Operation(summarizeDebts)
export class SummarizeDebts {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle({ business_id }: RequestOf<typeof summarizeDebts>): Promise<ReplyOf<typeof summarizeDebts>> {
    const today = dayInIsrael(this.clock.now());
    return { as_of: today, ...(await sumDebts(forTenant(this.db, business_id), business_id, today)) };
  }
}
