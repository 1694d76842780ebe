import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { type Source, sourcesBelow } from '../harness/sources.js';

/** Where markup is written by hand. */
const folders = [
  'packages/ui/src',
  'services/console/src',
  'services/gateway/src/http',
  'services/gateway/src/pages',
  'services/delivery/src/mail',
  'services/rendering/src/document',
];

/** Files that are not converted yet. */
const notConverted: readonly string[] = [];

/** Elements within a line of text; every other element has a line of its own. */
const inline = new Set([
  'a',
  'abbr',
  'b',
  'bdi',
  'br',
  'code',
  'del',
  'em',
  'i',
  'img',
  'ins',
  'kbd',
  'output',
  'small',
  'span',
  'strong',
  'time',
  'wbr',
]);
/** What is between angle brackets in a sentence about the names of files. */
const placeholders = new Set(['selector', 'domain']);
const lineMax = 120;

/** The parts of all templates below a node of the syntax tree, by the places of their bytes, counted from 1. */
function templateParts(node: unknown): { start: number; end: number }[] {
  if (typeof node !== 'object' || node === null) {
    return [];
  }
  const own =
    'type' in node && node.type === 'TemplateElement' && 'span' in node
      ? [node.span as { start: number; end: number }]
      : [];
  return [...own, ...Object.values(node).flatMap(templateParts)];
}

/** The lines of a file that belong to a template with markup, by their numbers. */
function markupLines({ text }: Source): Map<number, string> {
  const bytes = Buffer.from(text);
  const lines = text.split('\n');
  const found = new Map<number, string>();
  for (const { start, end } of templateParts(parseSync(text, { syntax: 'typescript', decorators: true }))) {
    const part = bytes.subarray(start - 1, end - 1).toString();
    const first = bytes
      .subarray(0, start - 1)
      .toString()
      .split('\n').length;
    if (/<\/?[a-z!][^>]*/.test(part)) {
      for (const index of part.split('\n').keys()) {
        found.set(first + index, lines[first + index - 1] ?? '');
      }
    }
  }
  return found;
}

/** The errors of one line of markup. */
function wrongIn(line: string): string | null {
  if (line.length > lineMax) {
    return `has ${line.length} characters`;
  }
  const blocks = [...line.matchAll(/<([a-z][a-z0-9]*)/g)].filter(
    ([, name = '']) => !inline.has(name) && !placeholders.has(name),
  );
  return blocks.length > 1 ? `has ${blocks.length} elements` : null;
}

describe('markup', () => {
  let offences: { path: string; text: string }[];
  let sources: Source[];
  beforeAll(async () => {
    sources = (await Promise.all(folders.map(sourcesBelow)))
      .flat()
      .filter(({ path }) => !path.endsWith('.spec.ts'));
    offences = sources.flatMap((source) =>
      [...markupLines(source)].flatMap(([index, line]) => {
        const wrong = wrongIn(line);
        return wrong === null ? [] : [{ path: source.path, text: `${source.path}:${index} ${wrong}` }];
      }),
    );
  });

  it('the check finds templates with markup', () => {
    expect(sources.filter((source) => markupLines(source).size > 0).length).toBeGreaterThan(20);
  });

  it('a line of markup has one element and can be read in a review', () => {
    expect(offences.filter(({ path }) => !notConverted.includes(path)).map(({ text }) => text)).toEqual([]);
  });

  it('no converted file is listed as one that is not', () => {
    const wrong = new Set(offences.map(({ path }) => path));
    expect(notConverted.filter((path) => !wrong.has(path))).toEqual([]);
  });

  it.each([
    ['<div class="a">', null],
    ['<p><strong>a</strong> <a href="/">b</a></p>', null],
    ['<dt>a</dt><dd>b</dd>', 'has 2 elements'],
    [`<p>${'a'.repeat(120)}</p>`, 'has 127 characters'],
  ])('the line %s is judged right', (line, wrong) => {
    expect(wrongIn(line)).toBe(wrong);
  });
});
