import { listSeries, type ReplyOf, type RequestOf, updateBusiness } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
  ofBusiness,
  Peers,
  Problem,
} from '@pinkas/service-kit';
import { below } from '../fault/faults-below.js';
import { findBusiness, lockBusiness, updateBusinessSettings } from './business.repository.js';
import type { GatewayTables } from './business.tables.js';
import {
  changeSettings,
  movedFirstNumbers,
  type SettingsChange,
  settingsFaults,
} from './business-settings.js';
import { withKeptLogo } from './kept-logo.js';

/** Lays a change over the settings of a business. It counts from the very next request. */
@Operation(updateBusiness)
export class UpdateBusiness {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    private readonly peers: Peers,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof updateBusiness>): Promise<ReplyOf<typeof updateBusiness>> {
    const { business_id: id } = request;
    // Asked before the transaction: no row stays locked while another service thinks.
    const numbersFaults = await this.#firstNumbersFaults(id, request.change);
    const change = await withKeptLogo(this.peers, id, request.change, '/change');
    return ofBusiness(this.db, id)
      .transaction()
      .execute(async (trx) => {
        const found = await lockBusiness(trx, id);
        if (!found) throw new Problem('not_found');
        const business = { ...changeSettings(found, change), id: found.id, created_at: found.created_at };
        const faults = [...settingsFaults(business), ...numbersFaults];
        if (faults.length > 0) throw Problem.invalid(below('/change', faults));
        await updateBusinessSettings(trx, business, this.clock.now());
        return { business };
      });
  }

  /** A first number cannot move once the book has a document of its type. */
  async #firstNumbersFaults(id: string, change: Pick<SettingsChange, 'first_numbers'>) {
    const business = await findBusiness(ofBusiness(this.db, id), id);
    if (!business) throw new Problem('not_found');
    const moved = movedFirstNumbers(business, change);
    if (moved.length === 0) return [];
    const { series } = await this.peers.ask(listSeries, { business_id: id });
    return moved
      .filter((type) => series.some((one) => one.type === type))
      .map((type) => ({
        path: `/first_numbers/${type}`,
        message: 'cannot change any more: a document of this type exists',
      }));
  }
}
