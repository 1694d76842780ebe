import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { RefusalError } from '../builder/usage-error.js';

const mediaTypes: Readonly<Record<string, string>> = { '.png': 'image/png', '.svg': 'image/svg+xml' };
/** A first bound; rendering checks the exact one. */
const bytesMax = 64 * 1024;

/**
 * Replaces the path in `logo` by the content of the file. The path is relative to the settings' file; a `data:` URL is left
 * unchanged.
 * @param settingsName the settings' file, or `-`.
 * @throws RefusalError when the file cannot be read, or is not an image.
 */
export async function withLogo(settings: object, settingsName: string): Promise<object> {
  const { logo } = settings as { logo?: unknown };
  if (typeof logo !== 'string' || logo.startsWith('data:')) {
    return settings;
  }
  const mediaType = mediaTypes[extname(logo).toLowerCase()];
  if (mediaType === undefined) {
    throw new RefusalError(`logo must name a file that ends in .png or .svg: ${logo}`);
  }
  const path = resolve(settingsName === '-' ? '.' : dirname(settingsName), logo);
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new RefusalError(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (bytes.length > bytesMax) {
    throw new RefusalError(`${path} is too large: a logo has at most ${bytesMax / 1024} KB`);
  }
  return { ...settings, logo: `data:${mediaType};base64,${bytes.toString('base64')}` };
}
