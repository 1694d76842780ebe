/**
 * Lays out one service for its image: the workspace and those that it is made of, as built, with production dependencies and
 * nothing else. `node deploy/pack-service.mjs issuing /packed`; the workspaces are built before.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [service, target] = process.argv.slice(2);
if (!service || !target) throw new Error('usage: node deploy/pack-service.mjs SERVICE FOLDER');

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** The workspaces by the name of their package. */
const workspaces = new Map(
  ['packages', 'services']
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => [readJson(join(root, folder, 'package.json')).name, folder]),
);

/** The workspace and what it needs of the others when it runs. */
function needed(name, found = new Set()) {
  const folder = workspaces.get(name);
  if (folder === undefined) throw new Error(`there is no workspace ${name}`);
  found.add(folder);
  for (const dependency of Object.keys(readJson(join(root, folder, 'package.json')).dependencies ?? {})) {
    if (workspaces.has(dependency) && !found.has(workspaces.get(dependency))) needed(dependency, found);
  }
  return found;
}

const folders = [...needed(`@pinkas/${service}`)];
mkdirSync(target, { recursive: true });
for (const file of ['package-lock.json', '.npmrc']) cpSync(join(root, file), join(target, file));
// Only these workspaces: npm then links no other, and installs nothing of theirs.
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify({ ...readJson(join(root, 'package.json')), workspaces: folders, devDependencies: {} }, null, 2)}\n`,
);
for (const folder of folders) {
  const { devDependencies: _, ...manifest } = readJson(join(root, folder, 'package.json'));
  mkdirSync(join(target, folder), { recursive: true });
  writeFileSync(join(target, folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, folder, 'dist'), join(target, folder, 'dist'), { recursive: true });
}
// Not `npm ci`: the lock file speaks of more workspaces than are here. What it locks is installed all the same.
execFileSync(
  'npm',
  ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--offline=false'],
  {
    cwd: target,
    stdio: 'inherit',
  },
);
