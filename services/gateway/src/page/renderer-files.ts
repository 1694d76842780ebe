/*
 * Where the build leaves the renderer of the reference. The path is the same seen from the sources and from what was built
 * of them.
 */

/** Redoc, as a script for browsers. */
export const rendererFile = new URL('../../dist/page/redoc.standalone.js', import.meta.url);
/** The licences of Redoc's parts, which its script names by this file. */
export const rendererLicenseFile = new URL(
  '../../dist/page/redoc.standalone.js.LICENSE.txt',
  import.meta.url,
);
