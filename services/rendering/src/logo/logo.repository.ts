import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Business } from '@pinkas/contracts';
import { businessOfBook } from '@pinkas/domain';
import {
  acrossTenants,
  type Database,
  forTenant,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';

import type { SheetLogo, StoredLogo } from './logo.js';

/** The logos of businesses, by their content. A saved one is never deleted: a later revision shows the logo of the first. */
@Injectable()
export class LogoStore {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /**
   * Stores a logo once, however often it is uploaded.
   * @param isPreview whether it is deleted after an hour.
   * @returns its SHA-256, hex.
   */
  async store(businessId: string, logo: StoredLogo, isPreview: boolean): Promise<string> {
    const sha256 = createHash('sha256').update(logo.bytes).digest();
    await forTenant(this.db, businessId)
      .insertInto(isPreview ? 'logo_preview' : 'logo')
      .values({
        business_id: businessId,
        sha256,
        media_type: logo.mediaType,
        bytes: logo.bytes,
        width: logo.width,
        height: logo.height,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return sha256.toString('hex');
  }

  /**
   * @param bookId of the business, or of its test book, which shares the logo.
   * @param sha256 hex
   */
  async find(bookId: string, sha256: string) {
    const businessId = businessOfBook(bookId);
    const from = (table: 'logo' | 'logo_preview') =>
      forTenant(this.db, businessId)
        .selectFrom(table)
        .select(['media_type', 'bytes', 'width', 'height'])
        .where('business_id', '=', businessId)
        .where('sha256', '=', Buffer.from(sha256, 'hex'))
        .executeTakeFirst();
    return (await from('logo')) ?? (await from('logo_preview'));
  }

  async deletePreviews(before: Date): Promise<void> {
    await acrossTenants(this.db).deleteFrom('logo_preview').where('created_at', '<', before).execute();
  }

  /** The logo that a business had when its document was issued. A missing one delays no document: null, with a warning. */
  async findLogo({ id, logo }: Business): Promise<SheetLogo | null> {
    if (!logo) {
      return null;
    }
    const row = await this.find(id, logo.sha256);
    if (!row) {
      this.logger.warn({ business_id: id, sha256: logo.sha256 }, 'logo not found');
      return null;
    }
    const address = `data:${row.media_type};base64,${row.bytes.toString('base64')}`;
    return { address, width: row.width, height: row.height };
  }
}
