import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { hebrewReason } from '../../services/console/src/frame/reason-words.js';
import { repositoryRoot, type Source, sourcesBelow } from '../harness/sources.js';

/** A thing of the glossary, with its words in both languages and those that they replace. */
interface Entry {
  readonly hebrew: string;
  readonly english: string;
  readonly replaced: readonly string[];
}

/** A text that a person reads, with the file that has it. */
interface Text {
  readonly path: string;
  readonly text: string;
}

const hebrewLetter = /[\u05d0-\u05ea]/;

/** The rows of the table. */
function readEntries(page: string): Entry[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (thing|---)/.test(line))
    .map((line) => {
      const [, , hebrew = '', english = '', replaced = ''] = line.split('|').map((cell) => cell.trim());
      return { hebrew, english, replaced: [...replaced.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word) };
    });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The text of a literal; of a template its fixed parts. */
function literalOf(node: Record<string, unknown>): string | null {
  if (node.type === 'StringLiteral') {
    return String(node.value);
  }
  if (node.type !== 'TemplateLiteral') {
    return null;
  }
  const quasis = node.quasis as readonly { readonly cooked?: string; readonly raw: string }[];
  return quasis.map(({ cooked, raw }) => cooked ?? raw).join('…');
}

/** Calls whose arguments are a text in both languages. */
const textCalls = new Set(['words', 'statutory', 'sentence']);

/** Literals with Hebrew letters, and those that are the English of a text: below a member `en`, or next to the Hebrew in a call. */
function textsIn(node: unknown, isEnglish: boolean): string[] {
  if (Array.isArray(node)) {
    return node.flatMap((child) => textsIn(child, isEnglish));
  }
  if (!isObject(node)) {
    return [];
  }
  const literal = literalOf(node);
  const own = literal !== null && (isEnglish || hebrewLetter.test(literal)) ? [literal] : [];
  const isCall =
    node.type === 'CallExpression' && isObject(node.callee) && textCalls.has(String(node.callee.value));
  const isMember = node.type === 'KeyValueProperty' && isObject(node.key) && node.key.value === 'en';
  return [...own, ...Object.values(node).flatMap((child) => textsIn(child, isEnglish || isCall || isMember))];
}

function textsOf({ path, text }: Source): Text[] {
  const parsed = parseSync(text, { syntax: 'typescript', decorators: true });
  return textsIn(parsed, false).map((found) => ({ path, text: found }));
}

/** Whether a text has a word that another one replaces. Hebrew joins letters such as ב and ה to a word. */
function has(text: string, word: string, { hebrew, english }: Entry): boolean {
  const rest = [hebrew, english].reduce((left, kept) => left.replaceAll(kept, ' '), text);
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return hebrewLetter.test(word)
    ? rest.includes(word)
    : new RegExp(`(?<![A-Za-z])${escaped}(?![A-Za-z])`, 'i').test(rest);
}

/** Tests, and the reference of the API, whose words are those of the law. */
const isOther = ({ path }: Source) => path.endsWith('.spec.ts') || /\/(test|tools|openapi)\//.test(path);

describe('glossary', () => {
  let entries: Entry[];
  let texts: Text[];
  beforeAll(async () => {
    entries = readEntries(await readFile(join(repositoryRoot, 'docs/glossary.md'), 'utf8'));
    const sources = (await Promise.all(['packages', 'services'].map(sourcesBelow))).flat();
    texts = sources.filter((source) => !isOther(source) && hebrewLetter.test(source.text)).flatMap(textsOf);
  });

  it('the glossary has a word for each thing, and the texts of the workspaces are found', () => {
    expect(entries.length).toBeGreaterThan(40);
    expect(entries.filter(({ hebrew, english }) => hebrew === '' || english === '')).toEqual([]);
    expect(texts.length).toBeGreaterThan(1500);
    expect(texts.some(({ text }) => text === 'Balance due')).toBe(true);
  });

  it('no text that a person reads has a word that the glossary replaces', () => {
    const wrong = entries.flatMap((entry) =>
      entry.replaced.flatMap((word) =>
        texts
          .filter(({ text }) => has(text, word, entry))
          .map(
            ({ path, text }) =>
              `${path}: '${text.slice(0, 200)}' has '${word}' (write: ${entry.hebrew} / ${entry.english})`,
          ),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('a reason that allocation or delivery records has Hebrew words', async () => {
    const folders = [
      'services/allocation/src/attempt',
      'services/allocation/src/authority',
      'services/delivery/src',
    ];
    const sources = (await Promise.all(folders.map(sourcesBelow)))
      .flat()
      .filter((source) => !isOther(source));
    const reasons = sources.flatMap(({ text }) =>
      [...text.matchAll(/\b(?:reason|\w+Reason)(?:: | = )'([A-Z][^']+\.)'/g)].map(
        ([, reason = '']) => reason,
      ),
    );
    expect(reasons.length).toBeGreaterThan(15);
    expect(reasons.filter((reason) => hebrewReason(reason) === null)).toEqual([]);
  });
});
