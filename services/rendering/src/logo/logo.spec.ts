import { crc32, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { InvalidLogoError, parseLogoUrl } from './logo.js';
import { rasterizeLogo } from './rasterize-logo.js';

const url = (mediaType: string, bytes: string | Buffer) =>
  `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
const svg = (content: string, root = 'viewBox="0 0 40 20"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${root}>${content}</svg>`;
const drawSvg = (text: string | Buffer) => rasterizeLogo({ format: 'svg', bytes: Buffer.from(text) });
const rect = '<rect width="20" height="20" fill="#0b6e4f"/>';
const drawPng = (bytes: Buffer) => rasterizeLogo({ format: 'png', bytes });

/** Red, green, blue and alpha of a pixel. */
async function pixelAt(png: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return [...data.subarray((y * info.width + x) * 4).subarray(0, 4)];
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([frame.subarray(0, 4), typed, frame.subarray(4)]);
}

function header(width: number, height: number, [depth, color, interlace]: [number, number, number]): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, color, 0, 0, interlace], 8);
  return chunk('IHDR', data);
}

function pngOf(...parts: Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...parts,
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function pixels(length: number): Buffer {
  return chunk('IDAT', deflateSync(Buffer.alloc(length)));
}

/** A black picture in grey tones. */
function png(width: number, height: number, ...more: Buffer[]): Buffer {
  return pngOf(header(width, height, [8, 0, 0]), ...more, pixels((width + 1) * height));
}

describe('parseLogoUrl', () => {
  it('parseLogo returns the bytes and the format of a data URL', () => {
    expect(parseLogoUrl(url('image/svg+xml', '<svg/>'))).toEqual({
      format: 'svg',
      bytes: Buffer.from('<svg/>'),
    });
    expect(parseLogoUrl(url('image/png', 'x')).format).toBe('png');
  });

  it.each([
    ['an http URL', 'https://example.test/logo.png'],
    ['a file URL', 'file:///etc/passwd'],
    ['another image format', url('image/gif', 'GIF89a')],
    ['an HTML page', url('text/html', '<script>')],
    ['a URL without base64', 'data:image/svg+xml,<svg/>'],
    ['a file above the size limit', url('image/png', Buffer.alloc(65 * 1024))],
  ])('a logo is rejected when it is %s', (_what, text) => {
    expect(() => parseLogoUrl(text)).toThrow(InvalidLogoError);
  });
});

describe('an SVG logo', () => {
  it('a drawing becomes a PNG of its shapes that fills the box of the logo', async () => {
    const { bytes, width, height, mediaType } = await drawSvg(
      `\ufeff<?xml version="1.0" encoding="UTF-8"?><!-- made by an editor -->${svg(rect)}`,
    );
    expect([mediaType, width, height]).toEqual(['image/png', 460, 230]);
    expect(await pixelAt(bytes, 10, 10)).toEqual([0x0b, 0x6e, 0x4f, 255]);
    expect(await pixelAt(bytes, 450, 10)).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ['the same size in other units', 'viewBox="0 0 4000 2000"', [460, 230]],
    ['a large coordinate system', 'viewBox="-5 -5 40000 20000"', [460, 230]],
    ['a wide drawing', 'viewBox="0 0 200 20"', [800, 80]],
    ['sides without a viewBox', 'width="30" height="15"', [460, 230]],
    ['sides in millimetres', 'width="40mm" height="20mm" viewBox="0 0 40 20"', [458, 230]],
  ])('%s fills the box of the logo', async (_what, root, size) => {
    const { width, height } = await drawSvg(svg('<rect width="100%" height="100%"/>', root));
    expect(Math.abs(width - (size[0] ?? 0))).toBeLessThan(4);
    expect(height).toBe(size[1]);
  });

  it('the same file becomes the same bytes', async () => {
    const [first, second] = [await drawSvg(svg(rect)), await drawSvg(svg(rect))];
    expect(first.bytes.equals(second.bytes)).toBe(true);
  });

  it('the stored bytes contain nothing of the text of the file', async () => {
    const { bytes } = await drawSvg(svg(`<title>private</title><script>alert("private")</script>${rect}`));
    expect(bytes.toString('latin1')).not.toContain('private');
  });

  it.each([
    ['an image of another host', '<image href="http://192.0.2.1/a.png" width="40" height="20"/>'],
    [
      'an image of the disk',
      '<image href="file:///usr/share/pixmaps/debian-logo.png" width="40" height="20"/>',
    ],
    ['a use of another file', '<use href="file:///etc/passwd#x"/>'],
    ['a style sheet of the disk', '<style>@import url("file:///etc/passwd")</style>'],
    ['a script', '<script>alert(1)</script>'],
    ['a page', '<foreignObject width="40" height="20"><p>x</p></foreignObject>'],
    ['a use of itself', '<use id="x" href="#x"/>'],
    ['no shape', ''],
  ])('a drawing that only has %s shows nothing and is rejected', async (_what, content) => {
    await expect(drawSvg(svg(content))).rejects.toThrow('shows nothing');
  });

  it('a drawing that is white on white paper is rejected, and one that is pale is not', async () => {
    const filled = (color: string) => drawSvg(svg(`<rect width="30" height="15" fill="${color}"/>`));
    await expect(filled('#ffffff')).rejects.toThrow('is white on white paper');
    await expect(filled('rgba(250,250,250,.9)')).rejects.toThrow('is white on white paper');
    expect((await filled('#ffe9a8')).mediaType).toBe('image/png');
  });

  const laughs = Array.from(
    { length: 10 },
    (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
  ).join('');
  it.each<[string, string | Buffer]>([
    [
      'an external entity',
      `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('<text>&x;</text>')}`,
    ],
    ['an entity that multiplies', `<!DOCTYPE svg [<!ENTITY l0 "${rect}">${laughs}]>${svg('&l10;')}`],
    ['a depth of hundreds', svg('<g>'.repeat(500) + rect + '</g>'.repeat(500))],
    ['no end', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><g>'],
    ['two roots', svg(rect) + svg(rect)],
    ['another root', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['the shape of a needle', svg(rect, 'viewBox="0 0 1000 1"')],
    ['sides beyond every limit', svg(rect, 'width="1e9" height="1e9"')],
    ['sides of millions', svg(rect, 'viewBox="0 0 4000000 2000000"')],
    ['sides below one unit', svg(rect, 'viewBox="0 0 0.01 0.02"')],
    ['bytes that are not UTF-8', Buffer.from(svg('<text>é</text>'), 'latin1')],
    ['compressed text', gzipSync(svg(rect))],
    ['the bytes of a PNG', png(4, 3)],
  ])('an SVG file with %s is rejected', async (_what, text) => {
    await expect(drawSvg(text)).rejects.toThrow(InvalidLogoError);
  });
});

describe('a PNG logo', () => {
  it('a PNG is stored with its pixels and without its metadata', async () => {
    const metadata = [chunk('tEXt', Buffer.from('Comment\0private')), chunk('eXIf', Buffer.from('GPS'))];
    const { bytes, width, height } = await drawPng(
      Buffer.concat([png(4, 3, ...metadata), Buffer.from('<script>')]),
    );
    expect([width, height]).toEqual([4, 3]);
    expect(bytes.equals((await drawPng(png(4, 3))).bytes)).toBe(true);
    expect(bytes.toString('latin1')).not.toMatch(/private|GPS|script/);
  });

  it('a PNG larger than the box of the logo is reduced to it', async () => {
    expect(await drawPng(png(600, 500))).toMatchObject({ width: 276, height: 230 });
    expect(await drawPng(png(1600, 100))).toMatchObject({ width: 800, height: 50 });
  });

  it('a PNG of any color type and interlacing is accepted', async () => {
    // The rows of the seven passes of five by five pixels of four bytes, each with its filter byte.
    const rows = [1, 1, 2, 1, 1, 3, 2, 2, 2, 5, 5];
    const interlaced = Buffer.alloc(
      rows.reduce((sum, row) => sum + 1 + row * 4, 0),
      0,
    );
    for (let at = 0, row = 0; row < rows.length; row += 1) {
      interlaced.fill(120, at + 1, at + 1 + (rows[row] ?? 0) * 4);
      at += 1 + (rows[row] ?? 0) * 4;
    }
    const colors = pngOf(header(5, 5, [8, 6, 1]), chunk('IDAT', deflateSync(interlaced)));
    expect(await pixelAt((await drawPng(colors)).bytes, 4, 4)).toEqual([120, 120, 120, 120]);
    const palette = pngOf(
      header(9, 2, [1, 3, 0]),
      chunk('PLTE', Buffer.from([0, 0, 0, 255, 255, 255])),
      chunk('tRNS', Buffer.from([128])),
      pixels(2 * 3),
    );
    expect(await pixelAt((await drawPng(palette)).bytes, 0, 0)).toEqual([0, 0, 0, 128]);
  });

  it.each<[string, Buffer]>([
    ['a GIF', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')],
    ['an SVG', Buffer.from(svg(rect))],
    ['empty', Buffer.alloc(0)],
    ['truncated', png(4, 3).subarray(0, -20)],
    ['damaged in its header', Buffer.from(png(4, 3).map((byte, index) => (index === 20 ? byte ^ 1 : byte)))],
    [
      'damaged in its pixels',
      Buffer.from(png(40, 30).map((byte, index) => (index === 45 ? byte ^ 1 : byte))),
    ],
    ['above the pixel limit', png(20_000, 1_250)],
    ['a header of billions of pixels', pngOf(header(60_000, 60_000, [8, 0, 0]), pixels(9))],
    ['shorter than its header says', pngOf(header(90, 80, [8, 0, 0]), pixels(9))],
    ['of an unknown filter', pngOf(header(1, 1, [8, 0, 0]), chunk('IDAT', deflateSync(Buffer.from([9, 0]))))],
    ['of an unknown depth', pngOf(header(1, 1, [7, 0, 0]), pixels(2))],
    ['without its palette', pngOf(header(1, 1, [8, 3, 0]), pixels(2))],
    ['without sides', png(0, 0)],
    ['the shape of a needle', png(100, 4)],
    ['fully transparent', pngOf(header(2, 2, [8, 6, 0]), pixels(2 * 9))],
  ])('a PNG file is rejected when it is %s', async (_what, bytes) => {
    await expect(drawPng(bytes)).rejects.toThrow(InvalidLogoError);
  });
});
