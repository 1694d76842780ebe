import { type Business, type IssuedDocument } from '@pinkas/contracts';
import { documentTypeRules } from '@pinkas/domain';

/** RFC 8187: percent-encoded UTF-8; `encodeURIComponent` does not encode these four characters, which are not allowed there. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** The Content-Disposition of a PDF: shown in the browser or saved, named after its type and number. */
export function contentDisposition(
  document: Pick<IssuedDocument, 'type' | 'number'>,
  language: Business['language'],
  use: 'inline' | 'attachment',
): string {
  const { name, nameHe } = documentTypeRules[document.type];
  const title = (language === 'he' ? nameHe : name).replaceAll(' / ', '-');
  const plain = `${document.type.replaceAll('_', '-')}-${document.number}.pdf`;
  return `${use}; filename="${plain}"; filename*=UTF-8''${encodeName(`${title} ${document.number}.pdf`)}`;
}

/** The hashes of the PDFs that a visitor has, by its If-None-Match header; ten at most. */
export function knownHashes(header: string): string[] {
  return [...header.matchAll(/"([0-9a-f]{64})"/g)].slice(0, 10).map(([, hash = '']) => hash);
}
