import { type Business, documentTypeRules, type IssuedDocument } from '@pinkas/contracts';

/** RFC 8187: percent-encoded UTF-8; these four are left alone by `encodeURIComponent` but not allowed there. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Shows the file in the browser, or has it saved at once; where it is saved, its name is its type and number. */
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

/** Whether an If-None-Match header (RFC 9110, 13.1.2) names this strong entity tag. */
export function matchesEntityTag(header: string, tag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}
