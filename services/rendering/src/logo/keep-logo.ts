import { keepLogo, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness, Problem } from '@pinkas/service-kit';
import type { RenderingTables } from '../artifact/artifact.tables.js';
import { LogoRefused } from './logo.js';
import { insertLogo } from './logo.repository.js';
import { readLogo } from './read-logo.js';

/** Checks and cleans a picture on its way in, and keeps what is left of it. */
@Operation(keepLogo)
export class KeepLogo {
  constructor(@InjectDatabase() private readonly db: Database<RenderingTables>) {}

  async handle(request: RequestOf<typeof keepLogo>): Promise<ReplyOf<typeof keepLogo>> {
    try {
      const logo = readLogo(request.logo);
      const businessId = request.business_id;
      return { sha256: await insertLogo(ofBusiness(this.db, businessId), businessId, logo) };
    } catch (error) {
      if (error instanceof LogoRefused) throw Problem.invalid([{ path: '/logo', message: error.message }]);
      throw error;
    }
  }
}
