import { type Business, listSeries, type PublicUrls, showBusiness } from '@pinkas/contracts';
import { notFoundAs, readId } from '../arguments.js';
import type { Call } from '../command.js';

export const businessOption = {
  value: 'ID',
  meaning: 'the business whose book is exported',
  required: true,
} as const;

/** The business of an export, the addresses of its documents, and how many documents its book has. */
export async function readBusiness(
  call: Call,
  option: string | undefined,
): Promise<{ business: Business; urls: PublicUrls; documents: number }> {
  const id = readId(option, 'business list');
  const missing = `No business has the id ${id}: pinkas business list shows them`;
  const {
    business,
    view_url_base: viewUrlBase,
    pdf_url_base: pdfUrlBase,
  } = await notFoundAs(call(showBusiness, { business_id: id }), missing);
  const { series } = await call(listSeries, { business_id: id });
  const documents = series.reduce(
    (count, { first_number = 1, next_number }) => count + next_number - first_number,
    0,
  );
  return { business, urls: { viewUrlBase, pdfUrlBase }, documents };
}
