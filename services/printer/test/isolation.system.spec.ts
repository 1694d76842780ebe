import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { partsOf } from '../src/document-parts.js';
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
const moving = 'html{color:var(--x);transition:color 9s}';
const screenRed = '@media screen{p{color:red}}';

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
  'attributes of the root that the body sets': [
    { files: { 'index.html': html('<p>א<html style="zoom:2" class="a"><body style="color:red">') } },
    { files: { 'index.html': html('<p>ב') } },
  ],
  'another direction and attributes of the body': [
    { files: { 'index.html': html('<p>א (1)').replace('<body>', '<body class="a" style="color:red">') } },
    { files: { 'index.html': html('<p>ב (1)').replace('lang="he" dir="rtl"', 'lang="en" dir="ltr"') } },
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

/** Documents with one head, which stays in the page. */
const sameHead: Readonly<Record<string, readonly [Form, Form]>> = {
  'a title': [
    { files: { 'index.html': html('<p>א').replace('חשבונית', 'קבלה') } },
    { files: { 'index.html': html('<p>ב') } },
  ],
  'a style of the body': [
    {
      files: {
        'index.html': html(
          `<style>@layer a{p{margin:0}}@page{size:99mm 99mm;margin:9mm}@counter-style s{system:cyclic;symbols:'X'}@property --x{syntax:'*';inherits:false;initial-value:red}@layer b,a;:root{--y:red;font-size:40px}body{font-family:F;writing-mode:vertical-rl;counter-increment:c}</style><p>א`,
        ),
      },
      fields: { preferCssPageSize: 'true' },
    },
    {
      files: {
        'index.html': html(
          '<style>@layer a{p{color:blue}}@layer b{p{color:green}}p{background:var(--x);border:1px solid var(--y,blue)}ol{list-style:s}li::after{content:counter(c)}</style><p>ב<ol><li>ג',
        ),
      },
      fields: { preferCssPageSize: 'true' },
    },
  ],
  'a transition of the root': [
    { files: { 'index.html': html('<style>:root{--x:red}</style><p>א', moving) } },
    { files: { 'index.html': html('<style>:root{--x:green}</style><p>ב', moving) } },
  ],
  'a font of the head': [
    { files: { 'index.html': html('<p>סך', `${face} p{font-family:F}`), 'f.woff2': heebo } },
    { files: { 'index.html': html('<p>הכול', `${face} p{font-family:F}`), 'f.woff2': heebo } },
  ],
  'a font of the head that only the next one needs': [
    { files: { 'index.html': html('<p>1', `${face} b,div{font-family:F}`), 'f.woff2': heebo } },
    { files: { 'index.html': html('<div>הכול</div>', `${face} b,div{font-family:F}`), 'f.woff2': heebo } },
  ],
  'a picture': [
    {
      files: {
        'index.html': html(`<img src="data:image/gif;base64,${gif('/wAA')}" width="99" height="99">`),
      },
    },
    {
      files: {
        'index.html': html(`<img src="data:image/gif;base64,${gif('AP8A')}" width="99" height="99">`),
      },
    },
  ],
  'elements that are left open': [
    { files: { 'index.html': html('<div style="color:red"><table><tr><td><strong>א') } },
    { files: { 'index.html': html('ב<table><tr><td>ג</table><p>ד') } },
  ],
  'a place far below that has the focus': [
    { files: { 'index.html': html(`${'<p>א'.repeat(400)}<p tabindex="0" autofocus>כאן`) } },
    { files: { 'index.html': html(`<p style="position:fixed;top:0">ב${'<p>ב'.repeat(400)}`) } },
  ],
  'the medium of the screen': [
    { files: { 'index.html': html('<p>א', screenRed) }, fields: { emulatedMediaType: 'screen' } },
    { files: { 'index.html': html('<p>ב', screenRed) } },
  ],
};

function svg(color: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="${color}"/></svg>`;
}

/** A picture of one pixel. @param color three bytes, base64. */
function gif(color: string): string {
  const head = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0', 'latin1');
  const rest = Buffer.from('\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;', 'latin1');
  return Buffer.concat([head, Buffer.from(color, 'base64'), rest]).toString('base64');
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
  });
  afterAll(async () => {
    await Promise.all([one?.stop(), fresh?.stop()]);
  });

  it.each([...Object.entries(pairs), ...Object.entries(sameHead)])(
    'the next document on a page is printed as on a new one after %s',
    async (_what, [first, second]) => {
      const before = await print(one.url, first);
      const next = await print(one.url, second);
      expect(undated(next)).toBe(undated(await print(fresh.url, second)));
      // The first one is another document, so that the comparison can fail.
      expect(undated(next)).not.toBe(undated(before));
    },
  );

  it.each(Object.entries(sameHead))('the head of the document stays in the page after %s', (_what, forms) => {
    const [first, second] = forms.map(({ files }) => partsOf(String(files['index.html']))?.head);
    expect(first).toEqual(expect.stringContaining('<head>'));
    expect(second).toBe(first);
  });

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
