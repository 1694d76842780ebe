import { type CleanLogo, LogoRefused, logoBytesMax } from './logo.js';
import { cleanPng } from './png.js';
import { cleanSvg } from './svg.js';

const dataAddress = /^data:(image\/png|image\/svg\+xml);base64,([A-Za-z0-9+/]*={0,2})$/;

/**
 * Reads a picture from its `data:` address, and makes it anew from what is known to be harmless.
 * @throws LogoRefused in words for the operator.
 */
export function readLogo(address: string): CleanLogo {
  const [, mediaType, base64 = ''] = dataAddress.exec(address) ?? [];
  if (mediaType === undefined) {
    throw new LogoRefused('must be data:image/png;base64,… or data:image/svg+xml;base64,…');
  }
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > logoBytesMax) throw new LogoRefused(`must have at most ${logoBytesMax / 1024} KB`);
  return mediaType === 'image/png' ? cleanPng(bytes) : cleanSvg(bytes);
}
