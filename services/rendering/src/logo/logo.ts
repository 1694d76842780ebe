/** What is taken, as it is kept: cleaned, and only what is known to draw. */
export interface CleanLogo {
  readonly mediaType: 'image/png' | 'image/svg+xml';
  readonly bytes: Buffer;
  /** Pixels, or the units of the drawing; only their ratio counts where it is shown. */
  readonly width: number;
  readonly height: number;
}

/** Why a picture is not taken, in words that follow `logo` in a sentence. */
export class LogoRefused extends Error {
  override readonly name = 'LogoRefused';
}

/** A file's bytes at the most. It is printed in every PDF of its business. */
export const logoBytesMax = 64 * 1024;

/** Neither a line nor a needle: the longer side is at most so many times the shorter. */
const ratioMax = 20;

/** @throws LogoRefused when the sides are no picture's. */
export function checkSides(width: number, height: number): void {
  if (!(width > 0 && height > 0 && Number.isFinite(width) && Number.isFinite(height))) {
    throw new LogoRefused('must have a width and a height');
  }
  if (Math.max(width / height, height / width) > ratioMax) {
    throw new LogoRefused(`must not be more than ${ratioMax} times as long as it is wide`);
  }
}
