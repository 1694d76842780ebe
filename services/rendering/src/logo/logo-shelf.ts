import { Injectable } from '@nestjs/common';
import type { Business } from '@pinkas/contracts';
import { type Database, InjectDatabase, InjectLogger, type Logger, ofBusiness } from '@pinkas/service-kit';
import type { RenderingTables } from '../artifact/artifact.tables.js';
import type { SheetLogo } from '../document/sheet.js';
import { findLogo } from './logo.repository.js';

/** Where the picture of a business is found when a document of it is made. */
@Injectable()
export class LogoShelf {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /**
   * The picture that a business had when its document was issued. One that is not kept holds up no document: it is printed
   * without it.
   */
  async logoOf(business: Business): Promise<SheetLogo | null> {
    if (!business.logo) return null;
    const found = await findLogo(ofBusiness(this.db, business.id), business.id, business.logo.sha256);
    if (!found) {
      this.logger.warn({ business_id: business.id, sha256: business.logo.sha256 }, 'a logo is not kept here');
      return null;
    }
    const { media_type: mediaType, bytes, width, height } = found;
    return { address: `data:${mediaType};base64,${bytes.toString('base64')}`, width, height };
  }
}
