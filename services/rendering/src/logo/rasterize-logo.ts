import sharp from 'sharp';
import { InvalidLogoError, type LogoFormat, type StoredLogo, type UploadedLogo } from './logo.js';

/** The logo's box (`sheetStyle`) at 3 pixels per CSS pixel on a page, which is 379 dpi on paper. */
const box = { width: 800, height: 230 } as const;
/** Four bytes of memory each while a file is decoded. */
const inputPixelsMax = 4_000_000;
/** The longer side is at most so many times the shorter. */
const ratioMax = 20;
/** A logo whose darkest point on white paper is lighter than this leaves a hole there: it is one for dark pages. */
const darkestMax = 240;
/** At this density a unit of an SVG is one pixel. */
const unitDensity = 72;

const formatNames: Readonly<Record<LogoFormat, string>> = { png: 'a PNG file', svg: 'an SVG file' };
/** gzip, which would make 64 KB of SVG a thousand times as long. */
const gzipMagic = Buffer.from([0x1f, 0x8b]);

// libvips reads forty formats; these two are accepted.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadPng', 'VipsForeignLoadSvgBuffer'] });
sharp.cache(false);
sharp.concurrency(1);

/**
 * Draws a PNG or SVG file into pixels within the logo's box: sRGB with transparency, metadata dropped. A PNG is never enlarged.
 * There is no time limit: a hostile SVG may take minutes, see `LogoRasterizer`.
 * @throws InvalidLogoError
 */
export async function rasterizeLogo({ format, bytes }: UploadedLogo): Promise<StoredLogo> {
  const { width, height } = await sizeOf(format, bytes);
  // An SVG is drawn at the size that it is shown in; a smaller density keeps a large coordinate system within the limit.
  const scale = Math.min(1, box.width / width, box.height / height);
  const density = format === 'svg' ? Math.max(1, unitDensity * scale) : unitDensity;
  const image = sharp(bytes, { limitInputPixels: inputPixelsMax, failOn: 'warning', density })
    .resize({ ...box, fit: 'inside', withoutEnlargement: format === 'png' })
    .toColourspace('srgb');
  const { data, info } = await image
    .png({ compressionLevel: 9 })
    .toBuffer({ resolveWithObject: true })
    .catch((error: unknown) => {
      throw new InvalidLogoError(`is ${formatNames[format]} that cannot be read`, { cause: error });
    });
  await checkVisible(data);
  return { mediaType: 'image/png', bytes: data, width: info.width, height: info.height };
}

/** Reads the header only. */
async function sizeOf(format: LogoFormat, bytes: Buffer): Promise<{ width: number; height: number }> {
  if (bytes.length === 0) {
    throw new InvalidLogoError('is empty');
  }
  if (bytes.subarray(0, gzipMagic.length).equals(gzipMagic)) {
    throw new InvalidLogoError('must not be compressed');
  }
  const header = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      const reason = (error as Error).message.includes('bad dimensions')
        ? 'must have a width and a height of at least 1'
        : `is not ${formatNames[format]}, or it is damaged`;
      throw new InvalidLogoError(reason, { cause: error });
    });
  if (header.format !== format) {
    throw new InvalidLogoError(`is not ${formatNames[format]}`);
  }
  const { width, height } = header;
  if (Math.max(width / height, height / width) > ratioMax) {
    throw new InvalidLogoError(`must not be more than ${ratioMax} times as long as it is wide`);
  }
  if (format === 'png' && width * height > inputPixelsMax) {
    throw new InvalidLogoError('must have at most 4,000,000 pixels, such as 4000 × 1000 or 2000 × 2000');
  }
  return { width, height };
}

async function checkVisible(png: Buffer): Promise<void> {
  const { channels } = await sharp(png).ensureAlpha().stats();
  if (channels[3]?.max === 0) {
    throw new InvalidLogoError('shows nothing');
  }
  // Statistics are of the picture as it is, without what is done to it.
  const onPaper = await sharp(png).flatten({ background: '#ffffff' }).greyscale().png().toBuffer();
  const [grey] = (await sharp(onPaper).stats()).channels;
  if ((grey?.min ?? 0) > darkestMax) {
    throw new InvalidLogoError('is white on white paper: use the one for light pages');
  }
}
