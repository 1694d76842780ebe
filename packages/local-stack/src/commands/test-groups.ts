import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../config.js';

/** As many files as keep a group shorter than the longest test of the whole system. */
const filesMax = 9;
/** A hook or a test outside of `describe` would be one of all files of a group. */
const isStandalone = (text: string): boolean => /^(?:(?:before|after)(?:All|Each)|it)\b/m.test(text);

/**
 * Writes `test/groups/N.int.spec.ts` into every workspace: each runs several integration test files as one. Jest loads the modules
 * of a service again for each test file, which takes as long as its tests.
 * @returns the paths of the files that are in a group, which need not run by themselves.
 */
export async function writeTestGroups(): Promise<string[]> {
  const grouped: string[] = [];
  for (const parent of ['packages', 'services']) {
    for (const workspace of await readdir(join(repositoryRoot, parent))) {
      grouped.push(...(await writeGroupsOf(`${parent}/${workspace}/test`)));
    }
  }
  return grouped;
}

/** @param tests the folder of a workspace's tests, from the root of the clone. */
async function writeGroupsOf(tests: string): Promise<string[]> {
  const folder = join(repositoryRoot, tests);
  const groups = join(folder, 'groups');
  await rm(groups, { recursive: true, force: true });
  const entries = await readdir(folder).catch(() => []);
  const files = entries.filter((name) => name.endsWith('.int.spec.ts'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const members = files.filter((_name, index) => !isStandalone(texts[index] as string));
  const count = Math.ceil(members.length / filesMax);
  // As in a deal of cards, so that no group has all the large files.
  for (let group = 0; group < count; group += 1) {
    const imports = members
      .filter((_name, index) => index % count === group)
      .map((name) => `import '../${name.replace(/\.ts$/, '.js')}';\n`);
    await mkdir(groups, { recursive: true });
    await writeFile(join(groups, `${group + 1}.int.spec.ts`), imports.join(''));
  }
  return members.map((name) => `/${tests}/${name}`);
}
