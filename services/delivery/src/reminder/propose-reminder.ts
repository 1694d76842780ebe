import { Controller } from '@nestjs/common';
import {
  listDebts,
  proposeReminder,
  type ReplyOf,
  type RequestOf,
  remindedDocumentsMax,
} from '@pinkas/contracts';
import { heldUntil } from '@pinkas/domain';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  RpcClient,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { defaultReminder } from '../mail/compose-reminder.js';
import { lastReminders, reminderPauseDays } from '../send/reminder.repository.js';

const dayMs = 24 * 60 * 60 * 1000;

/** Shows what a reminder would say, and when it may be sent. Nothing is stored. */
@Controller()
export class ProposeReminder {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly rpc: RpcClient,
  ) {}

  @Operation(proposeReminder)
  async handle({
    business,
    customer_id,
  }: RequestOf<typeof proposeReminder>): Promise<ReplyOf<typeof proposeReminder>> {
    const { debts } = await this.rpc.call(listDebts, {
      business_id: business.id,
      customer_id,
      limit: remindedDocumentsMax,
      after: null,
    });
    const [first] = debts;
    if (!first) {
      throw new ApiError('not_found');
    }
    const ids = [customer_id, ...debts.map(({ document }) => document.id)];
    const last = await lastReminders(forTenant(this.db, business.id), business.id, ids);
    const now = this.clock.now();
    const allowedAt = (id: string): string | null => {
      const reminded = last.get(id);
      // One that has not left leaves now at the earliest.
      const at = reminded?.delivery_id == null ? reminded?.reminded_at : now;
      const allowed = at && new Date(at.getTime() + reminderPauseDays * dayMs);
      return allowed && allowed > now ? allowed.toISOString() : null;
    };
    // The address of the latest document is the one that the customer gave last.
    const latest = debts.reduce((one, other) =>
      other.document.issued_at > one.document.issued_at ? other : one,
    );
    return {
      debts: debts.map((debt) => ({ ...debt, allowed_at: allowedAt(debt.document.id) })),
      recipient: latest.document.customer.email,
      ...defaultReminder(business, latest.document.customer.name),
      allowed_at: allowedAt(customer_id),
      quiet_until: heldUntil('customer', business.auto_send.quiet_hours, now)?.toISOString() ?? null,
    };
  }
}
