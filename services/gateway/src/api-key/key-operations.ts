import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  createKey,
  listKeys,
  malformedTexts,
  ownerKeyLimits,
  type ReplyOf,
  type RequestOf,
  revokeKey,
  type ValidationError,
} from '@pinkas/contracts';
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
import { findBusiness } from '../business/business.repository.js';
import type { GatewayConfig } from '../config.js';
import type { GatewayTables } from '../db/gateway.tables.js';
import { hashKey, keyDefaults, makeKeyValue, toApiKey } from './api-key.js';
import { insertKey, listKeysOf, lockKey, markRevoked } from './api-key.repository.js';

/** The API keys of a business. */
@Controller()
export class KeyOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectConfig() private readonly config: Pick<GatewayConfig, 'apiKeyPepper'>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Creates an API key. Its value is in this reply only. */
  @Operation(createKey)
  async create(request: RequestOf<typeof createKey>): Promise<ReplyOf<typeof createKey>> {
    const errors = [...malformedTexts(request), ...limitErrors(request)];
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
      last_used_at: null,
    };
    const key = toApiKey(row);
    // The trail has what was decided.
    const { last_used_at: _, ...recorded } = key;
    await db.transaction().execute(async (trx) => {
      await insertKey(trx, row);
      await appendTrail(trx, {
        business_id: row.business_id,
        action: 'key.create',
        subject: row.id,
        actor: actorOf(request.person_id),
        before: null,
        after: recorded,
      });
    });
    return { ...key, key: value };
  }

  /** The keys of a business, revoked ones included, without their values. */
  @Operation(listKeys)
  async list(request: RequestOf<typeof listKeys>): Promise<ReplyOf<typeof listKeys>> {
    const db = forTenant(this.db, request.business_id);
    if (!(await findBusiness(db, request.business_id))) {
      throw new ApiError('not_found');
    }
    return { keys: await listKeysOf(db, request.business_id) };
  }

  /** Revokes a key, effective with its next request. */
  @Operation(revokeKey)
  async revoke(request: RequestOf<typeof revokeKey>): Promise<ReplyOf<typeof revokeKey>> {
    const { key_id, business_id } = request;
    // The operator names a key, not its business.
    const db = business_id === undefined ? acrossTenants(this.db) : forTenant(this.db, business_id);
    return db.transaction().execute(async (trx) => {
      const before = await lockKey(trx, key_id, business_id);
      if (!before) {
        throw new ApiError('not_found');
      }
      if (before.revoked_at !== null) {
        return before;
      }
      const key = await markRevoked(trx, before, this.clock.now());
      await appendTrail(trx, {
        business_id: key.business_id,
        action: 'key.revoke',
        subject: key.id,
        actor: actorOf(request.person_id),
        before: { revoked_at: null },
        after: { revoked_at: key.revoked_at },
      });
      return key;
    });
  }
}

/** A person cannot lift the limits that protect the platform. */
function limitErrors({
  person_id,
  per_minute = 0,
  daily_documents = 0,
}: RequestOf<typeof createKey>): ValidationError[] {
  if (person_id === undefined) {
    return [];
  }
  const { perMinute, dailyDocuments } = ownerKeyLimits;
  return [
    ...(per_minute > perMinute ? [{ path: '/per_minute', message: `must be at most ${perMinute}` }] : []),
    ...(daily_documents > dailyDocuments
      ? [{ path: '/daily_documents', message: `must be at most ${dailyDocuments}` }]
      : []),
  ];
}
