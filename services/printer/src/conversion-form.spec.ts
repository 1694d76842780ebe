import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readConversionForm } from './conversion-form.js';

/** @param entries of fields; `file:NAME` is a file in the field NAME. */
async function read(entries: readonly (readonly [string, string])[]) {
  const form = new FormData();
  form.append('files', new Blob(['<p>1']), 'index.html');
  for (const [name, value] of entries) {
    const [, field] = /^file:(.*)/.exec(name) ?? [];
    if (field === undefined) {
      form.append(name, value);
    } else {
      form.append(field, new Blob(['x']), value);
    }
  }
  const written = new Response(form);
  const headers = { 'content-type': written.headers.get('content-type') ?? '' };
  const body = Readable.from([Buffer.from(await written.arrayBuffer())]);
  return readConversionForm(Object.assign(body, { headers }) as unknown as IncomingMessage, 1_000_000);
}

describe('readConversionForm', () => {
  it.each([
    ['pdfa', 'PDF/A-3b'],
    ['rotateAngle', '90'],
    ['rotatePages', '1'],
    ['watermarkSource', 'text'],
    ['watermarkOptions', '{"rot":45}'],
    ['stampExpression', 'PAID'],
    ['facturxConformanceLevel', 'EN 16931'],
    ['embedsMetadata', '{"a.xml":{}}'],
    ['emulatedMediaFeatures', '[{"name":"prefers-color-scheme","value":"dark"}]'],
    ['waitWindowStatus', 'ready'],
    ['optimizeImages', 'true'],
    ['failOnConsoleExceptions', '1'],
    ['bookmarks', '[{"title":"A","page":1}]'],
    ['file:facturxXml', 'factur-x.xml'],
    ['file:embeds', 'order.xml'],
    ['file:watermark', 'draft.pdf'],
    ['file:stamp', 'paid.png'],
  ])('readConversionForm refuses %s, which would change the file', async (name, value) => {
    await expect(read([[name, value]])).rejects.toThrow(
      `form field '${name.replace('file:', '')}' is not supported by this print server`,
    );
  });

  it('readConversionForm takes them with the values that change nothing, and fields that no one knows', async () => {
    const job = await read([
      ['rotateAngle', '0'],
      ['watermarkOptions', '{}'],
      ['emulatedMediaFeatures', '[]'],
      ['optimizeImages', 'F'],
      ['color', 'red'],
    ]);
    expect(job.html).toBe('<p>1');
  });

  it('readConversionForm reads flags, lengths and repeated fields as Gotenberg does', async () => {
    const job = await read([
      ['landscape', '1'],
      ['printBackground', 'True'],
      ['marginTop', '.5'],
      ['marginLeft', '1e1mm'],
      ['paperWidth', '5'],
      ['paperWidth', '6'],
    ]);
    expect(job.settings).toMatchObject({
      landscape: true,
      printBackground: true,
      marginTop: 0.5,
      paperWidth: 5,
    });
    expect(job.settings.marginLeft).toBeCloseTo(10 / 25.4, 5);
    await expect(read([['landscape', 'yes']])).rejects.toThrow("form field 'landscape' is invalid");
  });
});
