import { isStream } from './chromium-file.js';

const nodeName = /\(node(\d+)\)/g;
const nodeStart = Buffer.from('(node');

/**
 * Renumbers the structure nodes from 1, in their order. Chromium names them by a count of everything that its process has laid
 * out, so that no two prints of one page are the same.
 */
export function renumberStructureNodes(objects: ReadonlyMap<number, Buffer>): Map<number, Buffer> {
  const texts = new Map<number, string>();
  const found = new Set<number>();
  for (const [number, body] of objects) {
    if (isStream(body) || !body.includes(nodeStart)) {
      continue;
    }
    const text = body.toString('latin1');
    for (const [, digits] of text.matchAll(nodeName)) {
      found.add(Number(digits));
    }
    texts.set(number, text);
  }
  const ranks = new Map([...found].sort((a, b) => a - b).map((name, index) => [name, index + 1]));
  const renamed = new Map(objects);
  for (const [number, text] of texts) {
    const replaced = text.replace(
      nodeName,
      (_whole, digits: string) => `(node${String(ranks.get(Number(digits))).padStart(8, '0')})`,
    );
    renamed.set(number, Buffer.from(replaced, 'latin1'));
  }
  return renamed;
}
