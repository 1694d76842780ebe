import type { ItemsWithSku } from '@pinkas/domain';
import { sql } from 'kysely';

/** The items of `document` that decide about its outcomes: only those of a test document do, and a live book has many. */
export const decidingItems = sql<ItemsWithSku['items']>`
  case when is_test_book(document.business_id) then document.items else '[]' end`;
