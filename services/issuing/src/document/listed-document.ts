import type { ListedDocument } from '@pinkas/contracts';
import { type HeadRow } from './document.repository.js';
import { toHead, toState } from './document-row.js';
import { type KnownOutcomes, withPendingOutcomes } from './known-outcomes.js';

/** A document as lists show it now, from its row. */
export function listedDocument(
  row: HeadRow & Pick<KnownOutcomes, 'allocation' | 'delivery'>,
): ListedDocument {
  const { allocation, delivery } = withPendingOutcomes({ ...row, donation: undefined });
  return { document: toHead(row), state: toState(row), allocation, delivery };
}
