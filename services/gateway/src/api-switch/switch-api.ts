import { type ReplyOf, type RequestOf, switchApi } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Operation,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../business/business.tables.js';
import { setApiSwitch } from './api-switch.repository.js';

/** Turns the whole interface off, or on again, from the very next request on. */
@Operation(switchApi)
export class SwitchApi {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  async handle({ enabled }: RequestOf<typeof switchApi>): Promise<ReplyOf<typeof switchApi>> {
    await setApiSwitch(this.db, enabled, this.clock.now());
    this.logger.info({ enabled }, 'the operator switched the interface');
    return { enabled };
  }
}
