import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** A file of the documentation pages. Its name contains its hash, so its content never changes. */
export interface DocsAsset {
  readonly name: string;
  readonly contentType: string;
  readonly plain: AssetForm;
  readonly gzipped: AssetForm;
}

/** The bytes of an asset in one content coding. */
export interface AssetForm {
  /** A strong entity tag; each coding has its own (RFC 9110, 8.8.3.3). */
  readonly tag: string;
  readonly body: Buffer;
}

/**
 * Creates an asset.
 * @param fileName such as `redoc.js`; the asset is named `redoc.<hash>.js`.
 */
export async function docsAsset(fileName: string, contentType: string, content: string): Promise<DocsAsset> {
  const body = Buffer.from(content);
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  const point = fileName.lastIndexOf('.');
  return {
    name: `${fileName.slice(0, point)}.${hash}${fileName.slice(point)}`,
    contentType,
    plain: { tag: `"${hash}"`, body },
    gzipped: { tag: `"${hash}-gzip"`, body: await compress(body, { level: 9 }) },
  };
}
