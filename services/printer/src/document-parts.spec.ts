import { describe, expect, it } from '@jest/globals';
import { partsOf } from './document-parts.js';

const documentOf = (body: string, title = 'א') =>
  `<!doctype html>\n<html lang="he" dir="rtl"><head><meta charset="utf-8"><title>${title}</title><style>p{}</style></head><body>${body}</body></html>`;

describe('partsOf', () => {
  it('partsOf takes a document apart, and documents that differ in title and body have one head', () => {
    const body = '<style>p{color:red}</style><p class="a">א</p><img alt="" src="data:image/png;base64,AA==">';
    expect(partsOf(documentOf(body))).toMatchObject({ title: 'א', body: `${body}</body></html>` });
    expect(partsOf(documentOf('ב', 'ב'))?.head).toBe(partsOf(documentOf(body))?.head);
  });

  it.each([
    '<script>1</script>',
    '<meta name="viewport" content="width=1">',
    '<BODY class="a">',
    '</body><p>',
    '<!-- -->',
    '<style title="a">p{}</style>',
    '<img src="a.png">',
    "<img src='data:image/svg+xml,<p>'>",
    '<p style="background:URL(a.png)">',
    '<table background="a.png">',
    '<style>@import "a.css";</style>',
  ])('a document with %s is written from its start', (strange) => {
    expect(partsOf(documentOf(`<p>${strange}</p>`))).toBeUndefined();
  });

  it.each([
    documentOf('א', '&amp;'),
    documentOf('א').replace('<meta', '<base href="/"><meta'),
    documentOf('א').replace('<body>', '<body class="a">'),
    `${documentOf('א')}\n`,
  ])('a document in another form is written from its start', (strange) => {
    expect(partsOf(strange)).toBeUndefined();
  });
});
