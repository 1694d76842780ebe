import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { killPointNames } from '../faults/engine/kill-points.js';
import { kinds } from '../faults/schedules/drawn.js';
import { repositoryRoot, sourcesBelow } from '../harness/sources.js';

const rowCounts = { F: 50, S: 38 };

interface Row {
  id: string;
  tests: string[];
  inStorm: string[];
  outOfReach: string;
}

describe('docs/faults.md', () => {
  let rows: Row[];
  let sources: string;
  beforeAll(async () => {
    const text = await readFile(join(repositoryRoot, 'docs/faults.md'), 'utf8');
    rows = [...text.matchAll(/^\| ([FS]\d+) \|(.*)\|$/gm)].map(([, id = '', cells = '']) => {
      const [, tests = '', inStorm = '', outOfReach = ''] = cells.split(' | ');
      return {
        id,
        tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
        inStorm: inStorm
          .split(',')
          .map((kind) => kind.trim())
          .filter(Boolean),
        outOfReach: outOfReach.trim(),
      };
    });
    const folders = ['packages', 'services', 'test'];
    sources = (await Promise.all(folders.map(sourcesBelow)))
      .flat()
      .map(({ text: source }) => source.replaceAll("\\'", "'"))
      .join('\n');
  });

  it('the table has a row for every fault and every attack', () => {
    const ids = Object.entries(rowCounts).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  it('every row names tests that exist, or says why there is none', () => {
    const isTest = (name: string) =>
      ["'", '"', '`'].some((quote) => sources.includes(`${quote}${name}${quote},`));
    expect(
      rows.flatMap(({ id, tests }) => tests.filter((name) => !isTest(name)).map((name) => [id, name])),
    ).toEqual([]);
    expect(rows.filter(({ tests, outOfReach }) => tests.length === 0 && outOfReach === '')).toEqual([]);
  });

  it('the table names the kinds of faults that a storm has, and all of them', () => {
    expect(new Set(rows.flatMap(({ inStorm }) => inStorm))).toEqual(new Set(Object.keys(kinds)));
    const withPoints = rows.filter(({ inStorm }) => inStorm.includes('kill at') && inStorm.length < 10);
    const rowsOfPoints = killPointNames(true).map((name) => name.slice(0, name.indexOf(' ')));
    expect(withPoints.map(({ id }) => id)).toEqual([...new Set(rowsOfPoints)]);
  });
});
