/**
 * Lays out one service for its image: the workspace and those that it depends on, as built, with production dependencies and
 * nothing else. `node deploy/pack-service.mjs issuing /packed`; the workspaces must be built before.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [service, target] = process.argv.slice(2);
if (!service || !target) {
  throw new Error('usage: node deploy/pack-service.mjs SERVICE FOLDER');
}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** The folders of the workspaces by the names of their packages. */
const workspaces = new Map(
  ['packages', 'services']
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => [readJson(join(root, folder, 'package.json')).name, folder]),
);

/** The folders of a workspace and of those that it depends on at run time. */
function runtimeFolders(name, found = new Set()) {
  const folder = workspaces.get(name);
  if (folder === undefined) {
    throw new Error(`no workspace is named ${name}`);
  }
  found.add(folder);
  for (const dependency of Object.keys(readJson(join(root, folder, 'package.json')).dependencies ?? {})) {
    if (workspaces.has(dependency) && !found.has(workspaces.get(dependency))) {
      runtimeFolders(dependency, found);
    }
  }
  return found;
}

function npm(...args) {
  execFileSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: target,
    stdio: 'inherit',
  });
}

/** The image has the packages of the repository's lock file, byte for byte. */
function expectSamePackages({ packages: locked }, { packages: packed }) {
  const wanted = new Map(
    Object.entries(locked).map(([path, { version, integrity }]) => [`${nameIn(path)}@${version}`, integrity]),
  );
  for (const [path, { version, integrity, link }] of Object.entries(packed)) {
    const name = `${nameIn(path)}@${version}`;
    if (path.includes('node_modules/') && !link && (!integrity || wanted.get(name) !== integrity)) {
      throw new Error(
        `${name} is not the package of package-lock.json: run npm install, and commit the lock file`,
      );
    }
  }
}

const nameIn = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

const folders = [...runtimeFolders(`@pinkas/${service}`)];
mkdirSync(target, { recursive: true });
for (const file of ['package-lock.json', '.npmrc']) {
  cpSync(join(root, file), join(target, file));
}
writeJson(join(target, 'package.json'), {
  ...readJson(join(root, 'package.json')),
  workspaces: folders,
  devDependencies: {},
});
for (const folder of folders) {
  const { devDependencies: _, ...manifest } = readJson(join(root, folder, 'package.json'));
  mkdirSync(join(target, folder), { recursive: true });
  writeJson(join(target, folder, 'package.json'), manifest);
  cpSync(join(root, folder, 'dist'), join(target, folder, 'dist'), { recursive: true });
}
// The commands of the workspace, for the PATH of its image.
const [folder] = folders;
for (const [name, program] of Object.entries(readJson(join(root, folder, 'package.json')).bin ?? {})) {
  mkdirSync(join(target, 'bin'), { recursive: true });
  const path = `"$(dirname "$(readlink -f "$0")")/../${join(folder, program)}"`;
  writeFileSync(join(target, 'bin', name), `#!/bin/sh\nexec node --enable-source-maps ${path} "$@"\n`, {
    mode: 0o755,
  });
}
// Removes the other workspaces and their packages from the lock file. It has every version, so no registry is needed.
npm('install', '--package-lock-only', '--offline');
expectSamePackages(readJson(join(root, 'package-lock.json')), readJson(join(target, 'package-lock.json')));
npm('ci', '--omit=dev', '--prefer-offline');
