/** Where the build leaves the assets. The path is the same seen from the sources and from what was built of them. */
export const assetFolder = new URL('../../dist/assets/files/', import.meta.url);
