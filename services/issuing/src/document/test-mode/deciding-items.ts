import { testSkus } from '@pinkas/domain';
import { sql } from 'kysely';

const skus = Object.keys(testSkus.allocation);

/** Whether an item of `document` provokes what becomes of its number, as only those of a test document do. */
export const provokesAllocation = sql<boolean>`(
  case when is_test_book(document.business_id) then exists (
    select from jsonb_array_elements(document.items) as item where item ->> 'sku' = any(${skus}::text[])
  ) else false end)`;
