import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { type Source, sourcesBelow } from '../harness/sources.js';

const functionLinesMax = 60;
const fileLinesMax = 400;
const testLinesMax = 500;

const functionTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'PrivateMethod',
  'Constructor',
]);

/** How many lines each function below a node of the syntax tree has; a method counts its decorators. */
function functionLines(node: unknown, linesOf: (span: Span) => number): number[] {
  if (typeof node !== 'object' || node === null) {
    return [];
  }
  const own =
    'type' in node && 'span' in node && functionTypes.has(String(node.type))
      ? [linesOf(node.span as Span)]
      : [];
  return [...own, ...Object.values(node).flatMap((child) => functionLines(child, linesOf))];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function longestFunction({ text }: Source): number {
  const bytes = Buffer.from(text);
  const linesOf = ({ start, end }: Span) =>
    bytes
      .subarray(start - 1, end - 1)
      .toString()
      .split('\n').length;
  return Math.max(0, ...functionLines(parseSync(text, { syntax: 'typescript', decorators: true }), linesOf));
}

const lineCount = ({ text }: Source): number => text.split('\n').length - 1;

describe('size', () => {
  let sources: Source[];
  let tests: Source[];
  beforeAll(async () => {
    const all = (await Promise.all(['packages', 'services', 'test'].map(sourcesBelow)))
      .flat()
      .filter(({ text }) => !text.startsWith('/* Written by `npm run generate`'));
    sources = all.filter(({ path }) => path.includes('/src/') && !path.endsWith('.spec.ts'));
    tests = all.filter(({ path }) => /(^|\/)test\/|\.spec\.ts$/.test(path));
  });
  const above = (measure: (source: Source) => number, max: number, measured = sources) =>
    measured
      .map((source) => ({ source, lines: measure(source) }))
      .filter(({ lines }) => lines > max)
      .map(({ source, lines }) => `${source.path} ${lines}`);

  it('a function of production code has at most 60 lines', () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(above(longestFunction, functionLinesMax)).toEqual([]);
  });

  it('a file of production code has at most 400 lines', () => {
    expect(above(lineCount, fileLinesMax)).toEqual([]);
  });

  it('a file of tests has at most 500 lines', () => {
    expect(tests.length).toBeGreaterThan(300);
    expect(above(lineCount, testLinesMax, tests)).toEqual([]);
  });

  it('the longest function of a file is found', () => {
    const text = `const a = () => {\n${'b();\n'.repeat(70)}};\n`;
    expect(longestFunction({ path: 'a.ts', text })).toBe(72);
  });
});
