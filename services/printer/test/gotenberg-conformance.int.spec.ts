import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { convert, type Form, heebo, html, type PrinterUnderTest, pdfOf, startTested } from './printing.js';

/** A Gotenberg 8 to compare with; its user and password are part of the address. */
const realUrl = process.env.REAL_GOTENBERG_URL ?? '';

const a4 = { paperWidth: '8.27', paperHeight: '11.7', printBackground: 'true', preferCssPageSize: 'true' };
const face = "@font-face{font-family:F;src:url('f.woff2')} body{font-family:F}";

interface Expected {
  readonly status: number;
  /** In the text of the PDF, or in the refusal. */
  readonly text?: RegExp;
  readonly notText?: RegExp;
  readonly info?: RegExp;
  readonly fonts?: RegExp;
  /** Hexadecimal; on two points beside each other. */
  readonly colors?: { readonly shown: string; readonly absent: string };
  /** Fields that Gotenberg supports and this server refuses. */
  readonly isRefusedHereOnly?: boolean;
}

const forms: Readonly<Record<string, readonly [Form, Expected]>> = {
  'Hebrew on A4': [
    { files: { 'index.html': html('<h1>חשבונית מס 1042</h1>') }, fields: a4 },
    {
      status: 200,
      text: /חשבונית מס 1042/,
      info: /Title:\s+חשבונית[\s\S]+Page size:\s+59[45]\.\d+ x 84[12]\.?\d* pts/,
    },
  ],
  'lengths in millimetres and in points': [
    {
      files: { 'index.html': html('<p>קטן') },
      fields: { paperWidth: '100mm', paperHeight: '288pt', marginTop: '5mm' },
    },
    { status: 200, info: /Page size:\s+283\.\d+ x 288 pts/ },
  ],
  'landscape and scale': [
    { files: { 'index.html': html('<p>לרוחב') }, fields: { landscape: 'true', scale: '1.5' } },
    { status: 200, info: /Page size:\s+792 x 612 pts/ },
  ],
  'a page size of the document': [
    {
      files: { 'index.html': html('<p>א', '@page{size:120mm 80mm}') },
      fields: { preferCssPageSize: 'true' },
    },
    { status: 200, info: /Page size:\s+340\.\d+ x 22[67]\.\d+ pts/ },
  ],
  'a font of the form': [
    { files: { 'index.html': html('<p>סך הכול</p>', face), 'f.woff2': heebo }, fields: a4 },
    { status: 200, text: /סך הכול/, fonts: /Heebo.*yes yes yes/ },
  ],
  'a picture and a style sheet of the form': [
    {
      files: {
        'index.html': html('<link rel="stylesheet" href="s.css"><img src="logo.svg"><p>צבע'),
        's.css': 'p{color:#0a7;font-size:30px}',
        'logo.svg':
          '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="40"><rect width="90" height="40" fill="#c31"/></svg>',
      },
      fields: { ...a4, failOnResourceLoadingFailed: 'true' },
    },
    { status: 200, text: /צבע/ },
  ],
  'tags for screen readers': [
    {
      files: { 'index.html': html('<h1>כותרת</h1><table><tr><th>א<tr><td>1</table>') },
      fields: { ...a4, generateTaggedPdf: 'true' },
    },
    { status: 200, info: /Tagged:\s+yes/ },
  ],
  'a footer, and one of two pages': [
    {
      files: {
        'index.html': html('<p>first</p><p style="break-before:page">second</p>'),
        'footer.html':
          '<html><body><p style="font-size:10px">page <span class="pageNumber"></span> of <span class="totalPages"></span></p></body></html>',
      },
      fields: { nativePageRanges: '2', marginBottom: '1' },
    },
    {
      status: 200,
      text: /page 2 of 2[\s\S]*second|second[\s\S]*page 2 of 2/,
      notText: /first/,
      info: /Pages:\s+1\n/,
    },
  ],
  'the medium of the screen': [
    {
      files: { 'index.html': html('<p>א</p>', '@media print{p{display:none}}') },
      fields: { emulatedMediaType: 'screen' },
    },
    { status: 200, text: /א/ },
  ],
  'the background of the page only where the form wants it': [
    { files: { 'index.html': html('<p style="background:#ff8000">א</p>', 'body{background:#0080ff}') } },
    { status: 200, text: /א/, colors: { shown: 'ff8000', absent: '0080ff' } },
  ],
  'a script, which does not run': [
    { files: { 'index.html': html(`<p>kept</p><script>document.body.append('scripted')</script>`) } },
    { status: 200, text: /kept/, notText: /scripted/ },
  ],
  'a file that is missing and not required': [
    { files: { 'index.html': html('<img src="logo.png"><p>בלי') } },
    { status: 200, text: /בלי/ },
  ],
  'a file that is missing and required': [
    {
      files: { 'index.html': html('<img src="logo.png">') },
      fields: { failOnResourceLoadingFailed: 'true' },
    },
    { status: 409, text: /logo\.png/ },
  ],
  'no index.html': [{ files: { 'other.html': 'x' } }, { status: 400, text: /index\.html.*required/ }],
  'a length that is none': [
    { files: { 'index.html': 'x' }, fields: { paperWidth: 'wide' } },
    { status: 400, text: /'paperWidth' is invalid/ },
  ],
  'page ranges beyond the document': [
    { files: { 'index.html': 'x' }, fields: { nativePageRanges: '9' } },
    { status: 400 },
  ],
  'margins that leave no room': [
    { files: { 'index.html': 'x' }, fields: { marginTop: '20' } },
    { status: 400 },
  ],
  'a field that would silently be lost': [
    { files: { 'index.html': 'x' }, fields: { pdfa: 'PDF/A-3b' } },
    { status: 400, text: /'pdfa' is not supported/, isRefusedHereOnly: true },
  ],
};

/** The requests of rendering, answered by this server and, where REAL_GOTENBERG_URL names one, by a Gotenberg. */
describe("Gotenberg's HTTP API", () => {
  let printer: PrinterUnderTest;
  const urls = () => [printer.url, ...(realUrl ? [realUrl] : [])];
  beforeAll(async () => {
    printer = await startTested();
  });
  afterAll(() => printer?.stop());

  it.each(Object.keys(forms))('a form gets the answer of Gotenberg: %s', async (name) => {
    const [form, expected] = forms[name] as (typeof forms)[string];
    const own = await convert(printer.url, form);
    expect([name, own.status]).toEqual([name, expected.status]);
    const real = realUrl && !expected.isRefusedHereOnly ? await convert(realUrl, form) : undefined;
    if (real) {
      expect(['Gotenberg', real.status]).toEqual(['Gotenberg', expected.status]);
    }
    if (expected.status !== 200) {
      expect(await own.text()).toMatch(expected.text ?? /./);
      await real?.arrayBuffer();
      return;
    }
    const pdf = await pdfOf(own);
    expect(pdf.text).toMatch(expected.text ?? /./);
    expect(pdf.text).not.toMatch(expected.notText ?? /[^\s\S]/);
    expect(pdf.info).toMatch(expected.info ?? /./);
    expect(pdf.fonts).toMatch(expected.fonts ?? /./);
    if (expected.colors) {
      const { shown, absent } = expected.colors;
      const has = (color: string) => pdf.pixels().includes(Buffer.from(color.repeat(2), 'hex'));
      expect([has(shown), has(absent)]).toEqual([true, false]);
    }
    if (real) {
      const compared = await pdfOf(real);
      expect(compared.text).toBe(pdf.text);
      expect(compared.pixels().equals(pdf.pixels())).toBe(true);
    }
  });

  it('the response has the trace and the file name of the request', async () => {
    for (const url of urls()) {
      const response = await convert(url, {
        files: { 'index.html': html('x') },
        headers: { 'Gotenberg-Trace': 'trace-17', 'Gotenberg-Output-Filename': 'invoice' },
      });
      expect(response.headers.get('content-type')).toBe('application/pdf');
      expect(response.headers.get('gotenberg-trace')).toBe('trace-17');
      expect(response.headers.get('content-disposition')).toMatch(/attachment; filename="?invoice\.pdf"?/);
      await response.arrayBuffer();
    }
  });

  it.each([
    ['no form', 415, { 'content-type': 'application/json' }, '{}'],
    [
      'a truncated form',
      400,
      { 'content-type': 'multipart/form-data; boundary=b' },
      '--b\r\ncontent-disposition: form-data; name="files"; filename="index.html"\r\n\r\n<p>half a',
    ],
  ])('a request with %s gets %i', async (_what, status, headers, body) => {
    for (const url of urls()) {
      const { origin, username, password } = new URL(url);
      const authorization = `Basic ${btoa(`${username}:${decodeURIComponent(password)}`)}`;
      const response = await fetch(`${origin}/forms/chromium/convert/html`, {
        method: 'POST',
        body,
        headers: { ...headers, authorization },
      });
      expect([origin, response.status]).toEqual([origin, status]);
    }
  });
});
