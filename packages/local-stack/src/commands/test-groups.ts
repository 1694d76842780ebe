import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../config.js';

/** A hook or a test outside of `describe` would be one of all files of a group. */
const isStandalone = (text: string): boolean => /^(?:(?:before|after)(?:All|Each)|it)\b/m.test(text);

/** These wait for other programs for most of their time, while other files have the machine. */
const mostlyWaiting = /^test\/shape\/(?:nats-routes|supply-chain)\.spec\.ts$/;

interface Kind {
  /** The paths of its files, from the workspace. */
  readonly pattern: RegExp;
  /** As many files as keep a group shorter than the longest test of the whole system. */
  readonly filesMax: number;
  /** The name of a group, by its number. */
  readonly nameOf: (group: number) => string;
}

const kinds: readonly Kind[] = [
  { pattern: /^test\/[^/]+\.int\.spec\.ts$/, filesMax: 9, nameOf: (group) => `${group}.int.spec.ts` },
  {
    pattern: /^(?:src|test)\/(?:.+\/)?[^/.]+(?:\.properties)?\.spec\.ts$/,
    filesMax: 30,
    nameOf: (group) => `unit-${group}.spec.ts`,
  },
];

/**
 * Writes `test/groups/N.int.spec.ts` and `test/groups/unit-N.spec.ts` into every workspace and, for the tests of the whole
 * repository, into its root: each runs several test files as one.
 * Jest loads the modules of a service again for each test file, which takes as long as its tests.
 * @returns the paths of the files that are in a group, which need not run by themselves.
 */
export async function writeTestGroups(): Promise<string[]> {
  const grouped = await writeGroupsOf('');
  for (const parent of ['packages', 'services']) {
    for (const name of await readdir(join(repositoryRoot, parent))) {
      grouped.push(...(await writeGroupsOf(`${parent}/${name}`)));
    }
  }
  return grouped;
}

/** @param workspace its path from the root of the clone, which is itself one: its path is empty. */
async function writeGroupsOf(workspace: string): Promise<string[]> {
  const groups = join(repositoryRoot, workspace, 'test/groups');
  await rm(groups, { recursive: true, force: true });
  const files = [...(await filesOf(workspace, 'src')), ...(await filesOf(workspace, 'test'))].sort();
  const texts = await Promise.all(
    files.map((path) => readFile(join(repositoryRoot, workspace, path), 'utf8')),
  );
  const candidates = files.filter(
    (path, index) => !isStandalone(texts[index] as string) && !(workspace === '' && mostlyWaiting.test(path)),
  );
  const grouped: string[] = [];
  for (const { pattern, filesMax, nameOf } of kinds) {
    const members = candidates.filter((path) => pattern.test(path));
    const count = Math.ceil(members.length / filesMax);
    // As in a deal of cards, so that no group has all the large files.
    for (let group = 0; group < count; group += 1) {
      const imports = members
        .filter((_path, index) => index % count === group)
        .map((path) => `import '../../${path.replace(/\.ts$/, '.js')}';\n`);
      await mkdir(groups, { recursive: true });
      await writeFile(join(groups, nameOf(group + 1)), imports.join(''));
    }
    grouped.push(...members);
  }
  return grouped.map((path) => `/${join(workspace, path)}`);
}

/** The test files below a folder of a workspace, from the workspace. */
async function filesOf(workspace: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(repositoryRoot, workspace, folder), { recursive: true }).catch(() => []);
  return entries.filter((path) => path.endsWith('.spec.ts')).map((path) => `${folder}/${path}`);
}
