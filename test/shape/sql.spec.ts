import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Source, sourcesBelow } from '../harness/sources.js';

/** What puts text into a statement as it is, and the one file that may: the statements of migrations are constants. */
const unescaped = /\bsql\.raw\(/;
const migrationRunner = 'packages/service-kit/src/db/sql-migration.ts';
const insertionOfDocuments = 'services/issuing/src/issue/issue.repository.ts';
/** Literals and identifiers that are not written out where they are used. */
const variableParts =
  /\b(?:sql|eb|query|fn)\.(?:lit|id|ref|table)(?:<[^>(]*>+)?\((?!\s*(?:'[^']*'|\d+|true|false|null)\s*[,)])/;
/** `%`, `_` and backslash of a caller would be wildcards. */
const likePatterns = /\b(?:not\s+)?i?like\s+(?:\$|'|any|all)|'(?:not )?i?like'|\bsimilar\s+to\b/i;

describe('SQL', () => {
  let sources: Source[];
  beforeAll(async () => {
    const all = await Promise.all(['packages', 'services'].map(sourcesBelow));
    sources = all
      .flat()
      .filter(({ path }) => /^[^/]+\/[^/]+\/src\//.test(path) && !path.endsWith('.spec.ts'))
      .filter(({ path }) => !/^packages\/tools\/(?:testkit|simulators)\//.test(path));
  });
  const withMatch = (pattern: RegExp) =>
    sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  it('the patterns find what they look for', () => {
    expect(sources.length).toBeGreaterThan(200);
    for (const code of [
      'sql.lit(name)',
      'query.lit(count + 1)',
      'sql.ref<Row["a"]>(name)',
      'sql.id(table, name)',
    ]) {
      expect([code, variableParts.test(code)]).toEqual([code, true]);
    }
    for (const code of ["sql.ref<Row['a']>('warning')", 'query.lit(0)', "eb.ref('name')"]) {
      expect([code, variableParts.test(code)]).toEqual([code, false]);
    }
    for (const code of ["where('name', 'like', part)", 'name ilike $1', "name not like 'a%'"]) {
      expect([code, likePatterns.test(code)]).toEqual([code, true]);
    }
  });

  it('only migrations are executed as text', () => expect(withMatch(unescaped)).toEqual([migrationRunner]));

  it('only the insertion of documents, which names the columns of its rows, has an identifier from a variable', () =>
    expect(withMatch(variableParts)).toEqual([insertionOfDocuments]));

  it('no statement compares with a LIKE pattern', () => expect(withMatch(likePatterns)).toEqual([]));
});
