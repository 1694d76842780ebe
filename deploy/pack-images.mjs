/**
 * Lays out the images below a folder, each as its container has it below `/app`: `node deploy/pack-images.mjs /packed` all of them,
 * `node deploy/pack-images.mjs /packed issuing` one. The workspaces must be built before.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [target, ...names] = process.argv.slice(2);
if (!target) {
  throw new Error('usage: node deploy/pack-images.mjs FOLDER [NAME...]');
}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** The folders of the workspaces by the names of their packages. */
const workspaces = new Map(
  ['packages', 'packages/tools', 'services']
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

const npm = (cwd, ...args) =>
  execFileSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd,
    maxBuffer: 1024 ** 3,
  });

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

/**
 * Writes a manifest, and the part of the repository's lock file that belongs to it. The lock has every version, so no registry is
 * needed.
 */
function lock(folder, manifest) {
  for (const file of ['package-lock.json', '.npmrc']) {
    cpSync(join(root, file), join(folder, file));
  }
  writeJson(join(folder, 'package.json'), manifest);
  npm(folder, 'install', '--package-lock-only', '--offline');
  expectSamePackages(locked, readJson(join(folder, 'package-lock.json')));
}

/** The CycloneDX list of the packages that a program is made of, bundled or not; the same bytes for the same packages. */
function billOfMaterials(folders) {
  const staged = mkdtempSync(join(tmpdir(), 'pinkas-pack-'));
  try {
    for (const folder of folders) {
      const { devDependencies: _, ...manifest } = readJson(join(root, folder, 'package.json'));
      mkdirSync(join(staged, folder), { recursive: true });
      writeJson(join(staged, folder, 'package.json'), manifest);
    }
    lock(staged, { ...rootManifest, workspaces: folders, devDependencies: {} });
    const { serialNumber: _, ...bill } = JSON.parse(
      npm(staged, 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'),
    );
    delete bill.metadata.timestamp;
    // By default that of the folder, which is another each time.
    bill.metadata.component.name = rootManifest.name;
    return bill;
  } finally {
    rmSync(staged, { recursive: true });
  }
}

/** Lays out one image: its programs, the packages that they do not contain, its commands, and what all of it is made of. */
function pack(name) {
  const folders = [...runtimeFolders(`@pinkas/${name}`)];
  const [folder] = folders;
  const { version, bin = {} } = readJson(join(root, folder, 'package.json'));
  const packed = join(target, name);
  cpSync(join(root, folder, 'dist'), join(packed, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.d.ts'),
  });
  const packages = readJson(join(packed, 'dist/bundle/packages.json'));
  const dependencies = packages.map((name) => [name, locked.packages[`node_modules/${name}`].version]);
  const manifest = { name: `pinkas-${name}`, version, private: true, type: 'module' };
  if (dependencies.length === 0) {
    writeJson(join(packed, 'package.json'), manifest);
  } else {
    lock(packed, { ...manifest, dependencies: Object.fromEntries(dependencies) });
    npm(packed, 'ci', '--omit=dev', '--prefer-offline');
  }
  for (const [command, program] of Object.entries(bin)) {
    mkdirSync(join(packed, 'bin'), { recursive: true });
    const path = `"$(dirname "$(readlink -f "$0")")/${join('..', program)}"`;
    writeFileSync(join(packed, 'bin', command), `#!/bin/sh\nexec node --enable-source-maps ${path} "$@"\n`, {
      mode: 0o755,
    });
  }
  writeJson(join(packed, 'sbom.cdx.json'), billOfMaterials(folders));
}

const rootManifest = readJson(join(root, 'package.json'));
const locked = readJson(join(root, 'package-lock.json'));
for (const name of names.length > 0 ? names : [...readdirSync(join(root, 'services')), 'cli']) {
  pack(name);
  process.stdout.write(`${name} packed\n`);
}
