import type { Database, Transaction } from '@pinkas/service-kit';
import type { Selectable } from 'kysely';
import { type ChannelAddress, normaliseAddress } from './address.js';
import type { DeliveryChannel, DeliveryTables, SuppressionTable } from './delivery.tables.js';

export type SuppressionRow = Selectable<SuppressionTable>;

/** Whether an address is suppressed. @param recipient in any form. */
export async function isSuppressed(
  db: Database<DeliveryTables>,
  businessId: string,
  channel: DeliveryChannel,
  recipient: string,
): Promise<boolean> {
  const found = await db
    .selectFrom('suppression')
    .select('since')
    .where('business_id', '=', businessId)
    .where('channel', '=', channel)
    .where('address', '=', normaliseAddress(channel, recipient))
    .executeTakeFirst();
  return found !== undefined;
}

/** Suppresses an address; an existing suppression stays as it is. @returns its row. */
export async function suppress(
  trx: Transaction<DeliveryTables>,
  row: SuppressionRow,
): Promise<SuppressionRow> {
  await trx
    .insertInto('suppression')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return trx
    .selectFrom('suppression')
    .selectAll()
    .where('business_id', '=', row.business_id)
    .where('channel', '=', row.channel)
    .where('address', '=', row.address)
    .executeTakeFirstOrThrow();
}

/** Removes a suppression. @returns its row, or undefined where there was none. */
export async function unsuppress(
  db: Database<DeliveryTables>,
  businessId: string,
  { channel, address }: ChannelAddress,
): Promise<SuppressionRow | undefined> {
  return db
    .deleteFrom('suppression')
    .where('business_id', '=', businessId)
    .where('channel', '=', channel)
    .where('address', '=', address)
    .returningAll()
    .executeTakeFirst();
}

/** The suppressed addresses in the order of their key. @param after only those that come after this one. */
export async function suppressedAddresses(
  db: Database<DeliveryTables>,
  businessId: string | undefined,
  after: { business_id: string; channel: DeliveryChannel; address: string } | undefined,
  limit: number,
): Promise<SuppressionRow[]> {
  return db
    .selectFrom('suppression')
    .selectAll()
    .$if(businessId !== undefined, (query) => query.where('business_id', '=', businessId ?? ''))
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('business_id', 'channel', 'address'),
          '>',
          tuple(after?.business_id ?? '', after?.channel ?? 'email', after?.address ?? ''),
        ),
      ),
    )
    .orderBy('business_id')
    .orderBy('channel')
    .orderBy('address')
    .limit(limit)
    .execute();
}
