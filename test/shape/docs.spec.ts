import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryRoot, sourcesBelow } from '../harness/sources.js';

const adrWordsMax = 300;

interface Manifest {
  name: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
}

const read = (path: string) => readFile(join(repositoryRoot, path), 'utf8');
const readManifest = async (path: string): Promise<Manifest> => JSON.parse(await read(path));

describe('the documentation', () => {
  let files: string[];
  beforeAll(async () => {
    const entries = await readdir(join(repositoryRoot, 'docs'), { recursive: true });
    files = entries.filter((path) => path.endsWith('.md'));
  });

  it('docs/README.md links each file of docs, and nothing that does not exist', async () => {
    const links = [...(await read('docs/README.md')).matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) =>
      normalize(path),
    );
    expect(links.filter((path) => !existsSync(join(repositoryRoot, 'docs', path)))).toEqual([]);
    expect(files.filter((path) => path !== 'README.md' && !links.includes(path))).toEqual([]);
  });

  it('only the page about publishing shows a line that fetches a package of ours from a registry', async () => {
    const readmes = [
      'README.md',
      'packages/client/README.md',
      'packages/client-php/README.md',
      'packages/mcp/README.md',
    ];
    const pages = [...readmes, ...files.map((path) => `docs/${path}`)];
    const fetching = /\b(?:npm (?:i|install|add|exec)|npx|yarn|pnpm)\b[^`\n]*\s@pinkas\//;
    const found = await Promise.all(pages.map(async (path) => fetching.test(await read(path)) && path));
    expect(found.filter(Boolean)).toEqual(['docs/operating/publishing.md']);
  });

  it('each decision in docs/README.md is marked as a rule or as history', async () => {
    const rows = (await read('docs/README.md')).matchAll(/^\| \[(\d{4})\]\(.*\) \|.*\| (.*) \|$/gm);
    const marks = new Map([...rows].map(([, number, mark]) => [number, mark]));
    const numbers = files.filter((path) => path.startsWith('adr/')).map((path) => path.slice(4, 8));
    expect(numbers.filter((number) => !/^(rule|history)$/.test(marks.get(number) ?? ''))).toEqual([]);
  });

  it(`a decision has at most ${adrWordsMax} words`, async () => {
    const adrs = files.filter((path) => path.startsWith('adr/'));
    expect(adrs.length).toBeGreaterThan(40);
    const lengths = await Promise.all(
      adrs.map(async (path) => {
        const words = (await read(`docs/${path}`)).split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
        return { path, words: words.length };
      }),
    );
    expect(lengths.filter(({ words }) => words > adrWordsMax)).toEqual([]);
  });

  it('CONTRIBUTING.md lists each script of package.json, and no other', async () => {
    const rows = (await read('CONTRIBUTING.md')).match(/^\| `npm run …`.*\n(?:\|.*\n)+/m)?.[0] ?? '';
    const listed = [...rows.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([a-z:]+)`/g)].map(([, name = '']) => name),
    );
    const { scripts = {} } = await readManifest('package.json');
    expect(listed.toSorted()).toEqual(Object.keys(scripts).toSorted());
  });

  it('the picture in ARCHITECTURE.md shows the dependencies of the packages', async () => {
    const dependencies = await workspaceDependencies();
    const picture = (await read('ARCHITECTURE.md')).match(/```mermaid\n.*\n([^`]+)```/)?.[1] ?? '';
    const drawn = picture.split('\n').flatMap((line) => {
      const [from = [], to = []] = line
        .split('-->')
        .map((side) => side.split('&').map((name) => name.trim()));
      return from.flatMap((source) => to.map((target) => `${source} --> ${target}`));
    });
    const reachable = (name: string): string[] =>
      (dependencies.get(name) ?? []).flatMap((next) => [next, ...reachable(next)]);
    const needed = [...dependencies].flatMap(([name, direct]) => {
      const implied = new Set(direct.flatMap(reachable));
      return direct.filter((next) => !implied.has(next)).map((next) => `${name} --> ${next}`);
    });
    expect(drawn.toSorted()).toEqual(needed.toSorted());
    expect([...dependencies.keys()].filter((name) => !new RegExp(`\\b${name}\\b`).test(picture))).toEqual([]);
  });

  it('the map of README.md names each folder of packages', async () => {
    const map = (await read('README.md')).match(/^\| folder \|.*\n(?:\|.*\n)+/m)?.[0] ?? '';
    const folders = ['packages', 'packages/tools'].map(async (parent) =>
      (await readdir(join(repositoryRoot, parent))).map((name) => `${parent}/${name}`),
    );
    const packages = (await Promise.all(folders))
      .flat()
      .filter((folder) => existsSync(join(repositoryRoot, folder, 'src')));
    expect(packages.length).toBeGreaterThan(10);
    expect(packages.filter((folder) => !map.includes(`\`${folder}\``))).toEqual([]);
  });

  it('each workspace is in one ring', async () => {
    const rows = (await read('ARCHITECTURE.md')).match(/^\| (?:core|around it|tools) \|.*$/gm) ?? [];
    const named = rows.flatMap((row) => [...row.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name));
    expect(rows).toHaveLength(3);
    const workspaces = [...(await workspaceDependencies()).keys(), 'test'];
    expect(named.toSorted()).toEqual(workspaces.toSorted());
  });

  it('the core has at most 28 concepts, each with one name, and the names of code in their sentences exist', async () => {
    const page = await read('docs/rings/core.md');
    const concepts = page.split(/^(?=\d+\. )/m).slice(1);
    expect(concepts.length).toBeLessThanOrEqual(28);
    expect(concepts.filter((text) => text.match(/^\d+\. [^*.]*\*\*[a-z A-Z]+\*\*[^*]*/g) === null)).toEqual(
      [],
    );
    expect(page.match(/(?<!\*)\*(?!\*)[^*\n]+\*(?!\*)/g) ?? []).toEqual([]);
    const sources = (await Promise.all(['packages', 'services'].map(sourcesBelow)))
      .flat()
      .filter(({ path }) => /\/src\//.test(path) && !path.endsWith('.spec.ts'));
    const words = new Set(sources.flatMap(({ text }) => text.match(/\w+/g) ?? []));
    const names = [...page.matchAll(/`@?([A-Za-z_]+)(?:\(\w+\))?`/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !words.has(name))).toEqual([]);
  });
});

/** The names of all packages and services, each with those that it depends on at run time. */
async function workspaceDependencies(): Promise<Map<string, string[]>> {
  const prefix = '@pinkas/';
  const folders = await Promise.all(
    ['packages', 'packages/tools', 'services'].map(async (parent) =>
      (await readdir(join(repositoryRoot, parent)))
        .map((name) => `${parent}/${name}/package.json`)
        // A folder that only has what was built is left of a workspace that was moved.
        .filter((manifest) => existsSync(join(repositoryRoot, manifest))),
    ),
  );
  const manifests = await Promise.all(folders.flat().map(readManifest));
  return new Map(
    manifests.map(({ name, dependencies = {} }) => [
      name.slice(prefix.length),
      Object.keys(dependencies)
        .filter((dependency) => dependency.startsWith(prefix))
        .map((dependency) => dependency.slice(prefix.length)),
    ]),
  );
}
