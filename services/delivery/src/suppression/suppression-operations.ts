import { Controller } from '@nestjs/common';
import {
  checkRecipient,
  liftSuppressions,
  listSuppressions,
  type ReplyOf,
  type RequestOf,
  suppressAddress,
  unsuppressAddress,
} from '@pinkas/contracts';
import type { ChannelAddress } from '@pinkas/domain/delivery';
import {
  ApiError,
  acrossTenants,
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { mayConcernUs } from '../mail/send-failure.js';
import { parseAddress } from './address.js';
import { unconfirmedSuppressions } from './refusal.repository.js';
import { toSuppression } from './suppression.js';
import {
  isSuppressed,
  type SuppressionRow,
  suppress,
  suppressedAddresses,
  suppressedChannels,
  unsuppress,
} from './suppression.repository.js';

const pageMax = 200;

/** The suppressed addresses of a business. */
@Controller()
export class SuppressionOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectConfig() private readonly config: Pick<DeliveryConfig, 'whatsapp'>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Returns what prevents messages to the addresses of a customer, before there is a plan. */
  @Operation(checkRecipient)
  async checkRecipient({
    business_id,
    addresses,
  }: RequestOf<typeof checkRecipient>): Promise<ReplyOf<typeof checkRecipient>> {
    return {
      suppressed: await suppressedChannels(forTenant(this.db, business_id), business_id, addresses),
      whatsapp_configured: this.config.whatsapp !== null,
    };
  }

  /** Lists suppressed addresses. */
  @Operation(listSuppressions)
  async list({
    business_id: businessId,
    after,
  }: RequestOf<typeof listSuppressions>): Promise<ReplyOf<typeof listSuppressions>> {
    const db = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const rows = await suppressedAddresses(db, businessId, after, pageMax);
    const last = rows.at(-1);
    return {
      suppressions: rows.map(toSuppression),
      next_after:
        last && rows.length === pageMax
          ? { business_id: last.business_id, channel: last.channel, address: last.address }
          : null,
    };
  }

  /** Suppresses an address, for an operator or an owner. */
  @Operation(suppressAddress)
  async suppress(request: RequestOf<typeof suppressAddress>): Promise<ReplyOf<typeof suppressAddress>> {
    const address = validAddress(request.address);
    const row = await forTenant(this.db, request.business_id)
      .transaction()
      .execute(async (trx) => {
        const known = await isSuppressed(trx, request.business_id, address.channel, address.address);
        const row = await suppress(trx, {
          business_id: request.business_id,
          ...address,
          reason: 'blocked',
          detail: request.detail,
          since: this.clock.now(),
          confirmed: true,
        });
        if (!known) {
          await appendTrail(trx, {
            business_id: request.business_id,
            action: 'suppression.add',
            subject: `${address.channel}:${address.address}`,
            actor: actorOf(request.person_id),
            before: null,
            after: { reason: row.reason, detail: row.detail },
          });
        }
        return row;
      });
    return toSuppression(row);
  }

  /** Lifts, or lists, the suppressions that are no evidence about their address. */
  @Operation(liftSuppressions)
  async lift({
    business_id: businessId,
    list_only: listOnly,
  }: RequestOf<typeof liftSuppressions>): Promise<ReplyOf<typeof liftSuppressions>> {
    const unconfirmed = (await unconfirmedSuppressions(acrossTenants(this.db))).filter(
      (row) =>
        (row.in_a_row || mayConcernUs(row.detail ?? '')) &&
        (businessId === undefined || row.business_id === businessId),
    );
    const rows = unconfirmed.slice(0, pageMax);
    for (const row of listOnly ? [] : rows) {
      await this.#remove(row.business_id, row, 'operator');
    }
    return { suppressions: rows.map(toSuppression), more: unconfirmed.length > rows.length };
  }

  /** Removes a suppression, for an operator or an owner. */
  @Operation(unsuppressAddress)
  async unsuppress(request: RequestOf<typeof unsuppressAddress>): Promise<ReplyOf<typeof unsuppressAddress>> {
    const address = validAddress(request.address);
    const row = await this.#remove(request.business_id, address, actorOf(request.person_id));
    if (!row) {
      throw new ApiError('not_found');
    }
    return toSuppression(row);
  }

  #remove(
    businessId: string,
    address: ChannelAddress,
    actor: ReturnType<typeof actorOf>,
  ): Promise<SuppressionRow | undefined> {
    return forTenant(this.db, businessId)
      .transaction()
      .execute(async (trx) => {
        const removed = await unsuppress(trx, businessId, address);
        if (removed) {
          await appendTrail(trx, {
            business_id: businessId,
            action: 'suppression.remove',
            subject: `${address.channel}:${address.address}`,
            actor,
            before: { reason: removed.reason, detail: removed.detail },
            after: null,
          });
        }
        return removed;
      });
  }
}

/** @throws ApiError `validation_error`. */
function validAddress(text: string): ChannelAddress {
  const address = parseAddress(text);
  if (!address) {
    throw ApiError.invalid([{ path: '/address', message: 'is no mail address and no phone number' }]);
  }
  return address;
}
