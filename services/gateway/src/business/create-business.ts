import { randomUUID } from 'node:crypto';
import { createBusiness, prefixPaths, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import {
  ApiError,
  appendAudit,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  RpcClient,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../db/gateway.tables.js';
import { insertBusiness } from './business.repository.js';
import { changeSettings, defaultSettings, settingsErrors } from './business-settings.js';
import { storeChangedLogo } from './store-logo.js';

/** Creates a business from its operator's settings and the defaults. */
@Operation(createBusiness)
export class CreateBusiness {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof createBusiness>): Promise<ReplyOf<typeof createBusiness>> {
    const { name, legal_type: legalType = null } = request.business;
    if (name === undefined) {
      throw ApiError.invalid([{ path: '/business/name', message: 'is required' }]);
    }
    const id = randomUUID();
    const now = this.clock.now();
    const change = await storeChangedLogo(this.rpc, id, request.business, '/business');
    const today = dayInIsrael(now);
    const settings = changeSettings({ name, ...defaultSettings(legalType, today) }, change, today);
    const errors = settingsErrors(settings);
    if (errors.length > 0) {
      throw ApiError.invalid(prefixPaths('/business', errors));
    }
    const business = { ...settings, id, created_at: now.toISOString() };
    await forTenant(this.db, business.id)
      .transaction()
      .execute(async (trx) => {
        await insertBusiness(trx, business);
        await appendAudit(trx, {
          business_id: id,
          action: 'business.create',
          subject: id,
          actor: 'operator',
          before: null,
          after: business,
        });
      });
    return { business };
  }
}
