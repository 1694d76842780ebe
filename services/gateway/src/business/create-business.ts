import { randomUUID } from 'node:crypto';
import { createBusiness, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  dayInIsrael,
  InjectClock,
  InjectDatabase,
  Operation,
  ofBusiness,
  Peers,
  Problem,
} from '@pinkas/service-kit';
import { below } from '../fault/faults-below.js';
import { insertBusiness } from './business.repository.js';
import type { GatewayTables } from './business.tables.js';
import { changeSettings, defaultSettings, settingsFaults } from './business-settings.js';
import { withKeptLogo } from './kept-logo.js';

/** Makes a business from its operator's settings and the defaults. */
@Operation(createBusiness)
export class CreateBusiness {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    private readonly peers: Peers,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof createBusiness>): Promise<ReplyOf<typeof createBusiness>> {
    const { name, legal_type: legalType = null } = request.business;
    if (name === undefined) throw Problem.invalid([{ path: '/business/name', message: 'is required' }]);
    const id = randomUUID();
    const now = this.clock.now();
    const change = await withKeptLogo(this.peers, id, request.business, '/business');
    const settings = changeSettings({ name, ...defaultSettings(legalType, dayInIsrael(now)) }, change);
    const faults = settingsFaults(settings);
    if (faults.length > 0) throw Problem.invalid(below('/business', faults));
    const business = { ...settings, id, created_at: now.toISOString() };
    await insertBusiness(ofBusiness(this.db, business.id), business);
    return { business };
  }
}
