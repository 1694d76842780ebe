import type { ChannelAddress } from '@pinkas/domain/delivery';
import type { Database, Transaction } from '@pinkas/service-kit';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type {
  DeliveryChannel,
  DeliveryRow,
  DeliveryTables,
  SuppressionTable,
} from '../db/delivery.tables.js';
import { normaliseAddress } from './address.js';

export type SuppressionRow = Selectable<SuppressionTable>;

/** Those of the addresses of a business that are suppressed, by their channels. @param addresses in any form, one for a channel. */
export async function suppressedChannels(
  db: Database<DeliveryTables>,
  businessId: string,
  addresses: readonly ChannelAddress[],
): Promise<DeliveryChannel[]> {
  if (addresses.length === 0) {
    return [];
  }
  const { suppressed } = await db
    .selectNoFrom(suppressedAmong(businessId, addresses).as('suppressed'))
    .executeTakeFirstOrThrow();
  return suppressed;
}

/** The same within another statement. */
export function suppressedAmong(
  businessId: string,
  addresses: readonly ChannelAddress[],
): RawBuilder<DeliveryChannel[]> {
  const normalised = addresses.map(({ channel, address }) => ({
    channel,
    address: normaliseAddress(channel, address),
  }));
  return sql<DeliveryChannel[]>`(
    select coalesce(json_agg(channel), '[]')
    from suppression join json_to_recordset(${JSON.stringify(normalised)}::json) as one (channel text, address text)
      using (channel, address)
    where business_id = ${businessId}::uuid)`;
}

/** The addresses of those of some messages whose recipient is suppressed, by the ids of the messages. */
export async function suppressedMessages(
  db: Database<DeliveryTables>,
  messages: readonly Pick<DeliveryRow, 'business_id' | 'id' | 'channel' | 'recipient'>[],
): Promise<Map<string, string>> {
  if (messages.length === 0) {
    return new Map();
  }
  const addressed = messages.map(({ business_id, id, channel, recipient }) => ({
    business_id,
    id,
    channel,
    address: normaliseAddress(channel, recipient),
  }));
  const businessIds = new Set(messages.map(({ business_id }) => business_id));
  const found = await db
    .selectFrom('suppression')
    .select(['business_id', 'channel', 'address'])
    .where('business_id', 'in', [...businessIds])
    .where(
      'address',
      'in',
      addressed.map(({ address }) => address),
    )
    .execute();
  const keyOf = (row: (typeof found)[number]) => `${row.business_id} ${row.channel} ${row.address}`;
  const keys = new Set(found.map(keyOf));
  return new Map(addressed.filter((row) => keys.has(keyOf(row))).map(({ id, address }) => [id, address]));
}

/** The suppression of the recipient of a message, within another statement. */
export const suppressionOf = (
  db: Pick<Transaction<DeliveryTables>, 'selectFrom'>,
  { business_id, channel, recipient }: Pick<DeliveryRow, 'business_id' | 'channel' | 'recipient'>,
) =>
  db
    .selectFrom('suppression')
    .select('since')
    .where('suppression.business_id', '=', business_id)
    .where('suppression.channel', '=', channel)
    .where('address', '=', normaliseAddress(channel, recipient));

/** Whether an address is suppressed. @param recipient in any form. */
export async function isSuppressed(
  db: Database<DeliveryTables>,
  businessId: string,
  channel: DeliveryChannel,
  recipient: string,
): Promise<boolean> {
  return (await suppressedChannels(db, businessId, [{ channel, address: recipient }])).length > 0;
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
