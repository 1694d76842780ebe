import type { Database, Transaction } from '@pinkas/service-kit';
import {
  type DeliveryFacts,
  type DeliveryRow,
  type DeliveryTables,
  type DocumentKey,
  deliveryColumns,
  type MessageKey,
  type Reminder,
} from '../db/delivery.tables.js';
import type { PlannedMessage } from '../plan/delivery-plan.js';
import { type MessageParts, messageRow } from '../plan/plan.repository.js';
import { lockMessage } from './claim.repository.js';

/** A message by its id. */
export async function findMessage(
  db: Database<DeliveryTables>,
  key: MessageKey,
): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom('delivery')
    .select(deliveryColumns)
    .where('business_id', '=', key.business_id)
    .where('id', '=', key.id)
    .executeTakeFirst();
}

/** The facts of a document that its messages state; undefined where it has none. */
export async function findFacts(
  db: Database<DeliveryTables>,
  key: DocumentKey,
): Promise<DeliveryFacts | undefined> {
  const row = await db
    .selectFrom('delivery')
    .select('facts')
    .where('business_id', '=', key.business_id)
    .where('document_id', '=', key.document_id)
    .limit(1)
    .executeTakeFirst();
  return row?.facts;
}

/** Of a message that brings no PDF of its document, and may be about others: nothing of the document holds it. */
export const withoutPdf = { cancelled: false, rendered: true, heldUntil: null } as const;

/** Stores a message that a person asks for. @returns its row. */
export async function insertRequested(
  trx: Transaction<DeliveryTables>,
  key: DocumentKey,
  message: PlannedMessage & { readonly id: string },
  parts: MessageParts,
  reminder: Reminder | null = null,
): Promise<DeliveryRow> {
  await trx
    .insertInto('delivery')
    .values({
      ...messageRow(key, { ...message, requested: true }, parts),
      reminder: reminder && JSON.stringify(reminder),
    })
    .execute();
  return lockMessage(trx, { business_id: key.business_id, id: message.id });
}
