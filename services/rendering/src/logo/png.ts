import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { type CleanLogo, checkSides, LogoRefused } from './logo.js';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** A printer keeps a picture pixel by pixel: with so many, the largest PDF stays far below what is taken of one. */
const pixelsMax = 250_000;

/** Channels of a pixel and the bits that each may have, by colour type (PNG, 11.2.1). */
const colourTypes: Readonly<Record<number, { channels: number; depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};

/** The seven passes of an interlaced picture: where each begins, and its steps (PNG, 8.2). */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function readChunks(bytes: Buffer): Chunk[] {
  if (!bytes.subarray(0, 8).equals(signature)) throw new LogoRefused('is no PNG file');
  const chunks: Chunk[] = [];
  let at = 8;
  while (at < bytes.length) {
    const end = at + 12 + (at + 8 <= bytes.length ? bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY);
    if (end > bytes.length) throw new LogoRefused('is a PNG file that is cut short');
    const typed = bytes.subarray(at + 4, end - 4);
    if (crc32(typed) !== bytes.readUInt32BE(end - 4)) throw new LogoRefused('is a damaged PNG file');
    chunks.push({ type: typed.subarray(0, 4).toString('latin1'), data: typed.subarray(4) });
    at = end;
    if (chunks.at(-1)?.type === 'IEND') break;
  }
  return chunks;
}

function writeChunk({ type, data }: Chunk): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([frame.subarray(0, 4), typed, frame.subarray(4)]);
}

/** The rows of a picture with the bytes that each takes, its filter not counted. */
function rowsOf(width: number, height: number, bitsPerPixel: number, interlaced: boolean): number[] {
  const parts = interlaced
    ? passes.map(([x, y, dx, dy]) => [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)] as const)
    : [[width, height] as const];
  return parts
    .filter(([columns, rows]) => columns > 0 && rows > 0)
    .flatMap(([columns, rows]) =>
      Array.from({ length: rows }, () => Math.ceil((columns * bitsPerPixel) / 8)),
    );
}

/**
 * A PNG file made anew of its pixels alone: texts, profiles, animations and whatever else rode along are gone, and what is
 * behind its end.
 * @throws LogoRefused when it is not a whole and valid picture within the bounds.
 */
export function cleanPng(bytes: Buffer): CleanLogo {
  const chunks = readChunks(bytes);
  const [header] = chunks;
  if (header?.type !== 'IHDR' || header.data.length !== 13) throw new LogoRefused('is no PNG file');
  if (chunks.at(-1)?.type !== 'IEND') throw new LogoRefused('is a PNG file that is cut short');
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const [depth = 0, colourType = 0, compression, filter, interlace = 0] = header.data.subarray(8);
  const kind = colourTypes[colourType];
  if (!kind?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) {
    throw new LogoRefused('is no PNG file that can be read');
  }
  checkSides(width, height);
  if (width * height > pixelsMax) {
    throw new LogoRefused('must have at most 250,000 pixels, such as 1000 × 250 or 500 × 500');
  }
  const only = (type: string) => chunks.filter((chunk) => chunk.type === type);
  const [palette, secondPalette] = only('PLTE');
  const [transparency, secondTransparency] = only('tRNS');
  const paletteFits = palette
    ? palette.data.length % 3 === 0 && palette.data.length <= 768 && palette.data.length > 0
    : colourType !== 3;
  if (!paletteFits || secondPalette || secondTransparency || (transparency?.data.length ?? 0) > 256) {
    throw new LogoRefused('is a damaged PNG file');
  }
  const rows = rowsOf(width, height, kind.channels * depth, interlace === 1);
  const length = rows.reduce((sum, row) => sum + row + 1, 0);
  let pixels: Buffer;
  try {
    pixels = inflateSync(Buffer.concat(only('IDAT').map(({ data }) => data)), { maxOutputLength: length });
  } catch {
    throw new LogoRefused('is a damaged PNG file');
  }
  let at = 0;
  const filtersAreKnown = rows.every((row) => {
    const known = (pixels[at] ?? 255) <= 4;
    at += row + 1;
    return known;
  });
  if (pixels.length !== length || !filtersAreKnown) throw new LogoRefused('is a damaged PNG file');
  const clean: Chunk[] = [
    header,
    ...(palette ? [palette] : []),
    ...(transparency ? [transparency] : []),
    { type: 'IDAT', data: deflateSync(pixels, { level: 9 }) },
    { type: 'IEND', data: Buffer.alloc(0) },
  ];
  return {
    mediaType: 'image/png',
    bytes: Buffer.concat([signature, ...clean.map(writeChunk)]),
    width,
    height,
  };
}
