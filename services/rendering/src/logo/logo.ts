/** The business's picture, as a page can show it: it carries its bytes, and nothing is fetched for it. */
export interface SheetLogo {
  /** A `data:` address. */
  readonly address: string;
  /** In its own units; only their ratio counts. */
  readonly width: number;
  readonly height: number;
}

/** A logo as it is stored and shown: pixels that this service encoded, never the uploaded file. */
export interface StoredLogo {
  readonly mediaType: 'image/png';
  readonly bytes: Buffer;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

export type LogoFormat = 'png' | 'svg';

/** An uploaded file that is not yet decoded. */
export interface UploadedLogo {
  readonly format: LogoFormat;
  readonly bytes: Buffer;
}

/** The logo is rejected. The message is the rest of a sentence that begins with `logo`. */
export class InvalidLogoError extends Error {
  override readonly name = 'InvalidLogoError';
}

/** The size limit of an uploaded file. */
const logoBytesMax = 64 * 1024;

const dataUrl = /^data:image\/(png|svg\+xml);base64,([A-Za-z0-9+/]*={0,2})$/;

/**
 * Decodes a `data:` URL; the file in it may be anything.
 * @throws InvalidLogoError
 */
export function parseLogoUrl(url: string): UploadedLogo {
  const [, subtype, base64 = ''] = dataUrl.exec(url) ?? [];
  if (subtype === undefined) {
    throw new InvalidLogoError('must be data:image/png;base64,… or data:image/svg+xml;base64,…');
  }
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > logoBytesMax) {
    throw new InvalidLogoError(`must have at most ${logoBytesMax / 1024} KB`);
  }
  return { format: subtype === 'png' ? 'png' : 'svg', bytes };
}
