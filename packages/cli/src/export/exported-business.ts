import { type Business, listSeries, showBusiness } from '@pinkas/contracts';
import { notFoundAs, readId } from '../arguments.js';
import type { Call } from '../command.js';

export const businessOption = {
  value: 'ID',
  meaning: 'the business whose book is exported',
  required: true,
} as const;

/** The business of an export, and how many documents its book has. */
export async function readBusiness(
  call: Call,
  option: string | undefined,
): Promise<{ business: Business; documents: number }> {
  const id = readId(option, 'business list');
  const missing = `No business has the id ${id}: pinkas business list shows them`;
  const { business } = await notFoundAs(call(showBusiness, { business_id: id }), missing);
  const { series } = await call(listSeries, { business_id: id });
  const documents = series.reduce(
    (count, { first_number = 1, next_number }) => count + next_number - first_number,
    0,
  );
  return { business, documents };
}
