import { Injectable } from '@nestjs/common';
import type { Business } from '@pinkas/contracts';
import { businessOfBook } from '@pinkas/domain';
import {
  type Actor,
  ApiError,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../db/gateway.tables.js';
import { lockBusiness, updateBusinessSettings } from './business.repository.js';

/** Stores that callers want the events of a business and its test book: they begin with what is issued from then on. */
@Injectable()
export class BusinessEvents {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** @param bookId of the business, or of its test book. */
  async start(bookId: string, actor: Actor): Promise<Business> {
    const id = businessOfBook(bookId);
    return forTenant(this.db, id)
      .transaction()
      .execute(async (trx) => {
        const found = await lockBusiness(trx, id);
        if (!found) {
          throw new ApiError('not_found');
        }
        if (found.events) {
          return found;
        }
        const business = { ...found, events: true };
        await updateBusinessSettings(trx, business, this.clock.now());
        await appendTrail(trx, {
          business_id: id,
          action: 'business.update',
          subject: id,
          actor,
          before: { events: null },
          after: { events: true },
        });
        return business;
      });
  }
}
