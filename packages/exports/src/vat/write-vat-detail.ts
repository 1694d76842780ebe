import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Business, Call } from '@pinkas/contracts';
import { dayInIsrael, VatDetail, vatReportMonth } from '@pinkas/domain';
import { bookPages } from '../book-pages.js';
import { ExportRefusedError } from '../export-refused-error.js';

/** What a report is of. */
export interface VatDetailExport {
  readonly business: Business;
  /** One or two complete months. */
  readonly from: string;
  readonly to: string;
  /** The folder that gets the file. */
  readonly out: string;
  readonly startedAt: Date;
  /** Ends the export between two calls. */
  readonly signal?: AbortSignal;
}

/**
 * Writes the sales of a detailed VAT report (PCN874).
 * @param onDocuments called with the number of documents that were read.
 * @throws ExportRefusedError where the business has no tax id, or the dates are not those of a report.
 */
export async function writeVatDetail(
  call: Call,
  { business, from, to, out, startedAt, signal }: VatDetailExport,
  onDocuments: (count: number) => void,
): Promise<{ path: string; documents: number }> {
  if (business.tax_id === null) {
    throw new ExportRefusedError('no_tax_id', `${business.name} has no tax id, which the report names`);
  }
  const month = vatReportMonth(from, to);
  if (month === null) {
    throw new ExportRefusedError('not_months', 'a detailed VAT report is of one or two complete months');
  }
  const detail = new VatDetail();
  let documents = 0;
  for await (const { entries } of bookPages(call, { businessId: business.id, from, to })) {
    signal?.throwIfAborted();
    for (const { document, state } of entries) {
      detail.add({ ...document, allocation_number: state.allocation_number });
    }
    documents += entries.length;
    onDocuments(documents);
  }
  const path = join(out, 'PCN874.TXT');
  const lines = detail.lines({ taxId: business.tax_id, month, madeOn: dayInIsrael(startedAt) });
  await writeFile(path, [...lines].join(''), 'ascii');
  return { path, documents };
}
