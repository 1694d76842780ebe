import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './config.js';
import { type Home, readJson, writeJson } from './home.js';

/** The SHA-256 of each migration, by its path from the root: a migration that has made a database never changes. */
type Migrations = Readonly<Record<string, string>>;

function migrationsNow(): Migrations {
  const folders = readdirSync(join(repositoryRoot, 'services')).map(
    (service) => `services/${service}/src/db`,
  );
  const files = folders
    .filter((folder) => existsSync(join(repositoryRoot, folder)))
    .flatMap((folder) => readdirSync(join(repositoryRoot, folder)).map((name) => `${folder}/${name}`))
    .filter((file) => /\/\d+-[^/]+\.ts$/.test(file));
  files.push('packages/service-kit/src/db/kit-migrations.ts');
  return Object.fromEntries(
    files.map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(join(repositoryRoot, file)))
        .digest('hex'),
    ]),
  );
}

/**
 * Records in a home which migrations make its databases; later ones may be added to them.
 * @throws when it has data that other migrations have made.
 */
export function checkVersion(home: Home, now: Migrations = migrationsNow()): void {
  const before = readJson<Migrations>(home.versionFile);
  const isOther =
    before === null
      ? existsSync(home.secretsFile)
      : Object.entries(before).some(([file, sha256]) => now[file] !== sha256);
  if (isOther) {
    throw new Error(
      `The data in ${home.path} is of another version of Pinkas, which this one cannot read. To start afresh: npm run down && rm -rf '${home.path}' && npm start`,
    );
  }
  writeJson(home.versionFile, now);
}
