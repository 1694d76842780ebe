import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isolate } from '@pinkas/design';
import { directionRuns, fieldDirection } from '@pinkas/domain';
import { findBinary } from '@pinkas/local-stack/servers';
import bidiFactory, { type Bidi } from 'bidi-js';
import fc from 'fast-check';
import { type Browser, chromium } from 'playwright-core';

/** Its types describe a default export; Node sees the function itself. */
const bidi = (bidiFactory as unknown as () => Bidi)();
const stringsOfEach = 500;
const pageDirections = { he: 'rtl', en: 'ltr' } as const;

/** What meets in the names, addresses and item lines of documents. */
const piece = fc.oneof(
  fc.constantFrom('ישראל', 'בע"מ', 'רחוב', 'הרצל', 'שירות', 'חודשי', 'מק״ט', 'ק״ג', 'ב', 'ה-'),
  fc.constantFrom('IBM', 'Ltd.', 'iPhone', 'USB-C', 'www.example.com', 'A4', 'x', 'C++'),
  fc.constantFrom('12', '3.5', '1,250.00', '12/4', '2026-03-08', '15:30', '5-10', '100%', '₪150', '$5'),
  fc.constantFrom('-5%', '+3.5', '-10°C', '-₪150', '−7', '+972-50-123-4567', '050 123 4567', '(02) 623-4567'),
  fc.constantFrom('(', ')', '[', ']', '"', "'", ',', '.', ':', '-', '–', '/', '&', '#', '*', '!'),
);
const field = fc
  .array(fc.tuple(piece, fc.constantFrom('', ' ', ' ')), { minLength: 1, maxLength: 9 })
  .map((pieces) =>
    pieces
      .map(([text, space]) => `${text}${space}`)
      .join('')
      .trim(),
  )
  .filter((text) => text !== '');

/** The characters of a field from left to right, as Unicode's algorithm orders them: its isolates replace our markup. */
function orderedByUnicode(text: string, language: 'he' | 'en'): string {
  const direction = fieldDirection(text, language);
  const inner =
    direction === 'ltr'
      ? text
      : directionRuns(text)
          .map((run) => (run.isolated ? `\u2066${run.text}\u2069` : run.text))
          .join('');
  const isolated = `${direction === 'rtl' ? '\u2067' : '\u2066'}${inner}\u2069`;
  const levels = bidi.getEmbeddingLevels(isolated, pageDirections[language]);
  return bidi
    .getReorderedIndices(isolated, levels)
    .map((index) => isolated[index])
    .filter((character) => !/[\u2066-\u2069]/.test(character ?? ''))
    .join('');
}

/** Runs in Chromium: the characters of each paragraph, from left to right as they are laid out. */
const orderOfParagraphs = `[...document.querySelectorAll('p')].map((paragraph) => {
  const placed = [];
  const texts = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    for (let at = 0; at < node.length; at += 1) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      placed.push({ left: range.getBoundingClientRect().left, character: node.data[at] });
    }
  }
  return placed.sort((a, b) => a.left - b.left).map(({ character }) => character).join('');
})`;

describe('a field of mixed directions', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: findBinary('chromium-headless-shell') ?? 'chromium',
      args: ['--no-sandbox'],
    });
  }, 60_000);
  afterAll(() => browser?.close());

  it.each(['he', 'en'] as const)(
    "Chromium lays out the fields of a document in '%s' in the order of Unicode's algorithm",
    async (language) => {
      const seed = Number(process.env.PINKAS_SEED ?? 20_260_615);
      const texts = fc.sample(field, { numRuns: stringsOfEach, seed });
      const paragraphs = texts.map((text) => `<p>${isolate(text, language).text}</p>`).join('');
      const page = await browser.newPage({ viewport: { width: 4_000, height: 1_000 } });
      await page.setContent(
        `<!doctype html><html dir="${pageDirections[language]}"><style>p{white-space:pre;font:16px monospace}</style>${paragraphs}</html>`,
      );
      const drawn = await page.evaluate<string[]>(orderOfParagraphs);
      await page.close();

      const expected = texts.map((text) => orderedByUnicode(text, language));
      const differing = texts.flatMap((text, index) =>
        drawn[index] === expected[index] ? [] : [{ text, drawn: drawn[index], expected: expected[index] }],
      );
      expect(differing).toEqual([]);
      // The sample does mix: most fields have letters of both directions or a run of their own.
      expect(
        texts.filter((text) => /\p{Script=Hebrew}/u.test(text) && /[A-Za-z0-9]/.test(text)).length,
      ).toBeGreaterThan(stringsOfEach / 3);
    },
    60_000,
  );
});
