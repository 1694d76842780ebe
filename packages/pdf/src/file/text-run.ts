import { InvalidPdfError } from './chromium-file.js';
import type { GlyphWidths } from './glyph-widths.js';
import type { ToUnicode } from './to-unicode.js';

/** A font of a page, with the texts of its codes. */
export interface PageFont {
  /** The number of its object. */
  readonly number: number;
  readonly codeBytes: 1 | 2;
  readonly texts: ToUnicode;
  readonly widths: GlyphWidths;
}

/** The fonts of a page by their names, and the same fonts with other texts where a glyph is read as another character. */
export interface PageFonts {
  get(name: string): PageFont | undefined;
  /** The name of a font that draws a code as the given one does and says another text. */
  variant(name: string, code: number, text: string): string;
  /** A glyph that is a space; null where no font of the page has one. */
  space(): { readonly font: string; readonly hex: string } | null;
}

/** The letters of one direction that Chromium draws in one piece of text. */
export interface TextRun {
  /** Its operators in lines, without the beginning and the end of the text object. */
  readonly operators: string;
  /** What it states, in the order in which it is read. */
  readonly text: string;
  /** Whether its letters are drawn from the last one to the first. */
  readonly reversed: boolean;
  /** Where its baseline is, as the text matrix says. */
  readonly baseline: string;
  /** Whether each of its glyphs has a text and a picture. */
  readonly whole: boolean;
}

interface Glyph {
  readonly font: string;
  readonly hex: string;
  readonly offset: number;
}

/** The blocks of Hebrew, Arabic, Syriac, Thaana and N'Ko, and their presentation forms. */
const rightToLeftLetter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** A run in one font, without glyphs of several letters: nearly every one. */
const plainRun =
  /^(\/ReversedChars BMC\n)?(\/(\S+) \S+ Tf\n(?:\S+ ){5}(\S+) Tm\n(?:(?:\S+ \S+ Td )?<[0-9A-F]+> Tj\n)*(?:\S+ \S+ Td )?<[0-9A-F]+> Tj)(\nEMC)?$/;
const show = /^(?:(\S+) (\S+) Td )?<([0-9A-F]+)> Tj$/;
const setFont = /^\/(\S+) (\S+) Tf$/;
const setMatrix = /^(\S+) (\S+) (\S+) (\S+) (\S+) (\S+) Tm$/;
const replaced = /^\/Span ?<<\/ActualText (.*?) ?>> ?BDC$/;

/**
 * Reads a text object as Skia writes it. Extractors that take no notice of `/ActualText` read a mirrored bracket as the other one, and
 * some lose what comes behind the end of a nested sequence: a glyph that represents another character is drawn with a variant of its
 * font instead, and the marks of reversed letters are left to the caller, which writes the run.
 * @param written the lines between `BT` and `ET`.
 */
export function readTextRun(written: string, fonts: PageFonts): TextRun {
  const plain = readPlainRun(written, fonts);
  if (plain) {
    return plain;
  }
  const reader = new TextRunReader(fonts);
  for (const line of written.split('\n')) {
    reader.read(line);
  }
  return reader.end();
}

/** Reads a run whose operators stay as they are: most of the time goes into them. */
function readPlainRun(written: string, fonts: PageFonts): TextRun | null {
  const [, reversing, operators, name, baseline, end] = plainRun.exec(written) ?? [];
  const font = name === undefined ? undefined : fonts.get(name);
  if (operators === undefined || baseline === undefined || !font || !reversing !== !end) {
    return null;
  }
  const clusters: string[] = [];
  let whole = true;
  for (let open = operators.indexOf('<'); open >= 0; open = operators.indexOf('<', open + 1)) {
    const close = operators.indexOf('>', open);
    for (let at = open + 1; at < close; at += 2 * font.codeBytes) {
      const code = Number.parseInt(operators.slice(at, Math.min(close, at + 2 * font.codeBytes)), 16);
      const text = font.texts.get(code) ?? '';
      clusters.push(text);
      whole &&= code !== 0 && text !== '';
    }
  }
  const reversed = reversing !== undefined;
  const text = (reversed ? clusters.reverse() : clusters).join('');
  if (reversed && !hasRightToLeftLetter(text)) {
    return null;
  }
  return { operators, text, reversed, baseline, whole: whole && isExchangeable(text) };
}

/** Glyphs that show one text together. */
interface Span {
  readonly text: string;
  readonly opening: string;
  /** Where its operators begin among those that are written. */
  readonly from: number;
  readonly codes: number[];
}

class TextRunReader {
  readonly #written: string[] = [];
  /** The texts of the glyphs, in the order in which they are drawn. */
  readonly #clusters: string[] = [];
  readonly #glyphs: Glyph[] = [];
  #matrix: readonly string[] | null = null;
  #font = '';
  #size = '';
  /** The font that the written operators have set. */
  #current = '';
  #span: Span | null = null;
  #offset = 0;
  #reversed = false;
  #whole = true;
  /** Whether it is clear where each glyph is. */
  #movable = true;

  constructor(private readonly fonts: PageFonts) {}

  read(line: string): void {
    const shown = show.exec(line);
    if (shown) {
      this.#show(line, shown[1], shown[2], shown[3] ?? '');
    } else if (line === 'EMC') {
      this.#endSpan();
    } else if (line === '/ReversedChars BMC') {
      this.#reversed = true;
    } else if (line.startsWith('/Span')) {
      this.#beginSpan(line);
    } else {
      this.#set(line);
    }
  }

  end(): TextRun {
    const [, , , , , baseline] = this.#matrix ?? [];
    if (this.#matrix === null || baseline === undefined || this.#span !== null) {
      throw new InvalidPdfError('the PDF has a text object of another form');
    }
    const reversed = this.#reversed;
    const text = (reversed ? this.#clusters.toReversed() : this.#clusters).join('');
    const run = { text, baseline, whole: this.#whole };
    if (reversed && this.#movable && !hasRightToLeftLetter(text)) {
      // Without a letter no one can tell that these signs are drawn from the last one to the first.
      const moved = inReadingOrder(this.#glyphs, this.#matrix, this.#size);
      return { ...run, operators: moved.join('\n'), reversed: false };
    }
    return { ...run, operators: this.#written.join('\n'), reversed };
  }

  #show(line: string, right: string | undefined, up: string | undefined, hex: string): void {
    this.#offset += Number(right ?? 0);
    const codes = codesOf(hex, this.fonts.get(this.#font)?.codeBytes ?? 2);
    this.#movable &&= codes.length === 1 && Number(up ?? 0) === 0;
    this.#useFont();
    this.#written.push(line);
    this.#glyphs.push({ font: this.#font, hex, offset: this.#offset });
    if (this.#span) {
      this.#span.codes.push(...codes);
      return;
    }
    for (const code of codes) {
      const text = this.#textOf(code);
      this.#clusters.push(text);
      this.#whole &&= code !== 0 && isExchangeable(text);
    }
  }

  #set(line: string): void {
    const [, font, size] = setFont.exec(line) ?? [];
    const matrix = setMatrix.exec(line);
    if (font !== undefined && size !== undefined) {
      [this.#font, this.#size, this.#current] = [font, size, font];
    } else if (matrix) {
      this.#matrix = matrix.slice(1);
    } else {
      this.#movable = false;
    }
    this.#written.push(line);
  }

  #beginSpan(line: string): void {
    const [, text] = replaced.exec(line) ?? [];
    if (text === undefined || this.#span) {
      throw new InvalidPdfError('the PDF has a text object of another form');
    }
    this.#useFont();
    this.#span = { text: stringOf(text), opening: line, from: this.#written.length, codes: [] };
  }

  /** The end of a span, or that of the reversed letters, which has no operator of its own any more. */
  #endSpan(): void {
    const span = this.#span;
    if (!span) {
      return;
    }
    this.#span = null;
    const { text, codes } = span;
    this.#clusters.push(text);
    this.#whole &&= !codes.includes(0) && isExchangeable(text);
    const texts = codes.map((code) => this.#textOf(code));
    if ((this.#reversed ? texts.toReversed() : texts).join('') === text) {
      return;
    }
    const [code = 0] = codes;
    const glyph = this.#glyphs.at(-1);
    if (codes.length === 1 && glyph && this.fonts.get(this.#font)?.codeBytes === 2) {
      const font = this.fonts.variant(this.#font, code, text);
      // The operator that draws the glyph is the last one.
      this.#written.splice(-1, 0, `/${font} ${this.#size} Tf`);
      this.#current = font;
      this.#glyphs.splice(-1, 1, { ...glyph, font });
      return;
    }
    this.#movable = false;
    this.#written.splice(span.from, 0, span.opening);
    this.#written.push('EMC');
  }

  #useFont(): void {
    if (this.#current !== this.#font) {
      this.#written.push(`/${this.#font} ${this.#size} Tf`);
      this.#current = this.#font;
    }
  }

  #textOf(code: number): string {
    return this.fonts.get(this.#font)?.texts.get(code) ?? '';
  }
}

function codesOf(hex: string, bytes: 1 | 2): number[] {
  const codes: number[] = [];
  for (let at = 0; at < hex.length; at += 2 * bytes) {
    codes.push(Number.parseInt(hex.slice(at, at + 2 * bytes), 16));
  }
  return codes;
}

/** The glyphs of a reversed run, drawn at their places from the first to the last. */
function inReadingOrder(glyphs: readonly Glyph[], matrix: readonly string[], size: string): string[] {
  const lines: string[] = [];
  const [a = '', b = '', c = '', d = '', x = '', y = ''] = matrix;
  let at: number | null = null;
  let current = '';
  for (const { font, hex, offset } of glyphs.toReversed()) {
    if (font !== current) {
      lines.push(`/${font} ${size} Tf`);
      current = font;
    }
    if (at === null) {
      const place = [Number(x) + Number(a) * offset, Number(y) + Number(b) * offset].map(decimal);
      lines.push(`${[a, b, c, d, ...place].join(' ')} Tm`, `<${hex}> Tj`);
    } else {
      lines.push(`${decimal(offset - at)} 0 Td <${hex}> Tj`);
    }
    at = offset;
  }
  return lines;
}

function decimal(value: number): string {
  return String(Number(value.toFixed(5)));
}

/** The byte order marks, and the private letters of the first plane and of the last two. */
const notExchangeable = /[\0\ufeff\ufffe\ue000-\uf8ff\udb80-\udbff]/;

/** Whether a text means the same to every reader, as PDF/A wants it: no private letter and no byte order mark. */
function isExchangeable(text: string): boolean {
  return text !== '' && !notExchangeable.test(text);
}

/** A string as Skia writes it: in brackets, or in hex as UTF-16. */
function stringOf(written: string): string {
  if (written.startsWith('<')) {
    return Buffer.from(written.replace(/^<FEFF|[<>]/gi, ''), 'hex')
      .swap16()
      .toString('utf16le');
  }
  return written
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/g, (_whole, escaped: string) =>
      escaped.length === 3 ? String.fromCharCode(Number.parseInt(escaped, 8)) : escaped,
    );
}

/**
 * A text object with a space behind the last glyph of a run: extractors that go by the order of the content join what is drawn to the
 * left of it, as the next cell of a row in Hebrew is. Those that go by places read a space over the glyph before it.
 */
export function spaceBehind({ operators }: TextRun, fonts: PageFonts): string | null {
  const space = fonts.space();
  const [, size] = /^\/\S+ (\S+) Tf$/m.exec(operators) ?? [];
  const [, a, b, c, d, x, y] = /^(\S+) (\S+) (\S+) (\S+) (\S+) (\S+) Tm$/m.exec(operators) ?? [];
  if (space === null || size === undefined || y === undefined) {
    return null;
  }
  let right = 0;
  for (const [, step] of operators.matchAll(/^(\S+) \S+ Td /gm)) {
    right += Number(step);
  }
  const [, font = ''] = [...operators.matchAll(/^\/(\S+) \S+ Tf$/gm)].at(-1) ?? [];
  const [, drawn = ''] = [...operators.matchAll(/<([0-9A-F]+)> Tj/g)].at(-1) ?? [];
  const { codeBytes, widths } = fonts.get(font) ?? {
    codeBytes: 2 as const,
    widths: new Map<number, number>(),
  };
  for (const code of codesOf(drawn, codeBytes)) {
    right += ((widths.get(code) ?? 0) * Number(size)) / 1_000;
  }
  const place = [Number(x) + Number(a) * right, Number(y) + Number(b) * right].map(decimal);
  return `BT\n/${space.font} ${size} Tf\n${[a, b, c, d, ...place].join(' ')} Tm\n<${space.hex}> Tj\nET`;
}

/** Whether a text has a letter that is written from right to left. */
export function hasRightToLeftLetter(text: string): boolean {
  return rightToLeftLetter.test(text);
}
