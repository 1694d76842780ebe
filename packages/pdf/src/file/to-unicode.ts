/** What the codes of a font are, by the text that an extractor reads. */
export type ToUnicode = ReadonlyMap<number, string>;

/** Reads a ToUnicode CMap (ISO 32000-1, 9.10.3) in the form that Skia writes. */
export function readToUnicode(cmap: string): ToUnicode {
  const texts = new Map<number, string>();
  for (const [, block = ''] of cmap.matchAll(/beginbfchar\n([^a-z]*)endbfchar/g)) {
    for (const [, code = '', text = ''] of block.matchAll(/<([0-9A-F]+)> <([0-9A-F]+)>/g)) {
      texts.set(Number.parseInt(code, 16), utf16(text));
    }
  }
  for (const [, block = ''] of cmap.matchAll(/beginbfrange\n([^a-z]*)endbfrange/g)) {
    for (const [, first = '', last = '', text = ''] of block.matchAll(
      /<([0-9A-F]+)> <([0-9A-F]+)> <([0-9A-F]+)>/g,
    )) {
      const from = Number.parseInt(first, 16);
      const point = utf16(text).codePointAt(0) ?? 0;
      for (let code = from; code <= Number.parseInt(last, 16); code += 1) {
        texts.set(code, String.fromCodePoint(point + code - from));
      }
    }
  }
  return texts;
}

/** Writes a ToUnicode CMap for a font whose codes have two bytes. */
export function writeToUnicode(texts: ToUnicode): string {
  const rows = [...texts].map(([code, text]) => `<${hex(code)}> <${utf16Hex(text)}>\n`);
  let blocks = '';
  // A block has at most a hundred rows.
  for (let from = 0; from < rows.length; from += 100) {
    const block = rows.slice(from, from + 100);
    blocks += `${block.length} beginbfchar\n${block.join('')}endbfchar\n`;
  }
  return `/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo\n<</Registry (Adobe)/Ordering (UCS)/Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n${blocks}endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend`;
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}

function utf16Hex(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase();
}

function utf16(digits: string): string {
  const bytes = Buffer.from(digits.length % 4 === 0 ? digits : digits.padStart(4, '0'), 'hex');
  return bytes.swap16().toString('utf16le');
}
