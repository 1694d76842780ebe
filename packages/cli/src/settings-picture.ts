import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { Refusal } from './refusal.js';

const mediaTypes: Readonly<Record<string, string>> = { '.png': 'image/png', '.svg': 'image/svg+xml' };
/** More than any picture that is taken; the service that keeps it knows the true bound. */
const bytesMax = 64 * 1024;

/**
 * The settings of a business with the file that `logo` names in its place. A path counts from the settings' own file; what
 * is a `data:` address already stays as it is.
 * @param settingsName the settings' file, or `-`.
 * @throws Refusal when the file cannot be read, or is no picture.
 */
export async function withPicture(settings: object, settingsName: string): Promise<object> {
  const { logo } = settings as { logo?: unknown };
  if (typeof logo !== 'string' || logo.startsWith('data:')) return settings;
  const mediaType = mediaTypes[extname(logo).toLowerCase()];
  if (mediaType === undefined) throw new Refusal(`logo must name a file that ends in .png or .svg: ${logo}`);
  const path = resolve(settingsName === '-' ? '.' : dirname(settingsName), logo);
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new Refusal(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (bytes.length > bytesMax)
    throw new Refusal(`${path} is too large: a logo has at most ${bytesMax / 1024} KB`);
  return { ...settings, logo: `data:${mediaType};base64,${bytes.toString('base64')}` };
}
