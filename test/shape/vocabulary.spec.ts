import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { repositoryRoot, type Source, sourcesBelow } from '../harness/sources.js';
import { samplesOf } from './metric-names.js';

/** Words that the project does not use, with the word that it uses. */
const replacedWords: Readonly<Record<string, string>> = {
  told: 'report, return or log',
  parked: 'dead-lettered',
  announce: 'publish',
  announces: 'publishes',
  announced: 'published',
  announcement: 'outbox event',
  announcements: 'outbox events',
  sweep: 'reconciler',
  sweeps: 'reconciler',
  swept: 'reconciled',
  anew: 'again',
  mend: 'fix',
  mended: 'fixed',
  whoever: 'the caller',
  whosever: 'any tenant',
  sought: 'requested',
  lapsed: 'expired',
  linger: 'shutdown delay',
  lingers: 'shutdown delay',
  owed: 'pending',
  owes: 'pending',
  bears: 'has or contains',
  borne: 'contained',
  tries: 'attempts',
  colour: 'color',
  colours: 'colors',
};
/** Words of prose that are also names in other senses, so that they are replaced in messages only. */
const replacedInMessages: Readonly<Record<string, string>> = {
  ...replacedWords,
  anybody: 'any caller',
  nobody: 'no process',
  stands: 'is',
  meanwhile: '(leave it out)',
  ours: '(leave it out)',
  press: 'renderer',
  peer: 'service',
  peers: 'services',
};

const isTest = ({ path }: Source) => path.endsWith('.spec.ts') || /(^|\/)test\//.test(path);
const wordsOf = (name: string) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
const wrongWords = (text: string, words: Readonly<Record<string, string>>) =>
  wordsOf(text)
    .filter((word) => Object.hasOwn(words, word))
    .map((word) => `${word} (say: ${words[word]})`);

/** The code without its comments. */
function codeOf(text: string): string {
  return text.replaceAll(
    /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g,
    (part) => (part.startsWith('/') ? ' ' : part),
  );
}

/** The messages of log calls, each with the file that has it. */
function logMessages(sources: readonly Source[]): { path: string; message: string }[] {
  return sources.flatMap(({ path, text }) =>
    [
      ...codeOf(text).matchAll(
        /\blog(?:ger)?\.(?:trace|debug|info|warn|error|fatal)\(\s*(?:[^;]*?,\s*)?(['"`])((?:(?!\1)[^\\]|\\.)*)\1,?\s*\)/g,
      ),
    ].map(([, , message = '']) => ({ path, message })),
  );
}

/** The names of tests, each with the file that has it. */
function testNames(sources: readonly Source[]): { path: string; name: string }[] {
  return sources.flatMap(({ path, text }) =>
    [
      ...codeOf(text).matchAll(
        /(?<![\w.])it(?:\.each(?:\([^`]*?\)|<[^>]*>\([^`]*?\)))?\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1,/g,
      ),
    ].map(([, , name = '']) => ({ path, name })),
  );
}

/** A name that begins with one of these has no subject, and cannot be read alone in a list of failures. */
const verbs =
  /^(is|are|was|has|have|had|does|do|can|cannot|may|will|finds|gives|takes|keeps|reads|writes|refuses|rejects|lets|makes|says|sees|knows|tells|gets|sends|issues|returns|answers|accepts|allows|asks|begins|brings|calls|changes|checks|comes|counts|drops|ends|fails|goes|holds|leaves|looks|loses|names|needs|never|not|passes|prints|puts|runs|serves|shows|starts|stays|stops|stores|throws|turns|uses|waits|works|and|or|but|by|in|of|on|at|for|from|to|with|without|where|while|when|what|whose|who|after|before|also|even|nothing|nobody|those|that|which)\b/;

describe('vocabulary', () => {
  let sources: Source[];
  let production: Source[];
  beforeAll(async () => {
    sources = (await Promise.all(['packages', 'services', 'test'].map(sourcesBelow))).flat();
    production = sources.filter((source) => !isTest(source));
  });

  it('log messages are found in the sources', () => {
    expect(logMessages(production).length).toBeGreaterThan(50);
  });

  it('log messages are lower-case phrases without an article, a full stop or a replaced word', () => {
    const wrong = logMessages(production).flatMap(({ path, message }) => [
      ...(/^(a|an|the|what|there)\b/i.test(message) || /[.:;]/.test(message.replaceAll(/\$\{[^}]*\}/g, ''))
        ? [`${path}: '${message}' is not '<noun> <what happened>'`]
        : []),
      ...(/^[A-Z][a-z]/.test(message) ? [`${path}: '${message}' begins with a capital`] : []),
      ...wrongWords(message, replacedInMessages).map((word) => `${path}: '${message}' has ${word}`),
    ]);
    expect(wrong).toEqual([]);
  });

  it('metric names have no replaced word', async () => {
    const names = [...(await samplesOf(production)).keys()];
    expect(names.length).toBeGreaterThan(50);
    expect(names.flatMap((name) => wrongWords(name, replacedWords))).toEqual([]);
  });

  it('sources and file names have no replaced word', () => {
    const wrong = sources
      .filter(({ path }) => path !== 'test/shape/vocabulary.spec.ts')
      .flatMap(({ path, text }) =>
        [path, ...text.split('\n')].flatMap((line, number) =>
          wrongWords(line, replacedWords).map((word) => `${path}:${number}: ${word}`),
        ),
      );
    expect(wrong).toEqual([]);
  });

  it('a parameter of a lambda is named after what it is, not `one`', () => {
    // Beside `other` it is one of two.
    const wrong = sources.filter(({ text }) => /\(one(?:: [^)=]*)?\) =>|\bone =>/.test(codeOf(text)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('tables and columns have no replaced word', async () => {
    const wrong = await Promise.all(
      [...serviceNames.map((name) => `services/${name}`), 'packages/service-kit'].map(async (folder) => {
        const file = `${folder}/src/db/schema.sql`;
        const text = await readFile(join(repositoryRoot, file), 'utf8');
        return wrongWords(text.replaceAll(/--[^\n]*/g, ''), replacedWords).map((word) => `${file}: ${word}`);
      }),
    );
    expect(wrong.flat()).toEqual([]);
  });

  it('error classes end in Error', () => {
    const wrong = production.flatMap(({ path, text }) =>
      [...text.matchAll(/\bclass (\w+)(?:<[^>]*>)? extends (\w*Error)\b/g)]
        .filter(([, name = '']) => !name.endsWith('Error'))
        .map(([, name]) => `${path}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('test names are sentences with a subject', () => {
    const wrong = testNames(sources)
      .filter(({ name }) => verbs.test(name) || name.trim().split(/\s+/).length < 3)
      .map(({ path, name }) => `${path}: ${name}`);
    expect(wrong).toEqual([]);
  });
});
