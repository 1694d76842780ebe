import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Database,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import type { GatewayTables } from '../db/gateway.tables.js';
import { KillSwitch } from '../kill-switch/kill-switch.js';
import { hashKey, isWellFormedKey } from './api-key.js';
import { type AccessCheck, findPrincipal, type Principal, replaceHash } from './api-key.repository.js';

/** Finds the caller behind a key; judges nothing. */
@Injectable()
export class KeyAuthenticator {
  /** A key names its business only once it is found. */
  readonly #db: Database<GatewayTables>;

  constructor(
    @InjectDatabase() db: Database<GatewayTables>,
    @InjectConfig() private readonly config: Pick<GatewayConfig, 'apiKeyPepper' | 'previousApiKeyPepper'>,
    @InjectLogger() private readonly logger: Logger,
    private readonly killSwitch: KillSwitch,
  ) {
    this.#db = acrossTenants(db);
  }

  async authenticate(apiKey: string): Promise<AccessCheck> {
    // Any client can send these without end: they cost no query and no connection.
    if (!isWellFormedKey(apiKey)) {
      return { apiEnabled: this.killSwitch.apiEnabled, principal: undefined };
    }
    const { apiKeyPepper, previousApiKeyPepper } = this.config;
    const hash = hashKey(apiKeyPepper, apiKey);
    const previous = previousApiKeyPepper && hashKey(previousApiKeyPepper, apiKey);
    const found = await findPrincipal(this.#db, previous ? [hash, previous] : [hash]);
    this.killSwitch.observe(found.apiEnabled);
    if (found.principal && found.hash && !found.hash.equals(hash)) {
      await this.#rehash(found.principal, found.hash, hash);
    }
    return found;
  }

  /** A failure is no reason to refuse the request: the next one reads it again. */
  async #rehash({ key }: Principal, from: Buffer, to: Buffer): Promise<void> {
    try {
      if (await replaceHash(this.#db, key.id, from, to)) {
        this.logger.info({ business_id: key.business_id, key_id: key.id }, 'api key rehashed');
      }
    } catch (error) {
      this.logger.warn({ err: error, key_id: key.id }, 'api key rehash failed');
    }
  }
}
