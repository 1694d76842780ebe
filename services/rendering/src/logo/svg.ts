import { type CleanLogo, checkSides, LogoRefused } from './logo.js';
import { readXml, type XmlElement } from './xml.js';

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Everything that may be drawn, or may colour and cut what is drawn. */
const elements: ReadonlySet<string> = new Set([
  'svg',
  'g',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'defs',
  'linearGradient',
  'radialGradient',
  'stop',
  'clipPath',
]);
/** What says something of the picture and draws nothing. */
const unseen: ReadonlySet<string> = new Set(['title', 'desc', 'metadata']);

const numbers = /^[\s\d.,+\-eE%]*(?:px|pt|mm|cm|in|em)?$/;
const path = /^[\s\d.,+\-eEMmLlHhVvCcSsQqTtAaZz]*$/;
// Blanks fit in one place only: were there two, a value that does not match would be tried in every way to part them.
const transform = /^\s*(?:(?:matrix|translate|scale|rotate|skewX|skewY)\s*\([\s\d.,+\-eE]*\)[\s,]*)*$/;
const word = /^[A-Za-z\s-]{1,60}$/;
const reference = /^url\(\s*(["']?)#[\w.-]{1,80}\1\s*\)$/;
const colour =
  /^(?:#[\da-f]{3,8}|[A-Za-z]{1,30}|(?:rgb|rgba|hsl|hsla)\([\s\d.,%/+-]*\)|url\(\s*(["']?)#[\w.-]{1,80}\1\s*\)(?:\s+[#\w]+)?)$/i;
const identifier = /^[\w.-]{1,80}$/;

const named = (grammar: RegExp, names: string): [string, RegExp][] =>
  names.split(' ').map((name) => [name, grammar]);

/** Every attribute that is kept, with what its value may look like. No grammar lets an address of elsewhere through. */
const grammars: ReadonlyMap<string, RegExp> = new Map([
  ...named(
    numbers,
    'x y width height cx cy r rx ry x1 y1 x2 y2 fx fy points viewBox offset opacity fill-opacity stroke-opacity stop-opacity stroke-width stroke-miterlimit',
  ),
  ...named(path, 'd'),
  ...named(transform, 'transform gradientTransform'),
  ...named(
    word,
    'fill-rule clip-rule stroke-linecap stroke-linejoin gradientUnits clipPathUnits spreadMethod preserveAspectRatio vector-effect visibility display',
  ),
  ...named(colour, 'fill stroke stop-color color'),
  ...named(reference, 'clip-path'),
  ...named(identifier, 'id'),
]);

/** What draws, but in a way that is not taken: left out, it would be another picture. */
const refusedStyles: ReadonlySet<string> = new Set([
  'filter',
  'mask',
  'mix-blend-mode',
  'marker-end',
  'marker-start',
  'transform-origin',
  'translate',
  'rotate',
  'scale',
  // A line of a few letters has millions of dashes, of which a printer draws each.
  'stroke-dasharray',
]);

/** What other elements refer to, and what is drawn of it anew each time. */
const referredTo: ReadonlySet<string> = new Set(['clipPath', 'linearGradient', 'radialGradient']);
/** How many parts may be drawn by reference: so many take a printer a fifth of a second, and a megabyte of its file. */
const referredPartsMax = 2_000;

/** What a drawing costs whoever draws it, counted while it is read. */
interface Cost {
  /** How many shapes are painted, and elements cut, by something that stands elsewhere. */
  references: number;
  /** The most parts that such a thing has. */
  parts: number;
}

/** What holds for an element because of those around it. */
interface Around {
  readonly paintedByReference: boolean;
  readonly clips: boolean;
}

function keep(kept: Map<string, string>, name: string, value: string): void {
  if (refusedStyles.has(name) && value !== 'none' && value !== 'normal') {
    throw new LogoRefused(`must not use ${name}`);
  }
  const grammar = grammars.get(name);
  if (!grammar) return;
  if (!grammar.test(value)) throw new LogoRefused(`has a value of ${name} that is not taken`);
  kept.set(name, value);
}

function cleanAttributes({ name: element, attributes }: XmlElement): Map<string, string> {
  const kept = new Map<string, string>();
  for (const [name, value] of attributes) {
    if (/^on/i.test(name)) throw new LogoRefused('must not hold scripts');
    if (name === 'href' || name === 'xlink:href') {
      if (!element.endsWith('Gradient') || !/^#[\w.-]{1,80}$/.test(value)) {
        throw new LogoRefused('must not refer to anything outside of itself');
      }
      kept.set('href', value);
    } else {
      keep(kept, name, value.trim());
    }
  }
  // A style counts for more than an attribute, wherever it stands.
  for (const declaration of attributes.get('style')?.split(';') ?? []) {
    const colon = declaration.indexOf(':');
    if (colon > 0) {
      keep(kept, declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim());
    }
  }
  return kept;
}

const escapeValue = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function write(name: string, attributes: ReadonlyMap<string, string>, children: string): string {
  const written = [...attributes].map(([key, value]) => ` ${key}="${escapeValue(value)}"`).join('');
  return `<${name}${written}${children === '' ? '/>' : `>${children}</${name}>`}`;
}

const countOf = ({ children }: XmlElement): number =>
  children.reduce((sum, child) => sum + 1 + countOf(child), 0);

/** @throws LogoRefused where a few letters would make those who draw it draw millions of shapes. */
function count(
  element: XmlElement,
  attributes: ReadonlyMap<string, string>,
  around: Around,
  cost: Cost,
): Around {
  const { name } = element;
  const clips = around.clips || name === 'clipPath';
  const isCut = attributes.has('clip-path');
  if (clips && isCut) throw new LogoRefused('must not cut with what is cut itself (clip-path in clipPath)');
  if (referredTo.has(name)) cost.parts = Math.max(cost.parts, countOf(element));
  const paintedByReference =
    around.paintedByReference ||
    ['fill', 'stroke'].some((paint) => attributes.get(paint)?.startsWith('url('));
  if (paintedByReference || isCut) cost.references += 1;
  if (cost.references * cost.parts > referredPartsMax) {
    throw new LogoRefused('is too elaborate: too much of it is painted with gradients, or cut by shapes');
  }
  return { paintedByReference, clips };
}

function clean(element: XmlElement, around: Around, cost: Cost): string {
  const { name } = element;
  if (unseen.has(name)) return '';
  // An editor's own elements have a prefix; what draws and has one is not left out in silence.
  const [, prefixed] = name.split(':');
  if (prefixed !== undefined) {
    if (elements.has(prefixed) || /^(script|foreignObject|image|use|text)$/i.test(prefixed)) {
      throw new LogoRefused(`must not hold ${name}: write its elements without a prefix`);
    }
    return '';
  }
  if (!elements.has(name)) {
    throw new LogoRefused(
      name === 'style'
        ? 'must have its styles as attributes: an SVG style sheet is not taken'
        : `must be of plain shapes: ${name} is not taken`,
    );
  }
  const attributes = cleanAttributes(element);
  const inside = count(element, attributes, around, cost);
  return write(name, attributes, element.children.map((child) => clean(child, inside, cost)).join(''));
}

function number(text: string | undefined): number {
  return /^\s*[\d.]+\s*(?:px)?\s*$/.test(text ?? '') ? Number.parseFloat(text ?? '') : Number.NaN;
}

/** How long the longer side is that a drawing is given: it has none of its own, and what shows it makes pictures smaller only. */
const longerSide = 1_000;

/**
 * A drawing made anew of its shapes, gradients and clips alone. What cannot be kept is refused, since a logo with a part
 * left out is not the logo; only what is not seen is left out.
 * @throws LogoRefused
 */
export function cleanSvg(bytes: Buffer): CleanLogo {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LogoRefused('must be written in UTF-8');
  }
  const root = readXml(text);
  if (root.name !== 'svg' || root.attributes.get('xmlns') !== svgNamespace) {
    throw new LogoRefused('is no SVG file');
  }
  const attributes = cleanAttributes(root);
  const box = attributes
    .get('viewBox')
    ?.trim()
    .split(/[\s,]+/)
    .map(Number);
  const [x = 0, y = 0, width = Number.NaN, height = Number.NaN] = box ?? [
    0,
    0,
    number(attributes.get('width')),
    number(attributes.get('height')),
  ];
  checkSides(width, height);
  const shown = longerSide / Math.max(width, height);
  const framed = new Map([
    ['xmlns', svgNamespace],
    ...attributes,
    ['viewBox', [x, y, width, height].join(' ')],
    ['width', (width * shown).toFixed(2)],
    ['height', (height * shown).toFixed(2)],
  ]);
  const cost: Cost = { references: 0, parts: 0 };
  const inside = count(root, attributes, { paintedByReference: false, clips: false }, cost);
  const children = root.children.map((child) => clean(child, inside, cost)).join('');
  if (children === '') throw new LogoRefused('shows nothing');
  return {
    mediaType: 'image/svg+xml',
    bytes: Buffer.from(write('svg', framed, children)),
    width,
    height,
  };
}
