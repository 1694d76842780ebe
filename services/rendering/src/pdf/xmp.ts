/** The metadata of a PDF. */
export interface DocumentFacts {
  readonly documentId: string;
  /** For example `חשבונית מס 1042`. */
  readonly title: string;
  /** The business's name. */
  readonly author: string;
  readonly language: 'he' | 'en';
  /** When the document was issued. */
  readonly issuedAt: Date;
}

/** The program that made the files and signatures, in their metadata. */
export const creatorTool = 'Pinkas';

/** The facts as XMP (ISO 16684-1), which programs without a PDF reader find. */
export function xmpPacket(facts: DocumentFacts): string {
  const { documentId, title, author, language, issuedAt } = facts;
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escaped(title)}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>${escaped(author)}</rdf:li></rdf:Seq></dc:creator>
<dc:language><rdf:Bag><rdf:li>${language}</rdf:li></rdf:Bag></dc:language>
<xmp:CreateDate>${issuedAt.toISOString().slice(0, 19)}Z</xmp:CreateDate>
<xmp:CreatorTool>${creatorTool}</xmp:CreatorTool>
<xmpMM:DocumentID>uuid:${escaped(documentId)}</xmpMM:DocumentID>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** What XML cannot hold at all (XML 1.0, 2.2) is left out; one stray character would make the whole unreadable. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (character: string) => entities[character] ?? '');
}
