import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { redocFile, redocLicenseFile } from './redoc-files.js';

/*
 * The last part of the build. Redoc is one script that runs in the browser; with a copy in the build output, its hundred
 * packages need not be installed where the gateway runs.
 */
const { resolve } = createRequire(import.meta.url);

/** Redoc loads a logo from its maker's host; the pages load nothing from another host. */
const logoUrl = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const emptyUrl = 'data:,';

const script = await readFile(resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
if (script.split(logoUrl).length !== 2) {
  throw new Error(`Redoc does not contain ${logoUrl} exactly once: adapt copy-redoc.ts`);
}
await writeFile(redocFile, script.replace(logoUrl, emptyUrl));
await copyFile(resolve('redoc/bundles/redoc.standalone.js.LICENSE.txt'), redocLicenseFile);
