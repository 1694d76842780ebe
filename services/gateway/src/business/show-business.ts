import { type PublicUrls, type ReplyOf, type RequestOf, showBusiness } from '@pinkas/contracts';
import {
  ApiError,
  type Database,
  forTenant,
  InjectConfig,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../db/gateway.tables.js';
import { isApiEnabled } from '../kill-switch/kill-switch.repository.js';
import { findBusiness } from './business.repository.js';
import { settingsVersion } from './business-settings.js';

/** One business with its settings, and whether anything may be changed at all. */
@Operation(showBusiness)
export class ShowBusiness {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectConfig() private readonly urls: PublicUrls,
  ) {}

  async handle(request: RequestOf<typeof showBusiness>): Promise<ReplyOf<typeof showBusiness>> {
    const own = forTenant(this.db, request.business_id);
    const business = await findBusiness(own, request.business_id);
    if (!business) {
      throw new ApiError('not_found');
    }
    return {
      business,
      settings_version: settingsVersion(business),
      view_url_base: this.urls.viewUrlBase,
      pdf_url_base: this.urls.pdfUrlBase,
      api_enabled: await isApiEnabled(own),
    };
  }
}
