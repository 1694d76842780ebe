import { childOf, type Elements, isInline, type Kid, type StructureElement } from './structure-tree.js';

/** Elements that group others and have no content of their own (ISO 32000-1, 14.8.4.2). */
const grouping = new Set(['Document', 'Part', 'Art', 'Sect', 'Div', 'BlockQuote']);

/** Makes paragraphs of lines in a grouping element: Chromium writes a term, its description and each piece of text as `NonStruct`. */
export function addParagraphs(elements: Elements): void {
  for (const element of elements.values()) {
    if (element.type === 'NonStruct' && isLine(element, elements) && isInGroup(element, elements)) {
      element.type = 'P';
      element.entries = element.entries.replace('/S /NonStruct', '/S /P');
    }
  }
}

/** Whether an element has pieces of text, and nothing that is a block. */
function isLine({ kids }: StructureElement, elements: Elements): boolean {
  const isText = (kid: Kid) => {
    const child = childOf(kid, elements);
    return child !== undefined && (isInline(child.type) || isPiece(child));
  };
  return kids.some(isText) && kids.every((kid) => 'mcid' in kid || isText(kid));
}

const isPiece = ({ type, kids }: StructureElement): boolean =>
  type === 'NonStruct' && kids.every((kid) => 'mcid' in kid);

/** Whether the nearest element above that means anything to a reader is a grouping one. */
function isInGroup({ parent }: StructureElement, elements: Elements): boolean {
  const above = elements.get(parent);
  return above && (above.type === 'NonStruct' || isInline(above.type))
    ? isInGroup(above, elements)
    : above === undefined || grouping.has(above.type);
}
