import type { SourceText } from './reading-order.js';

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
  /** What the pages say, in its order; without it the tags have the order in which Chromium draws. */
  readonly texts?: readonly SourceText[];
}

/** The program that made the files and signatures, in their metadata. */
export const creatorTool = 'Pinkas';

/** That a file is PDF/A-2a (ISO 19005-2, 6.6.4). */
const archivable =
  '<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"><pdfaid:part>2</pdfaid:part><pdfaid:conformance>A</pdfaid:conformance></rdf:Description>';
/** That a file is PDF/UA-1 (ISO 14289-1, 5), with the description of the schema that PDF/A wants of what it does not know itself. */
const accessible =
  '<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"><pdfuaid:part>1</pdfuaid:part></rdf:Description><rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"><pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource"><pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema><pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI><pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource"><pdfaProperty:name>part</pdfaProperty:name><pdfaProperty:valueType>Integer</pdfaProperty:valueType><pdfaProperty:category>internal</pdfaProperty:category><pdfaProperty:description>Part of ISO 14289 that the file conforms to</pdfaProperty:description></rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>';

/**
 * The facts as XMP (ISO 16684-1), which programs without a PDF reader find.
 * @param conforms whether the file may call itself PDF/UA-1 and PDF/A-2a.
 */
export function xmpPacket(facts: DocumentFacts, conforms: boolean): string {
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
</rdf:Description>${conforms ? `\n${archivable}${accessible}` : ''}</rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** What XML cannot hold at all (XML 1.0, 2.2) is left out; one stray character would make the whole unreadable. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (character: string) => entities[character] ?? '');
}
