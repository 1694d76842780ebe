import { describe, expect, it } from '@jest/globals';
import { chromiumPdf } from '../../test/chromium-pdf.js';
import { InvalidPdfError, readChromiumFile } from './chromium-file.js';
import { pdfDate, textString } from './pdf-syntax.js';
import { type SignatureFacts, signableFile } from './signable-file.js';
import { renumberStructureNodes } from './structure-nodes.js';
import { type DocumentFacts, xmpPacket } from './xmp.js';

const facts: DocumentFacts = {
  documentId: '6f2c9f5e-52f1-4d0e-9a0e-0a8f4f2f7a11',
  title: 'חשבונית מס 1042',
  author: 'עסק <לדוגמה> & "בניו"\u0001',
  language: 'he',
  issuedAt: new Date('2026-03-08T09:30:00.250Z'),
};
const signature: SignatureFacts = {
  name: 'Example Ltd',
  reason: 'מסמך ממוחשב',
  location: null,
  contact: 'office (main)',
  signedAt: new Date('2026-03-08T09:30:01.999Z'),
};
const write = (answer: Buffer, placeholderBytes = 16) =>
  signableFile(readChromiumFile(answer), facts, signature, placeholderBytes);

describe('signableFile', () => {
  it('the same page is the same file, whatever Chromium counted and when it printed', async () => {
    const first = await write(chromiumPdf('nonce-1', { firstNode: 7 }));
    const second = await write(chromiumPdf('nonce-2', { firstNode: 4_711 }));
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(first.bytes.includes('nonce')).toBe(false);
  });

  it('the byte range covers the whole file but for the signature', async () => {
    const { bytes, placeholderAt, placeholderEnd } = await write(chromiumPdf('nonce'), 20);
    expect(bytes.toString('latin1', placeholderAt, placeholderEnd)).toBe(`<${'0'.repeat(40)}>`);
    const range = /\/ByteRange \[([\d ]+)\]\/Contents $/.exec(
      bytes.toString('latin1', 0, placeholderAt),
    )?.[1];
    expect(range?.trim().split(/ +/).map(Number)).toEqual([
      0,
      placeholderAt,
      placeholderEnd,
      bytes.length - placeholderEnd,
    ]);
  });

  it('a file has one table, one end and no update', async () => {
    const text = (await write(chromiumPdf('nonce'))).bytes.toString('latin1');
    expect(text.match(/startxref/g)).toHaveLength(1);
    expect(text.match(/%%EOF/g)).toHaveLength(1);
    expect(text).not.toContain('/Prev');
  });

  it('the signature dictionary has the signer, reason, time and contact', async () => {
    const text = (await write(chromiumPdf('nonce'))).bytes.toString('latin1');
    expect(text).toContain(
      '/SubFilter/ETSI.CAdES.detached/M (D:20260308093001Z)/Name (Example Ltd)/Reason <feff',
    );
    expect(text).toContain('/ContactInfo (office \\(main\\))');
    expect(text).not.toContain('/Location');
  });

  it('the signature certifies the file, so that only forms may be filled and signatures added', async () => {
    const text = (await write(chromiumPdf('nonce'))).bytes.toString('latin1');
    const [, signatureNumber, entries] = /(\d+) 0 obj\n<<\/Type\/Sig(\/.*?)\/ByteRange/s.exec(text) ?? [];
    expect(entries).toContain(
      '/Reference[<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/P 2/V/1.2>>>>]',
    );
    expect(text).toContain(`/Perms<</DocMDP ${signatureNumber} 0 R>>`);
  });

  it.each([
    { page: '/Annots 9 0 R' },
    { catalog: '/AcroForm 9 0 R' },
    { catalog: '/Metadata 9 0 R' },
    { catalog: '/Perms 9 0 R' },
  ])('a page that has %j already is rejected', async (change) => {
    await expect(write(chromiumPdf('nonce', change))).rejects.toThrow(InvalidPdfError);
  });

  it('structure nodes are renumbered from 1, in their order', () => {
    const { objects } = readChromiumFile(chromiumPdf('nonce', { firstNode: 500 }));
    const renamed = renumberStructureNodes(objects);
    expect(renamed.get(6)?.toString()).toContain('(node00000002)');
    expect(renamed.get(7)?.toString()).toContain('(node00000001)');
    expect(renamed.get(4)).toBe(objects.get(4));
  });
});

describe('PDF metadata', () => {
  it('texts of any language and instants in UTC are encoded', () => {
    expect(textString('Total (net) \\ 5')).toBe('(Total \\(net\\) \\\\ 5)');
    expect(textString('אב')).toBe('<feff05d005d1>');
    expect(textString('line\nbreak')).toMatch(/^<feff/);
    expect(pdfDate(new Date('2026-03-08T09:30:00.250Z'))).toBe('(D:20260308093000Z)');
  });

  it('XMP escapes every character of a name', () => {
    const xmp = xmpPacket(facts, false);
    expect(xmp).toContain('<rdf:li>עסק &lt;לדוגמה&gt; &amp; &quot;בניו&quot;</rdf:li>');
    expect(xmp).toContain('<xmp:CreateDate>2026-03-08T09:30:00Z</xmp:CreateDate>');
    expect(xmp).toContain(`<xmpMM:DocumentID>uuid:${facts.documentId}</xmpMM:DocumentID>`);
  });
});
