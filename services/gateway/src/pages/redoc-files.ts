// Where the build puts Redoc. The path is the same from the sources and from the build output.

/** Redoc, as a script for browsers. */
export const redocFile = new URL('../../dist/pages/redoc.standalone.js', import.meta.url);
/** The licences of Redoc's parts; its script refers to this file. */
export const redocLicenseFile = new URL('../../dist/pages/redoc.standalone.js.LICENSE.txt', import.meta.url);
