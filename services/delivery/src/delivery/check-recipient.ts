import { checkRecipient, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectConfig, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { suppressedChannels } from './suppression.repository.js';

/** Returns what prevents messages to the addresses of a customer, before there is a plan. */
@Operation(checkRecipient)
export class CheckRecipient {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectConfig() private readonly config: Pick<DeliveryConfig, 'whatsapp'>,
  ) {}

  async handle({
    business_id,
    addresses,
  }: RequestOf<typeof checkRecipient>): Promise<ReplyOf<typeof checkRecipient>> {
    return {
      suppressed: await suppressedChannels(forTenant(this.db, business_id), business_id, addresses),
      whatsapp_configured: this.config.whatsapp !== null,
    };
  }
}
