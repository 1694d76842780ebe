import { beginsWith, isStream } from './chromium-file.js';
import { type GlyphWidths, readGlyphWidths, withListedWidths } from './glyph-widths.js';
import { dataOf, type Objects, put, putData, referenceIn, textOf } from './pdf-objects.js';
import type { PageFont, PageFonts } from './text-run.js';
import { readToUnicode, type ToUnicode, writeToUnicode } from './to-unicode.js';

const isFont = Buffer.from('<</Type /Font');

function spaceOf(
  fonts: ReadonlyMap<number, PageFont>,
  numbers: ReadonlyMap<string, number>,
): ReturnType<PageFonts['space']> {
  for (const [font, number] of numbers) {
    const { codeBytes, texts } = fonts.get(number) ?? {};
    const [code] = [...(texts ?? [])].find(([, text]) => text === ' ') ?? [];
    if (codeBytes === 2 && code) {
      return { font, hex: code.toString(16).toUpperCase().padStart(4, '0') };
    }
  }
  return null;
}

/** The number of the font that a font of two-byte codes draws with; null: it is another font. */
function descendantOf(font: string): number | null {
  const number = /\/DescendantFonts \[(\d+) 0 R\]/.exec(font)?.[1];
  return number === undefined ? null : Number(number);
}

/** The fonts of a file, and the variants that its pages need. */
export class Fonts {
  readonly #fonts = new Map<number, PageFont>();
  readonly #variants = new Map<string, { font: number; texts: Map<number, string> }>();
  readonly #pagesOf = new Map<string, Set<number>>();

  constructor(private readonly objects: Objects) {}

  async read(): Promise<void> {
    await Promise.all(
      this.#dictionaries().map(async ([number, text]) => {
        const cmap = referenceIn(text, 'ToUnicode');
        const texts: ToUnicode = cmap === null ? new Map() : readToUnicode(await dataOf(this.objects, cmap));
        const codeBytes = text.includes('/Type0') ? 2 : 1;
        this.#fonts.set(number, { number, codeBytes, texts, widths: this.#widthsOf(text) });
      }),
    );
  }

  /** Reads the widths of a font's glyphs, and writes them in lists. */
  #widthsOf(font: string): GlyphWidths {
    const descendant = descendantOf(font);
    if (descendant === null) {
      return new Map();
    }
    const text = textOf(this.objects, descendant);
    const widths = readGlyphWidths(text);
    put(this.objects, descendant, withListedWidths(text, widths));
    return widths;
  }

  /** As one page names them. */
  ofPage(page: number): PageFonts {
    const named = /\/Font <<([^>]*)>>/.exec(textOf(this.objects, page))?.[1] ?? '';
    const numbers = new Map(
      [...named.matchAll(/\/(\S+) (\d+) 0 R/g)].map(([, name = '', number]) => [name, Number(number)]),
    );
    const get = (name: string) => this.#fonts.get(numbers.get(name) ?? this.#variants.get(name)?.font ?? 0);
    let space: ReturnType<PageFonts['space']> | undefined;
    return {
      get,
      space: () => {
        space ??= spaceOf(this.#fonts, numbers);
        return space;
      },
      variant: (name, code, text) => {
        const number = get(name)?.number ?? 0;
        for (let index = 1; ; index += 1) {
          const variant = `V${number}x${index}`;
          const known = this.#variants.get(variant) ?? { font: number, texts: new Map<number, string>() };
          if ((known.texts.get(code) ?? text) === text) {
            known.texts.set(code, text);
            this.#variants.set(variant, known);
            this.#pagesOf.set(variant, (this.#pagesOf.get(variant) ?? new Set()).add(page));
            return variant;
          }
        }
      },
    };
  }

  /** Adds the variants to the file: the same font with texts of its own. */
  async writeVariants(): Promise<void> {
    for (const [name, { font, texts }] of this.#variants) {
      const number = this.objects.size + 1;
      const cmap = number + 1;
      put(
        this.objects,
        number,
        textOf(this.objects, font).replace(/\/ToUnicode \d+ 0 R/, `/ToUnicode ${cmap} 0 R`),
      );
      this.objects.set(cmap, Buffer.alloc(0));
      await putData(this.objects, cmap, writeToUnicode(texts));
      for (const page of this.#pagesOf.get(name) ?? []) {
        put(
          this.objects,
          page,
          textOf(this.objects, page).replace('/Font <<', `/Font <</${name} ${number} 0 R`),
        );
      }
    }
  }

  /** Whether every font is in the file, and says the texts of its codes. */
  areEmbedded(): boolean {
    return this.#dictionaries().every(([, text]) => {
      if (text.includes('/Subtype /Type3')) {
        return text.includes('/ToUnicode');
      }
      const descendant = descendantOf(text);
      const descriptor = descendant && referenceIn(textOf(this.objects, descendant), 'FontDescriptor');
      return (
        text.includes('/ToUnicode') && !!descriptor && textOf(this.objects, descriptor).includes('/FontFile')
      );
    });
  }

  /** The fonts that pages name. */
  #dictionaries(): [number, string][] {
    return [...this.objects]
      .filter(([, body]) => beginsWith(body, isFont) && !isStream(body))
      .map(([number, body]): [number, string] => [number, body.toString('latin1')])
      .filter(([, text]) => /\/Subtype \/(?!CIDFont)/.test(text) && !text.includes('/Type /FontDescriptor'));
  }
}
