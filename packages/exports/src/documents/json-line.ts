import { type BookEntry, type PublicUrls, toDocumentDetail } from '@pinkas/contracts';

/** A line of JSON: the answer of `GET /documents/{id}`, with what else the book has of the document behind it. */
export function jsonLine(entry: BookEntry, urls: PublicUrls): string {
  const { foreign_donor } = entry.document;
  const withheld = entry.document.withheld ?? entry.state.withheld;
  const { artifact_sha256: pdf_sha256, hash, series_position } = entry;
  const line = {
    ...toDocumentDetail(entry, urls),
    ...(foreign_donor && { foreign_donor }),
    ...(withheld !== undefined && { withheld }),
    pdf_sha256,
    hash,
    series_position,
  };
  return `${JSON.stringify(line)}\n`;
}
