import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { getLogo } from '@pinkas/contracts';
import { InjectLogger, type Logger, RpcClient } from '@pinkas/service-kit';
import type { DeliveryRow } from '../db/delivery.tables.js';
import type { EmailLogo } from '../mail/compose-email.js';

/** Few businesses send at the same time, and a logo has some kilobytes. */
const cachedMax = 100;

/** Fetches the logos of businesses from rendering. They never change, so the last ones are kept. */
@Injectable()
export class MessageLogos {
  readonly #cached = new Map<string, EmailLogo>();

  constructor(
    @InjectLogger() private readonly logger: Logger,
    private readonly rpc: RpcClient,
  ) {}

  /** Never throws: a message without its logo is better than none. */
  async fetch(row: DeliveryRow): Promise<EmailLogo | null> {
    const { logo } = row.facts.business;
    if (!logo || row.channel !== 'email') {
      return null;
    }
    const key = `${row.business_id}:${logo.sha256}`;
    const cached = this.#cached.get(key);
    if (cached) {
      return cached;
    }
    try {
      const { png, width, height } = await this.rpc.call(getLogo, { business_id: row.business_id, logo });
      const bytes = Buffer.from(png, 'base64');
      if (createHash('sha256').update(bytes).digest('hex') !== logo.sha256) {
        throw new Error('the logo does not have its hash');
      }
      return this.#cache(key, { bytes, width, height });
    } catch (error) {
      this.logger.warn({ delivery_id: row.id, err: error }, 'logo fetch failed');
      return null;
    }
  }

  #cache(key: string, logo: EmailLogo): EmailLogo {
    const [oldest] = this.#cached.keys();
    if (oldest !== undefined && this.#cached.size >= cachedMax) {
      this.#cached.delete(oldest);
    }
    this.#cached.set(key, logo);
    return logo;
  }
}
