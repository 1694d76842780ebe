import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { LogoRefused } from './logo.js';
import { readLogo } from './read-logo.js';

const address = (mediaType: string, bytes: string | Buffer) =>
  `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;

describe('a drawing', () => {
  const svg = (content: string, root = 'viewBox="0 0 40 20"') =>
    `<svg xmlns="http://www.w3.org/2000/svg" ${root}>${content}</svg>`;
  const read = (text: string) => readLogo(address('image/svg+xml', text));
  const cleaned = (text: string) => read(text).bytes.toString();

  it('is made anew of its shapes, with what is not seen left out', () => {
    const { bytes, width, height, mediaType } = read(
      `\ufeff<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
      <!-- made by an editor --><svg xmlns="http://www.w3.org/2000/svg" xmlns:i="http://example.test/i" viewBox="0 0 40 20" width="80px" i:version="1">
      <title>Example</title><metadata><i:rdf/></metadata><i:view/>
      <defs><linearGradient id="a"><stop offset="0" style="stop-color:#fff;-i-x:y"/></linearGradient></defs>
      <g transform="translate(1 2)" class="x" data-a="b"><path d="M0 0h10v10z" fill="url(#a)" style="stroke: rgb(1, 2, 3); opacity:.5"/></g></svg>`,
    );
    expect([width, height, mediaType]).toEqual([40, 20, 'image/svg+xml']);
    expect(bytes.toString()).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="1000.00" height="500.00"><defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient></defs><g transform="translate(1 2)"><path d="M0 0h10v10z" fill="url(#a)" stroke="rgb(1, 2, 3)" opacity=".5"/></g></svg>',
    );
  });

  it('may have many shapes, and gradients and clips as logos have them', () => {
    const gradients = Array.from(
      { length: 40 },
      (_, index) =>
        `<linearGradient id="g${index}"><stop/><stop offset=".5"/><stop offset="1"/></linearGradient>`,
    );
    const shapes = gradients.map(
      (_, index) => `<g clip-path="url(#c)"><path d="M0 0h9" fill="url(#g${index})"/></g>`,
    );
    const clip = '<clipPath id="c"><rect width="9" height="9"/></clipPath>';
    const plain = '<path d="M0 0h9" stroke-dasharray="none"/>'.repeat(500);
    expect(read(svg([clip, ...gradients, ...shapes, plain].join(''))).bytes.length).toBeGreaterThan(10_000);
  });

  it('stays what it is when it is cleaned again', () => {
    const once = cleaned(svg('<rect width="4" height="4" fill="red"/>'));
    expect(cleaned(once)).toBe(once);
  });

  it('has the colour of its style, whatever its attribute says and wherever it stands', () => {
    expect(cleaned(svg('<rect style="fill:red" fill="blue"/>'))).toContain('<rect fill="red"/>');
    expect(cleaned(svg('<rect fill="blue" style="fill:red"/>'))).toContain('<rect fill="red"/>');
  });

  it('is shown in the same size, whatever units it was drawn in', () => {
    const sides = (box: string) =>
      /width="([^"]+)" height="([^"]+)"/.exec(cleaned(svg('<rect/>', `viewBox="${box}"`)))?.slice(1);
    expect(sides('0 0 24 12')).toEqual(['1000.00', '500.00']);
    expect(sides('0 0 0.01 0.02')).toEqual(['500.00', '1000.00']);
    expect(sides('-5 -5 4000 2000')).toEqual(['1000.00', '500.00']);
  });

  it('takes its size from its sides where it has no frame', () => {
    expect(read(svg('<rect width="1" height="1"/>', 'width="30" height="15"'))).toMatchObject({
      width: 30,
      height: 15,
    });
  });

  it.each([
    ['a script', svg('<script>alert(1)</script>')],
    ['a script under a prefix', svg('<s:script xmlns:s="http://www.w3.org/2000/svg">1</s:script>')],
    ['a shape under a prefix', svg('<rect/><s:rect xmlns:s="http://www.w3.org/2000/svg"/>')],
    ['a turn about another place', svg('<rect transform="rotate(9)" style="transform-origin: 5px 5px"/>')],
    ['dashes', svg('<path d="M0 0h9" stroke="red" stroke-dasharray=".01"/>')],
    ['dashes in a style', svg('<path d="M0 0h9" style="stroke-dasharray: .01"/>')],
    [
      'a clip of clips',
      svg('<clipPath id="a"><rect clip-path="url(#b)"/></clipPath><clipPath id="b"><rect/></clipPath>'),
    ],
    ['a clip that is clipped', svg('<clipPath id="a" style="clip-path:url(#b)"><rect/></clipPath>')],
    [
      'a hundred gradients of thirty colours',
      svg(
        `<linearGradient id="a">${'<stop/>'.repeat(30)}</linearGradient>${'<rect fill="url(#a)"/>'.repeat(100)}`,
      ),
    ],
    [
      'a gradient that hundreds of shapes inherit',
      svg(
        `<g fill="url(#a)">${'<rect/>'.repeat(1_100)}</g><linearGradient id="a"><stop/><stop/></linearGradient>`,
      ),
    ],
    [
      'a hundred cuts by thirty shapes',
      svg(`<clipPath id="a">${'<rect/>'.repeat(30)}</clipPath>${'<rect clip-path="url(#a)"/>'.repeat(100)}`),
    ],
    ['a page within', svg('<foreignObject><body/></foreignObject>')],
    ['a picture within', svg('<image href="data:image/png;base64,AAAA"/>')],
    ['a use of elsewhere', svg('<use href="http://169.254.169.254/a.svg#x"/>')],
    ['a use of itself', svg('<use href="#x"/>')],
    ['a letter', svg('<text>A</text>')],
    ['a link', svg('<a href="https://example.test"><rect/></a>')],
    ['an animation', svg('<rect><set attributeName="x" to="1"/></rect>')],
    ['a style sheet', svg('<style>@import url(http://example.test)</style>')],
    ['an event handler', svg('<rect onload="alert(1)"/>')],
    ['an event handler in capitals', svg('<rect OnClick="alert(1)"/>')],
    ['a colour from elsewhere', svg('<rect fill="url(http://example.test/#a)"/>')],
    ['a colour from a file', svg('<rect style="fill:url(file:///etc/passwd)"/>')],
    ['a filter', svg('<rect filter="url(#f)"/>')],
    ['a gradient of elsewhere', svg('<linearGradient id="a" href="http://example.test/#b"/>')],
    ['an entity of its own', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('<rect/>')}`],
    ['an unknown entity', svg('<rect id="&a;"/>')],
    ['an outer entity', `<!DOCTYPE svg SYSTEM "file:///etc/passwd" [ ]>${svg('<rect/>')}`],
    ['an instruction', `<?xml-stylesheet href="http://example.test"?>${svg('<rect/>')}`],
    ['a section of other text', svg('<![CDATA[<script/>]]>')],
    ['an open end', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><g>'],
    ['two roots', svg('<rect/>') + svg('<rect/>')],
    ['another root', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['nothing in it', svg('')],
    ['no sides', svg('<rect/>', '')],
    ['the shape of a needle', svg('<rect/>', 'viewBox="0 0 1000 1"')],
    ['an attribute twice', svg('<rect x="1" x="2"/>')],
    ['a depth without end', svg('<g>'.repeat(50) + '</g>'.repeat(50))],
  ])('is refused with %s', (_what, text) => {
    expect(() => read(text)).toThrow(LogoRefused);
  });

  it('is refused in another coding', () => {
    expect(() => readLogo(address('image/svg+xml', Buffer.from(svg('<rect id="é"/>'), 'latin1')))).toThrow(
      'UTF-8',
    );
  });
});

describe('a picture of pixels', () => {
  const chunk = (type: string, data: Buffer) => {
    const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(typed), 4);
    return Buffer.concat([frame.subarray(0, 4), typed, frame.subarray(4)]);
  };
  const header = (width: number, height: number, [depth, colour, interlace]: [number, number, number]) => {
    const data = Buffer.alloc(13);
    data.writeUInt32BE(width, 0);
    data.writeUInt32BE(height, 4);
    data.set([depth, colour, 0, 0, interlace], 8);
    return chunk('IHDR', data);
  };
  const png = (parts: Buffer[]) =>
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts, chunk('IEND', Buffer.alloc(0))]);
  const grey = (width: number, height: number, more: Buffer[] = []) =>
    png([
      header(width, height, [8, 0, 0]),
      ...more,
      chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
    ]);
  const read = (bytes: Buffer) => readLogo(address('image/png', bytes));

  it('is made anew of its pixels alone', () => {
    const told = [chunk('tEXt', Buffer.from('Comment\0where I live')), chunk('eXIf', Buffer.from('GPS'))];
    const behind = Buffer.concat([grey(4, 3, told), Buffer.from('<script>')]);
    const { bytes, width, height, mediaType } = read(behind);
    expect([width, height, mediaType]).toEqual([4, 3, 'image/png']);
    expect(bytes.equals(read(grey(4, 3)).bytes)).toBe(true);
    expect(bytes.toString('latin1')).not.toMatch(/where|GPS|script/);
  });

  it('may be interlaced, and of any kind of colour', () => {
    // Five by five pixels of four bytes: what the rows of the seven passes hold, each behind a byte for its filter.
    const pixelsOfRows = [[1], [1], [2], [1, 1], [3], [2, 2, 2], [5, 5]].flat();
    expect(pixelsOfRows.reduce((sum, pixels) => sum + pixels)).toBe(25);
    const length = pixelsOfRows.reduce((sum, pixels) => sum + 1 + pixels * 4, 0);
    const interlaced = png([header(5, 5, [8, 6, 1]), chunk('IDAT', deflateSync(Buffer.alloc(length)))]);
    expect(read(interlaced)).toMatchObject({ width: 5, height: 5 });
    const palette = png([
      header(9, 2, [1, 3, 0]),
      chunk('PLTE', Buffer.from([0, 0, 0, 255, 255, 255])),
      chunk('tRNS', Buffer.from([0])),
      chunk('IDAT', deflateSync(Buffer.alloc(2 * 3))),
    ]);
    expect(read(palette)).toMatchObject({ width: 9, height: 2 });
  });

  it.each<[string, Buffer]>([
    ['is none', Buffer.from('GIF89a')],
    ['is cut short', grey(4, 3).subarray(0, -20)],
    ['has no end', grey(4, 3).subarray(0, -12)],
    ['was damaged', Buffer.from(grey(4, 3).map((byte, index) => (index === 20 ? byte ^ 1 : byte)))],
    ['has more pixels than are taken', grey(600, 500)],
    [
      'says more of its size than it holds',
      png([header(90, 80, [8, 0, 0]), chunk('IDAT', deflateSync(Buffer.alloc(9)))]),
    ],
    [
      'holds more than it says',
      png([header(2, 2, [8, 0, 0]), chunk('IDAT', deflateSync(Buffer.alloc(10_000_000)))]),
    ],
    [
      'has a filter that nobody knows',
      png([header(1, 1, [8, 0, 0]), chunk('IDAT', deflateSync(Buffer.from([9, 0])))]),
    ],
    [
      'has a depth that nobody knows',
      png([header(1, 1, [7, 0, 0]), chunk('IDAT', deflateSync(Buffer.alloc(2)))]),
    ],
    ['lacks its palette', png([header(1, 1, [8, 3, 0]), chunk('IDAT', deflateSync(Buffer.alloc(2)))])],
    ['has no side', grey(0, 0)],
  ])('is refused when it %s', (_what, bytes) => {
    expect(() => read(bytes)).toThrow(LogoRefused);
  });
});

describe('what is sent for a picture', () => {
  it.each([
    ['an address of elsewhere', 'https://example.test/logo.png'],
    ['a file', 'file:///etc/passwd'],
    ['another kind', address('image/gif', 'GIF89a')],
    ['a page', address('text/html', '<script>')],
    ['no base64', 'data:image/svg+xml,<svg/>'],
    ['too much', address('image/png', Buffer.alloc(65 * 1024))],
  ])('is refused when it is %s', (_what, text) => {
    expect(() => readLogo(text)).toThrow(LogoRefused);
  });
});
