import { describe, expect, it } from '@jest/globals';
import { InvalidPdfError } from './chromium-file.js';
import { readContent, writeContent } from './page-content.js';
import type { PageFonts } from './text-run.js';

const texts = new Map([...'abc()אב'].map((letter, index) => [index + 1, letter]));
const variants: string[] = [];
const fonts: PageFonts = {
  get: (name) => (name === 'F1' || name === 'V1' ? { number: 1, codeBytes: 2, texts } : undefined),
  variant: (name, code, text) => {
    variants.push(`${name} ${code} ${text}`);
    return 'V1';
  },
};
const written = (content: string, mcids: (index: number) => readonly number[] | null) =>
  writeContent(
    readContent(content, fonts).map((sequence, index) => ({ ...sequence, mcids: mcids(index) })),
  ).split('\n');

describe('page content', () => {
  it('the content outside of tags becomes an artifact, but for the state and the clipping', () => {
    const content =
      'q\n0 0 9 9 re\nW* n\n1 0 0 rg\n0 0 1 1 re\nf\nBT\n/F1 9 Tf\n1 0 0 -1 0 0 Tm\n<0001> Tj\nET\nQ';
    expect(written(content, () => null)).toEqual([
      'q',
      '0 0 9 9 re',
      'W* n',
      '1 0 0 rg',
      '/Artifact BMC',
      '0 0 1 1 re',
      'f',
      'BT',
      '/F1 9 Tf',
      '1 0 0 -1 0 0 Tm',
      '<0001> Tj',
      'ET',
      'EMC',
      'Q',
    ]);
  });

  it('each group of runs is a sequence of its own, and none is inside of another', () => {
    const run = (operators: string) => `BT\n${operators}\nET`;
    const left = run('/F1 9 Tf\n1 0 0 -1 0 0 Tm\n<00010002> Tj');
    const right = run('/ReversedChars BMC\n/F1 9 Tf\n1 0 0 -1 9 0 Tm\n<0007> Tj\n4 0 Td <0006> Tj\nEMC');
    const content = `/P <</MCID 4 >>BDC\n${left}\n${right}\nEMC`;
    const [sequence] = readContent(content, fonts);
    expect(sequence?.runs.map(({ text }) => text)).toEqual(['ab', 'אב']);
    expect(written(content, () => [1, 0]).filter((line) => /BMC|BDC|EMC/.test(line))).toEqual([
      '/P <</MCID 1>>BDC',
      'EMC',
      '/ReversedChars BMC',
      '/P <</MCID 0>>BDC',
      'EMC',
      'EMC',
    ]);
  });

  it('a mirrored bracket is drawn with a font that says what it is', () => {
    variants.length = 0;
    const content =
      '/P <</MCID 0 >>BDC\nBT\n/ReversedChars BMC\n/F1 9 Tf\n1 0 0 -1 9 0 Tm\n<0007> Tj\n/Span<</ActualText (\\))>> BDC\n4 0 Td <0004> Tj\nEMC\n4 0 Td <0006> Tj\nEMC\nET\nEMC';
    const [sequence] = readContent(content, fonts);
    const [run] = sequence?.runs ?? [];
    expect(run?.text).toBe('א)ב');
    expect(run?.operators.split('\n')).toEqual([
      '/F1 9 Tf',
      '1 0 0 -1 9 0 Tm',
      '<0007> Tj',
      '/V1 9 Tf',
      '4 0 Td <0004> Tj',
      '/F1 9 Tf',
      '4 0 Td <0006> Tj',
    ]);
    expect(variants).toEqual(['F1 4 )']);
  });

  it('signs alone that are drawn from the last to the first are drawn in the order in which they are read', () => {
    const content =
      '/P <</MCID 0 >>BDC\nBT\n/ReversedChars BMC\n/F1 9 Tf\n1 0 0 -1 10 20 Tm\n<0001> Tj\n4 0 Td <0002> Tj\n3 0 Td <0003> Tj\nEMC\nET\nEMC';
    const [sequence] = readContent(content, fonts);
    const [run] = sequence?.runs ?? [];
    expect(run).toMatchObject({ text: 'cba', reversed: false });
    expect(run?.operators.split('\n')).toEqual([
      '/F1 9 Tf',
      '1 0 0 -1 17 20 Tm',
      '<0003> Tj',
      '-3 0 Td <0002> Tj',
      '-4 0 Td <0001> Tj',
    ]);
  });

  it('a glyph without a text is noticed', () => {
    const whole = (hex: string) => {
      const [sequence] = readContent(
        `/P <</MCID 0 >>BDC\nBT\n/F1 9 Tf\n1 0 0 -1 0 0 Tm\n<${hex}> Tj\nET\nEMC`,
        fonts,
      );
      return sequence?.runs[0]?.whole;
    };
    expect(whole('0001')).toBe(true);
    expect(whole('0000')).toBe(false);
    expect(whole('00FF')).toBe(false);
  });

  it.each([
    ['a text object has no end', 'BT\n/F1 9 Tf'],
    ['a sequence has no end', '/P <</MCID 0 >>BDC\n0 0 1 1 re\nf'],
    ['a sequence is in another', '/P <</MCID 0 >>BDC\n/P <</MCID 1 >>BDC\nEMC\nEMC'],
    ['marked content has another form', '/OC /MC0 BDC\nEMC'],
    ['a text object has no place', 'BT\n/F1 9 Tf\n<0001> Tj\nET'],
  ])('content is rejected when %s', (_what, content) => {
    expect(() => readContent(content, fonts)).toThrow(InvalidPdfError);
  });
});
