import { randomUUID } from 'node:crypto';
import { createKey, malformedTexts, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  ApiError,
  appendAudit,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { findBusiness } from '../business/business.repository.js';
import type { GatewayTables } from '../business/business.tables.js';
import type { GatewayConfig } from '../config.js';
import { hashKey, keyDefaults, makeKeyValue, toApiKey } from './api-key.js';
import { insertKey } from './api-key.repository.js';

/** Creates an API key. Its value is in this reply only. */
@Operation(createKey)
export class CreateKey {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectConfig() private readonly config: Pick<GatewayConfig, 'apiKeyPepper'>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof createKey>): Promise<ReplyOf<typeof createKey>> {
    const errors = malformedTexts(request);
    if (errors.length > 0) {
      throw ApiError.invalid(errors);
    }
    const db = forTenant(this.db, request.business_id);
    if (!(await findBusiness(db, request.business_id))) {
      throw new ApiError('not_found');
    }
    const mode = request.mode ?? 'live';
    const { value, prefix } = makeKeyValue(mode);
    const row = {
      business_id: request.business_id,
      id: randomUUID(),
      mode,
      name: request.name ?? keyDefaults.name,
      prefix,
      hash: hashKey(this.config.apiKeyPepper, value),
      scopes: request.scopes ?? keyDefaults.scopes,
      per_minute: request.per_minute ?? keyDefaults.perMinute,
      daily_documents: request.daily_documents ?? keyDefaults.dailyDocuments,
      created_at: this.clock.now(),
      revoked_at: null,
    };
    const key = toApiKey(row);
    await db.transaction().execute(async (trx) => {
      await insertKey(trx, row);
      await appendAudit(trx, {
        business_id: row.business_id,
        action: 'key.create',
        subject: row.id,
        actor: 'operator',
        before: null,
        after: key,
      });
    });
    return { ...key, key: value };
  }
}
