import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { rendererFile, rendererLicenseFile } from './renderer-files.js';

/*
 * The last step of the build. Redoc is one script that runs in the browser; copied beside the program, neither it nor the
 * hundred packages below it have to be installed where the gateway runs.
 */
const { resolve } = createRequire(import.meta.url);

/** Redoc asks its maker's host for a picture of five lines at the foot of the menu. Nothing here asks another host. */
const picture = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const nothing = 'data:,';

const script = await readFile(resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
if (script.split(picture).length !== 2) throw new Error(`Redoc no longer names ${picture} once: look again`);
await writeFile(rendererFile, script.replace(picture, nothing));
await copyFile(resolve('redoc/bundles/redoc.standalone.js.LICENSE.txt'), rendererLicenseFile);
