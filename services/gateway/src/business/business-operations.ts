import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  createBusiness,
  listBusinesses,
  markConnected,
  type PublicUrls,
  prefixPaths,
  type ReplyOf,
  type RequestOf,
  showBusiness,
  showConnection,
  startEvents,
  updateBusiness,
} from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
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
  RpcClient,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../db/gateway.tables.js';
import { isApiEnabled } from '../kill-switch/kill-switch.repository.js';
import { findBusiness, insertBusiness, listBusinessesAfter } from './business.repository.js';
import { BusinessEvents } from './business-events.js';
import { changeSettings, defaultSettings, settingsErrors, settingsVersion } from './business-settings.js';
import { storeChangedLogo } from './store-logo.js';

/** A page stays far below the largest NATS message (1 MB): a business is about 1.5 KB. */
const pageSize = 100;

/** The businesses and what is set of them. */
@Controller()
export class BusinessOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly urls: PublicUrls,
    private readonly events: BusinessEvents,
  ) {}

  /** Creates a business from its operator's settings and the defaults. */
  @Operation(createBusiness)
  async create(request: RequestOf<typeof createBusiness>): Promise<ReplyOf<typeof createBusiness>> {
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
        await appendTrail(trx, {
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

  /** One business with its settings, and whether anything may be changed at all. */
  @Operation(showBusiness)
  async show(request: RequestOf<typeof showBusiness>): Promise<ReplyOf<typeof showBusiness>> {
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

  /** Every business in the order of creation, page by page. */
  @Operation(listBusinesses)
  async list(request: RequestOf<typeof listBusinesses>): Promise<ReplyOf<typeof listBusinesses>> {
    const found = await listBusinessesAfter(acrossTenants(this.db), request.after, pageSize + 1);
    const businesses = found.slice(0, pageSize);
    return { businesses, next_after: found.length > pageSize ? (businesses.at(-1)?.id ?? null) : null };
  }

  /**
   * Allocation numbers are requested only for a business whose settings say that it is connected. Disconnecting clears the setting,
   * ends the connection, and clears the setting again: so whichever of the two is late sees what the other has done.
   */
  @Operation(markConnected)
  async markConnected(by: RequestOf<typeof markConnected>): Promise<ReplyOf<typeof markConnected>> {
    await this.#set(by, true);
    const { connection } = await this.rpc.call(showConnection, { business_id: by.business_id });
    if (connection === null) {
      await this.#set(by, false);
    }
    return { connected: connection !== null };
  }

  async #set(by: RequestOf<typeof markConnected>, isConnected: boolean): Promise<void> {
    await this.rpc.call(updateBusiness, { ...by, change: { tax_authority_connected: isConnected } });
  }

  /** Begins the events of a business whose first endpoint is created. */
  @Operation(startEvents)
  async startEvents(request: RequestOf<typeof startEvents>): Promise<ReplyOf<typeof startEvents>> {
    return { business: await this.events.start(request.business_id, actorOf(request.person_id)) };
  }
}
