import type { PreviewWarning } from '@pinkas/contracts';
import { fromShekels, settlesSource, toShekels } from '@pinkas/domain';
import type { Transaction } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { paymentsSum } from '../document/document-rules.js';
import { readSettling } from '../document/settlement.repository.js';
import type { LockedForDrafts, RenderedDraft } from './draft-rendering.js';
import { type PreviewedDocument, previewWarnings } from './preview-warnings.js';

type Source = NonNullable<PreviewedDocument['source']>;

/**
 * What a person should know of documents that are about to be inserted, in their order, as a preview says it. Their sources are locked
 * and not changed yet; a document of the same transaction counts for those behind it.
 */
export async function warningsOf(
  trx: Transaction<IssuingTables>,
  { series, sources, today }: LockedForDrafts,
  rendered: readonly RenderedDraft[],
): Promise<PreviewWarning[][]> {
  const ids = new Set(rendered.flatMap(({ document }) => document.based_on?.id ?? []));
  const settling = await readSettling(trx, series.business_id, [...ids]);
  const current = new Map<string, Source>();
  for (const [id, facts] of settling) {
    const row = sources.get(id);
    if (row) {
      current.set(id, { row, settling: facts });
    }
  }
  return rendered.map(({ draft, document, outcomes, setOffs }) => {
    const { business, body } = draft.request;
    const sourceId = document.based_on?.id ?? '';
    const source = current.get(sourceId) ?? null;
    const { totals } = draft;
    const warnings = previewWarnings({ document, body, business, totals, outcomes, today, source });
    if (source) {
      current.set(sourceId, settledBy(source, { document, paid: paymentsSum(body) }));
    }
    for (const { document_id, amount } of setOffs) {
      const settled = current.get(document_id);
      if (settled) {
        const set_off = toShekels(fromShekels(Number(settled.row.set_off)) + amount).toFixed(2);
        current.set(document_id, { ...settled, row: { ...settled.row, set_off } });
      }
    }
    return warnings;
  });
}

/** A source after one more document that is based on it. */
function settledBy(
  { row, settling }: Source,
  { document, paid }: Pick<RenderedDraft, 'document'> & { paid: bigint },
): Source {
  const isSettling = settlesSource(document.type);
  const credits = document.type === 'credit_note' ? document.totals.total : 0;
  const received = isSettling ? paid : 0n;
  const isInvoice = document.type === 'tax_invoice' || document.type === 'tax_invoice_receipt';
  return {
    row: { ...row, paid: toShekels(fromShekels(Number(row.paid)) + received).toFixed(2) },
    settling: {
      ...settling,
      credited: toShekels(fromShekels(settling.credited) + fromShekels(credits)),
      invoices: settling.invoices + Number(isInvoice),
    },
  };
}
