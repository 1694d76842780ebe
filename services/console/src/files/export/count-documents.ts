import { type Call, sumDocuments, summarizeDocuments } from '@pinkas/contracts';
import { addDays } from '@pinkas/domain';
import type { Selection } from '@pinkas/exports';

/** What issuing summarizes at once. */
const windowDays = 366;
/** More windows than a book has years are not counted. */
const windowsMax = 20;

/** How many documents of any type a range of dates has, cancelled ones included; null where it has too many years. */
export async function countDocuments(
  call: Call,
  { businessId, from, to }: { businessId: string; from: string; to: string },
): Promise<number | null> {
  let count = 0;
  let first = from;
  for (let window = 0; window < windowsMax; window += 1) {
    const last = earlier(addDays(first, windowDays - 1), to);
    const { types } = await call(summarizeDocuments, { business_id: businessId, from: first, to: last });
    count += types.reduce((sum, { documents, cancelled }) => sum + documents + cancelled, 0);
    if (last === to) {
      return count;
    }
    first = addDays(last, 1);
  }
  return null;
}

/** How many documents a selection has; null where it has too many to be counted one by one. */
export async function countSelected(
  call: Call,
  businessId: string,
  { order: _order, ascending: _ascending, ...filter }: Selection,
): Promise<number | null> {
  const { types } = await call(sumDocuments, { ...filter, business_id: businessId });
  return types?.reduce((sum, { documents, cancelled }) => sum + documents + cancelled, 0) ?? null;
}

const earlier = (a: string, b: string): string => (a < b ? a : b);
