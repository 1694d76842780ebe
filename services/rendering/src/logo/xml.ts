import { LogoRefused } from './logo.js';

/** An element as it stands in a file; its text is left out, since no drawing is made of it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
}

const depthMax = 40;
const name = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?';
const token = new RegExp(
  [
    '<!--(?:(?!--)[\\s\\S])*-->',
    '<\\?xml\\s[^?<>]*\\?>',
    // Without an inner part, so that it can declare no entity.
    '<!DOCTYPE\\s[^\\[\\]<>]*>',
    `<(?<open>${name})(?<attributes>(?:\\s+${name}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(?<empty>/?)>`,
    `</(?<close>${name})\\s*>`,
    '[^<]+',
  ].join('|'),
  'y',
);
const attribute = new RegExp(`(${name})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'g');

const predefined: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function readValue(text: string): string {
  return text.replace(/&([^;]*);?/g, (_whole, entity: string) => {
    const known = predefined[entity];
    if (known !== undefined) return known;
    const [, hex, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(entity) ?? [];
    const point = hex ? Number.parseInt(hex, 16) : Number(decimal);
    if (!(point > 0 && point <= 0x10ffff)) throw new LogoRefused('must not hold entities');
    return String.fromCodePoint(point);
  });
}

function readAttributes(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, key = '', double, single] of text.matchAll(attribute)) {
    if (found.has(key)) throw new LogoRefused('is no well-formed XML: an attribute stands twice');
    found.set(key, readValue(double ?? single ?? ''));
  }
  return found;
}

/**
 * Reads the part of XML that drawings are written in: elements, attributes, comments. There are no entities of its own, no
 * processing instructions, no sections of other text.
 * @throws LogoRefused
 */
export function readXml(text: string): XmlElement {
  const document: XmlElement = { name: '', attributes: new Map(), children: [] };
  const open = [document];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (!match) throw new LogoRefused('is no plain and well-formed XML');
    const { open: opened, attributes = '', empty, close } = match.groups ?? {};
    const parent = open.at(-1) ?? document;
    if (opened) {
      const element = { name: opened, attributes: readAttributes(attributes), children: [] };
      parent.children.push(element);
      if (empty === '') open.push(element);
      if (open.length > depthMax) throw new LogoRefused('is nested too deeply');
    } else if (close) {
      if (open.length === 1 || parent.name !== close) throw new LogoRefused('is no well-formed XML');
      open.pop();
    }
  }
  const [root, second] = document.children;
  if (open.length !== 1 || !root || second) throw new LogoRefused('is no well-formed XML');
  return root;
}
