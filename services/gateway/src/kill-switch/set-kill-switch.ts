import { Controller } from '@nestjs/common';
import { platformId, type ReplyOf, type RequestOf, setKillSwitch } from '@pinkas/contracts';
import {
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Operation,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../db/gateway.tables.js';
import { KillSwitch } from './kill-switch.js';
import { lockKillSwitch, updateKillSwitch } from './kill-switch.repository.js';

/** Turns the whole HTTP API off or on, effective with the next request, and within a second for one without a well-formed key. */
@Controller()
export class SetKillSwitch {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly killSwitch: KillSwitch,
  ) {}

  @Operation(setKillSwitch)
  async handle({ enabled }: RequestOf<typeof setKillSwitch>): Promise<ReplyOf<typeof setKillSwitch>> {
    await forTenant(this.db, platformId)
      .transaction()
      .execute(async (trx) => {
        const before = await lockKillSwitch(trx);
        if (before === enabled) {
          return;
        }
        await updateKillSwitch(trx, enabled, this.clock.now());
        await appendTrail(trx, {
          business_id: platformId,
          action: 'kill_switch.set',
          subject: 'api',
          actor: 'operator',
          before: { enabled: before },
          after: { enabled },
        });
      });
    this.killSwitch.observe(enabled);
    this.logger.info({ enabled }, 'kill switch set');
    return { enabled };
  }
}
