import { isDeepStrictEqual } from 'node:util';
import { Controller } from '@nestjs/common';
import {
  type Business,
  listSeries,
  prefixPaths,
  type ReplyOf,
  type RequestOf,
  updateBusiness,
} from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import {
  ApiError,
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  RpcClient,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../db/gateway.tables.js';
import { findBusiness, lockBusiness, updateBusinessSettings } from './business.repository.js';
import {
  changeSettings,
  movedFirstNumbers,
  type SettingsChange,
  settingsErrors,
  settingsVersion,
} from './business-settings.js';
import { storeChangedLogo } from './store-logo.js';

/** Merges a change into the settings of a business, effective with the next request. */
@Controller()
export class UpdateBusiness {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @Operation(updateBusiness)
  async handle(request: RequestOf<typeof updateBusiness>): Promise<ReplyOf<typeof updateBusiness>> {
    const { business_id: id } = request;
    // Before the transaction: no row stays locked while another service is called.
    const firstNumberErrors = await this.#firstNumberErrors(id, request.change);
    const change = await storeChangedLogo(this.rpc, id, request.change, '/change');
    return forTenant(this.db, id)
      .transaction()
      .execute(async (trx) => {
        const found = await lockBusiness(trx, id);
        if (!found) {
          throw new ApiError('not_found');
        }
        if ((request.expected_version ?? settingsVersion(found)) !== settingsVersion(found)) {
          throw ApiError.invalid([{ path: '/expected_version', message: 'the settings have changed since' }]);
        }
        const now = this.clock.now();
        const changed = changeSettings(found, change, dayInIsrael(now));
        const business = { ...changed, id: found.id, created_at: found.created_at };
        const errors = [...settingsErrors(business), ...firstNumberErrors];
        if (errors.length > 0) {
          throw ApiError.invalid(prefixPaths('/change', errors));
        }
        await updateBusinessSettings(trx, business, now);
        const { before, after } = differences(found, business);
        if (Object.keys(after).length > 0) {
          await appendTrail(trx, {
            business_id: id,
            action: 'business.update',
            subject: id,
            actor: actorOf(request.person_id),
            before,
            after,
          });
        }
        return { business };
      });
  }

  /**
   * A first number is fixed once the book has a document of its type. Where that document was issued while the setting was changed,
   * the two differ: the setting may be corrected.
   */
  async #firstNumberErrors(id: string, change: Pick<SettingsChange, 'first_numbers'>) {
    const business = await findBusiness(forTenant(this.db, id), id);
    if (!business) {
      throw new ApiError('not_found');
    }
    const moved = movedFirstNumbers(business, change);
    if (moved.length === 0) {
      return [];
    }
    const { series } = await this.rpc.call(listSeries, { business_id: id });
    return moved
      .filter((type) =>
        series.some((row) => row.type === type && row.first_number !== change.first_numbers?.[type]),
      )
      .map((type) => ({
        path: `/first_numbers/${type}`,
        message: 'cannot change any more: a document of this type exists',
      }));
  }
}

/** The settings that differ; null: it is absent. */
function differences(before: Business, after: Business) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Business)[];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const those = (business: Business) =>
    Object.fromEntries(changed.map((name) => [name, business[name] ?? null]));
  return { before: those(before), after: those(after) };
}
