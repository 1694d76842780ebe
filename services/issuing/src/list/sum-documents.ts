import { type ReplyOf, type RequestOf, sumDocuments } from '@pinkas/contracts';
import { documentTypes } from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { type SummedType, sumListed } from './document-sum.repository.js';

/** Sums up the documents of a list, by type. */
@Operation(sumDocuments)
export class SumDocuments {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle(request: RequestOf<typeof sumDocuments>): Promise<ReplyOf<typeof sumDocuments>> {
    const sums = await sumListed(forTenant(this.db, request.business_id), request);
    return { types: sums && inOrder(sums) };
  }
}

/** The sums of types that have a document, in the order of the types, as numbers. */
export function inOrder(sums: readonly SummedType[]) {
  return documentTypes.flatMap((type) => {
    const found = sums.find((row) => row.type === type);
    return found && found.documents + found.cancelled > 0
      ? [
          {
            type,
            documents: found.documents,
            cancelled: found.cancelled,
            net: Number(found.net),
            vat: Number(found.vat),
            total: Number(found.total),
          },
        ]
      : [];
  });
}
