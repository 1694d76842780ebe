import { type Business, listSeries, type PublicUrls } from '@pinkas/contracts';
import { businessId } from '../builder/arguments.js';
import { findBusiness } from '../builder/calls.js';
import type { Call } from '../builder/command.js';

export const businessOption = {
  value: 'ID',
  meaning: 'the business whose book is exported',
  required: true,
  kind: businessId,
} as const;

/** The business of an export, the addresses of its documents, and how many documents its book has. */
export async function readBusiness(
  call: Call,
  id: string,
): Promise<{ business: Business; urls: PublicUrls; documents: number }> {
  const { business, view_url_base: viewUrlBase, pdf_url_base: pdfUrlBase } = await findBusiness(call, id);
  const { series } = await call(listSeries, { business_id: id });
  const documents = series.reduce(
    (count, { first_number = 1, next_number }) => count + next_number - first_number,
    0,
  );
  return { business, urls: { viewUrlBase, pdfUrlBase }, documents };
}
