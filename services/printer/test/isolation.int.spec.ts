import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  convert,
  type Form,
  heebo,
  heeboBlack,
  html,
  type PrinterUnderTest,
  print,
  startTested,
} from './printing.js';

const face = "@font-face{font-family:F;src:url('f.woff2')}";

/** What one document leaves behind if anything does, and the next document, which would show it. */
const pairs: Readonly<Record<string, readonly [Form, Form]>> = {
  'a style sheet': [
    {
      files: {
        'index.html': html('<p>ראשון</p>', 'p{font-size:60px;color:red} body{writing-mode:vertical-rl}'),
      },
    },
    { files: { 'index.html': html('<p>שני</p>') } },
  ],
  'a style sheet in a file': [
    {
      files: { 'index.html': html('<link rel="stylesheet" href="s.css"><p>א</p>'), 's.css': 'p{color:red}' },
    },
    { files: { 'index.html': html('<link rel="stylesheet" href="s.css"><p>ב</p>') } },
  ],
  'a page size': [
    {
      files: { 'index.html': html('<p>א</p>', '@page{size:100mm 100mm;margin:40mm}') },
      fields: { preferCssPageSize: 'true' },
    },
    { files: { 'index.html': html('<p>ב</p>') }, fields: { preferCssPageSize: 'true' } },
  ],
  'a font by its name': [
    { files: { 'index.html': html('<p>סך הכול</p>', `${face} body{font-family:F}`), 'f.woff2': heeboBlack } },
    { files: { 'index.html': html('<p>סך הכול</p>', 'body{font-family:F}') } },
  ],
  'a font of the same name': [
    { files: { 'index.html': html('<p>סך הכול</p>', `${face} body{font-family:F}`), 'f.woff2': heeboBlack } },
    { files: { 'index.html': html('<p>סך הכול</p>', `${face} body{font-family:F}`), 'f.woff2': heebo } },
  ],
  'a font of the same file, which is missing now': [
    { files: { 'index.html': html('<p>סך הכול</p>', `${face} body{font-family:F}`), 'f.woff2': heebo } },
    { files: { 'index.html': html('<p>סך הכול</p>', `${face} body{font-family:F}`) } },
  ],
  'a font with the same files': [
    { files: { 'index.html': html('<p>סך הכול</p>', `${face} body{font-family:F}`), 'f.woff2': heebo } },
    { files: { 'index.html': html('<p>סך הכול</p>', 'body{font-family:F}'), 'f.woff2': heebo } },
  ],
  'a CSS counter': [
    {
      files: {
        'index.html': html('<p>א</p>'.repeat(7), 'p{counter-increment:c}p::before{content:counter(c)}'),
      },
    },
    { files: { 'index.html': html('<p>ב</p>', 'p{counter-increment:c}p::before{content:counter(c)}') } },
  ],
  'a counter style': [
    {
      files: {
        'index.html': html('<ol><li>א</ol>', "@counter-style s{system:cyclic;symbols:'X'} ol{list-style:s}"),
      },
    },
    { files: { 'index.html': html('<ol><li>ב</ol>', 'ol{list-style:s}') } },
  ],
  'the target of a link': [
    { files: { 'index.html': html('<a href="#there">א</a><p id="there">כאן</p>', ':target{color:red}') } },
    { files: { 'index.html': html('<a href="#there">ב</a><p>לא כאן</p>', ':target{color:red}') } },
  ],
  'a base address': [
    { files: { 'index.html': '<base href="http://print.invalid/elsewhere/"><p>א' } },
    { files: { 'index.html': '<img alt="logo" src="logo.svg"><p>ב', 'logo.svg': svg('green') } },
  ],
  'a picture of the same name': [
    { files: { 'index.html': html('<img src="logo.svg">'), 'logo.svg': svg('red') } },
    { files: { 'index.html': html('<img src="logo.svg">'), 'logo.svg': svg('green') } },
  ],
  'the direction of the text': [
    {
      files: {
        'index.html': html(`<p>א \u202e abc \u2067 (1)`, 'body{unicode-bidi:bidi-override;direction:rtl}'),
      },
    },
    { files: { 'index.html': '<!doctype html><p>abc (1) אבג [2]</p>' } },
  ],
  'the mode of a page without a doctype': [
    { files: { 'index.html': '<body><p style="font-size:20">א<table><tr><td>1</table>' } },
    { files: { 'index.html': '<!doctype html><p style="font-size:20">ב<table><tr><td>1</table>' } },
  ],
  'the mode of a page with a doctype': [
    { files: { 'index.html': '<!doctype html><p style="font-size:20">א<table><tr><td>1</table>' } },
    { files: { 'index.html': '<body><p style="font-size:20">ב<table><tr><td>1</table>' } },
  ],
  'a viewport and a color scheme': [
    {
      files: {
        'index.html':
          '<!doctype html><meta name="viewport" content="width=200"><meta name="color-scheme" content="dark"><p>א',
      },
    },
    { files: { 'index.html': '<!doctype html><p style="width:50vw;background:canvas">ב</p><input>' } },
  ],
  'a language': [
    { files: { 'index.html': '<!doctype html><meta http-equiv="content-language" content="zh"><p>א' } },
    { files: { 'index.html': '<!doctype html><q>直</q><p>骨' } },
  ],
  'layers, properties and a page name': [
    {
      files: {
        'index.html': html(
          '<p>א',
          "@layer b,a;@layer a{p{color:red}}@layer b{p{color:green}}@property --x{syntax:'<color>';inherits:false;initial-value:red}p{background:var(--x)}",
        ),
      },
    },
    {
      files: {
        'index.html': html('<p>ב', '@layer a{p{color:red}}@layer b{p{color:green}}p{background:var(--x)}'),
      },
    },
  ],
  'a policy for contents': [
    {
      files: {
        'index.html': `<meta http-equiv="Content-Security-Policy" content="style-src 'none'; img-src 'none'"><p>א`,
      },
    },
    { files: { 'index.html': html('<img src="logo.svg"><p>ב', 'p{color:green}'), 'logo.svg': svg('green') } },
  ],
  'the medium of the screen': [
    { files: { 'index.html': html('<p>א') }, fields: { emulatedMediaType: 'screen' } },
    { files: { 'index.html': html('<p>ב', '@media screen{p{color:red}}') } },
  ],
  'a request that comes late': [
    {
      files: {
        'index.html': html(
          '<link rel="prefetch" href="late.svg"><img loading="lazy" src="late.png" style="margin-top:9000px">',
        ),
      },
    },
    { files: { 'index.html': html('<p>ב') }, fields: { failOnResourceLoadingFailed: 'true' } },
  ],
  'a page that leaves after a second': [
    { files: { 'index.html': '<meta http-equiv="refresh" content="1;url=about:blank"><p>א' } },
    { files: { 'index.html': html('<p>ב</p>'.repeat(20_000)) } },
  ],
};

function svg(color: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="${color}"/></svg>`;
}

/** A PDF without the instants at which it was made, which are all that differs between two prints of one document. */
const undated = ({ bytes }: { bytes: Buffer }) =>
  bytes.toString('latin1').replace(/\/(CreationDate|ModDate) \(D:[^)]*\)/g, '');

describe('documents that share a page', () => {
  let one: PrinterUnderTest;
  /** Every document gets a page that never printed. */
  let fresh: PrinterUnderTest;
  beforeAll(async () => {
    [one, fresh] = await Promise.all([
      startTested({ pages: 1, pageMemoryMb: 2_048 }),
      startTested({ pages: 1, printsPerPageMax: 1 }),
    ]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([one?.stop(), fresh?.stop()]);
  });

  it.each(Object.keys(pairs))(
    'the next document on a page is printed as on a new one after %s',
    async (name) => {
      const [first, second] = pairs[name] as (typeof pairs)[string];
      const before = await print(one.url, first);
      const next = await print(one.url, second);
      expect(undated(next)).toBe(undated(await print(fresh.url, second)));
      // The first one is another document, so that the comparison can fail.
      expect(undated(next)).not.toBe(undated(before));
    },
    60_000,
  );

  it('all of these documents are printed by the same page', async () => {
    expect(await one.metrics()).not.toMatch(/pinkas_printer_pages_closed_total\{/);
    expect(await fresh.metrics()).toMatch(/pinkas_printer_pages_closed_total\{reason="prints"\} \d\d/);
  });

  it('a font that is missing is missing for the next document as well', async () => {
    const files = { 'index.html': html('<p>סך הכול</p>', `${face} p{font-family:F}`) };
    const before = await convert(one.url, { files });
    const next = await convert(one.url, { files, fields: { failOnResourceLoadingFailed: 'true' } });
    expect([before.status, next.status]).toEqual([200, 409]);
  });
});
