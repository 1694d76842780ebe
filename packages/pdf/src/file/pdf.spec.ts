import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { chromiumPdf } from '@pinkas/testkit/pdf';
import sharp from 'sharp';
import { InvalidPdfError, readChromiumFile } from './chromium-file.js';
import { readContent, writeContent } from './page-content.js';
import { pdfDate, textString } from './pdf-syntax.js';
import { readingOrder, SourceTexts } from './reading-order.js';
import { isSecurityStore, type ValidationData, withSecurityStore } from './security-store.js';
import { type SignatureFacts, signableFile } from './signable-file.js';
import { srgbProfile } from './srgb-profile.js';
import { renumberStructureNodes } from './structure-nodes.js';
import { type PageFonts, readTextRun, spaceBehind } from './text-run.js';
import { type DocumentFacts, xmpPacket } from './xmp.js';

const whole = chromiumPdf('1042');
const text = whole.toString('latin1');
const changed = (from: string, to: string) => Buffer.from(text.replace(from, to), 'latin1');
const texts = new Map([...'abc()אב'].map((letter, index) => [index + 1, letter]));
const widths = new Map([[2, 556]]);
const variants: string[] = [];
const fonts: PageFonts = {
  get: (name) => (name === 'F1' || name === 'V1' ? { number: 1, codeBytes: 2, texts, widths } : undefined),
  variant: (name, code, text) => {
    variants.push(`${name} ${code} ${text}`);
    return 'V1';
  },
  space: () => ({ font: 'F1', hex: '0009' }),
};
const written = (content: string, mcids: (index: number) => readonly number[] | null) =>
  writeContent(
    readContent(content, fonts).map((sequence, index) => ({ ...sequence, mcids: mcids(index) })),
  ).split('\n');
/** Runs of one line, from left to right. */
const line = (...texts: string[]) => texts.map((text) => ({ text, line: '1' }));
const inOrder = (runs: readonly { text: string; line: string }[], source: string) =>
  readingOrder(runs, source)?.map((index) => runs[index]?.text);
const data: ValidationData = {
  certificates: [Buffer.from('certificate')],
  ocspReplies: [Buffer.from('first reply'), Buffer.from('\nendstream\nendobj\n>>')],
  revocationLists: [Buffer.from('list')],
};
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

describe('readChromiumFile', () => {
  it('a file of Chromium is read with its objects and its pages in order', () => {
    const file = readChromiumFile(whole);
    expect(file).toMatchObject({ catalog: 8, information: 1, pages: [2, 3] });
    expect(file.objects.size).toBe(8);
    expect(file.objects.get(4)?.toString()).toBe('<</Length 12>> stream\nBT (Hi) Tj E\nendstream');
  });

  it.each<[string, Buffer]>([
    ['that is empty', Buffer.alloc(0)],
    ['that is something else', Buffer.from('<html>Welcome to the proxy</html>')],
    ['whose end is missing', whole.subarray(0, -6)],
    ['that lacks a byte of its middle', Buffer.concat([whole.subarray(0, 300), whole.subarray(301)])],
    ['that has a byte too many', Buffer.concat([whole.subarray(0, 300), whole.subarray(299)])],
    ['that is a half and an end', Buffer.concat([whole.subarray(0, 400), whole.subarray(-40)])],
    ['whose stream has another length', changed('/Length 12', '/Length 11')],
    ['whose object is another', changed('3 0 obj', '9 0 obj')],
    ['whose table has a wrong offset', changed('0000000015 00000 n', '0000000016 00000 n')],
    ['that has no page', changed('/Kids [2 0 R 3 0 R]', '/Kids []           ')],
    ['whose page tree has a cycle', changed('/Kids [2 0 R 3 0 R]', '/Kids [5 0 R 5 0 R]')],
    ['that lacks its catalog', changed('/Root 8 0 R', '/Root 9 0 R')],
  ])('a file is rejected %s', (_what, bytes) => {
    expect(() => readChromiumFile(bytes)).toThrow(InvalidPdfError);
  });

  it('a file is rejected wherever it is cut', () => {
    // The last byte is a line end, which nothing depends on.
    for (let length = 0; length < whole.length - 1; length += 1) {
      expect(() => readChromiumFile(whole.subarray(0, length))).toThrow(InvalidPdfError);
    }
  });
});

describe('page content', () => {
  it('the content outside of tags becomes an artifact, but for the state and the clipping', () => {
    const content =
      'q\n0 0 9 9 re\nW* n\n1 0 0 rg\n0 0 1 1 re\nf\nBT\n/F1 9 Tf\n1 0 0 -1 0 0 Tm\n<0001> Tj\nET\nQ';
    expect(written(content, () => null)).toEqual([
      'q',
      '0 0 9 9 re',
      'W* n',
      '1 0 0 rg',
      '/Artifact BMC',
      '0 0 1 1 re',
      'f',
      'BT',
      '/F1 9 Tf',
      '1 0 0 -1 0 0 Tm',
      '<0001> Tj',
      'ET',
      'EMC',
      'Q',
    ]);
  });

  it('the space behind a run is an artifact behind its last glyph, outside of the marks of the run', () => {
    const [sequence] = readContent(
      '/P <</MCID 0 >>BDC\nBT\n/F1 10 Tf\n1 0 0 -1 100 20 Tm\n<0001> Tj\n5.5 0 Td <0002> Tj\nET\nQ\nEMC',
      fonts,
    );
    const [run = readTextRun('', fonts)] = sequence?.runs ?? [];
    const space = spaceBehind(run, fonts);
    expect(space).toBe('BT\n/F1 10 Tf\n1 0 0 -1 111.06 20 Tm\n<0009> Tj\nET');
    const content = writeContent(sequence ? [{ ...sequence, mcids: [0], space }] : []);
    expect(content.slice(content.indexOf('EMC'))).toBe(`EMC\n/Artifact BMC\n${space}\nEMC\nQ`);
  });

  it('each group of runs is a sequence of its own, and none is inside of another', () => {
    const run = (operators: string) => `BT\n${operators}\nET`;
    const left = run('/F1 9 Tf\n1 0 0 -1 0 0 Tm\n<00010002> Tj');
    const right = run('/ReversedChars BMC\n/F1 9 Tf\n1 0 0 -1 9 0 Tm\n<0007> Tj\n4 0 Td <0006> Tj\nEMC');
    const content = `/P <</MCID 4 >>BDC\n${left}\n${right}\nEMC`;
    const [sequence] = readContent(content, fonts);
    expect(sequence?.runs.map(({ text }) => text)).toEqual(['ab', 'אב']);
    expect(written(content, () => [1, 0]).filter((line) => /BMC|BDC|EMC/.test(line))).toEqual([
      '/P <</MCID 1>>BDC',
      'EMC',
      '/ReversedChars BMC',
      '/P <</MCID 0>>BDC',
      'EMC',
      'EMC',
    ]);
  });

  it('a mirrored bracket is drawn with a font that says what it is', () => {
    variants.length = 0;
    const content =
      '/P <</MCID 0 >>BDC\nBT\n/ReversedChars BMC\n/F1 9 Tf\n1 0 0 -1 9 0 Tm\n<0007> Tj\n/Span<</ActualText (\\))>> BDC\n4 0 Td <0004> Tj\nEMC\n4 0 Td <0006> Tj\nEMC\nET\nEMC';
    const [sequence] = readContent(content, fonts);
    const [run] = sequence?.runs ?? [];
    expect(run?.text).toBe('א)ב');
    expect(run?.operators.split('\n')).toEqual([
      '/F1 9 Tf',
      '1 0 0 -1 9 0 Tm',
      '<0007> Tj',
      '/V1 9 Tf',
      '4 0 Td <0004> Tj',
      '/F1 9 Tf',
      '4 0 Td <0006> Tj',
    ]);
    expect(variants).toEqual(['F1 4 )']);
  });

  it('signs alone that are drawn from the last to the first are drawn in the order in which they are read', () => {
    const content =
      '/P <</MCID 0 >>BDC\nBT\n/ReversedChars BMC\n/F1 9 Tf\n1 0 0 -1 10 20 Tm\n<0001> Tj\n4 0 Td <0002> Tj\n3 0 Td <0003> Tj\nEMC\nET\nEMC';
    const [sequence] = readContent(content, fonts);
    const [run] = sequence?.runs ?? [];
    expect(run).toMatchObject({ text: 'cba', reversed: false });
    expect(run?.operators.split('\n')).toEqual([
      '/F1 9 Tf',
      '1 0 0 -1 17 20 Tm',
      '<0003> Tj',
      '-3 0 Td <0002> Tj',
      '-4 0 Td <0001> Tj',
    ]);
  });

  it('a glyph without a text is noticed', () => {
    const whole = (hex: string) => {
      const [sequence] = readContent(
        `/P <</MCID 0 >>BDC\nBT\n/F1 9 Tf\n1 0 0 -1 0 0 Tm\n<${hex}> Tj\nET\nEMC`,
        fonts,
      );
      return sequence?.runs[0]?.whole;
    };
    expect(whole('0001')).toBe(true);
    expect(whole('0000')).toBe(false);
    expect(whole('00FF')).toBe(false);
  });

  it.each([
    ['a text object has no end', 'BT\n/F1 9 Tf'],
    ['a sequence has no end', '/P <</MCID 0 >>BDC\n0 0 1 1 re\nf'],
    ['a sequence is in another', '/P <</MCID 0 >>BDC\n/P <</MCID 1 >>BDC\nEMC\nEMC'],
    ['marked content has another form', '/OC /MC0 BDC\nEMC'],
    ['a text object has no place', 'BT\n/F1 9 Tf\n<0001> Tj\nET'],
  ])('content is rejected when %s', (_what, content) => {
    expect(() => readContent(content, fonts)).toThrow(InvalidPdfError);
  });
});

describe('readingOrder', () => {
  it('the runs of a line are read as the source says, whatever side they are on', () => {
    expect(inOrder(line('12', ' הרצל ', 'Zoom', 'רחוב '), 'רחוב Zoom הרצל 12')).toEqual([
      'רחוב ',
      'Zoom',
      ' הרצל ',
      '12',
    ]);
  });

  it('the runs of the same letters are distinguished by their spaces', () => {
    expect(inOrder(line(' שירות', 'Ltd', ' שירות '), 'שירות Ltd')).toBeUndefined();
    expect(inOrder(line('שירות', 'kg', ' שירות '), ' שירות kgשירות')).toEqual([' שירות ', 'kg', 'שירות']);
  });

  it('a line is read before the next, and the space between them is not drawn', () => {
    const runs = [
      { text: 'שתיים', line: '1' },
      { text: 'one ', line: '1' },
      { text: '4', line: '2' },
      { text: 'three ', line: '2' },
    ];
    expect(inOrder(runs, 'one שתיים three 4')).toEqual(['one ', 'שתיים', 'three ', '4']);
  });

  it('no order is given where none says the source', () => {
    expect(readingOrder(line('אחת', 'two'), 'two three')).toBeNull();
  });

  it('a hundred equal runs do not take forever', () => {
    const runs = line(...Array.from({ length: 100 }, () => 'א '), 'x');
    expect(readingOrder(runs, 'א '.repeat(99))).toBeNull();
  });
});

describe('SourceTexts', () => {
  it('a source is found by its letters in any order, and each of the same letters once', () => {
    const sources = new SourceTexts([
      { text: 'קבלה 12', language: 'he' },
      { text: '21 קבלה', language: 'he' },
      { text: ' ', language: 'en' },
    ]);
    expect(sources.take('12קבלה')?.text).toBe('קבלה 12');
    expect(sources.take('12קבלה')?.text).toBe('21 קבלה');
    expect(sources.take('13קבלה')).toBeUndefined();
    expect(sources.take(' ')).toBeUndefined();
  });
});

describe('withSecurityStore', () => {
  let signed: Buffer;
  beforeAll(async () => {
    const at = new Date('2026-03-08T09:30:00Z');
    const { bytes } = await signableFile(
      readChromiumFile(chromiumPdf('nonce')),
      { documentId: 'one', title: 't', author: 'a', language: 'en', issuedAt: at },
      { name: 'Example Ltd', reason: 'r', location: null, contact: null, signedAt: at },
      16,
    );
    signed = bytes;
  });
  /** The last occurrence, which is in the update. */
  const replaced = (pdf: Buffer, words: string, others: string): Buffer => {
    const at = pdf.lastIndexOf(words);
    expect(at).toBeGreaterThanOrEqual(signed.length);
    return Buffer.concat([pdf.subarray(0, at), Buffer.from(others), pdf.subarray(at + words.length)]);
  };
  const updateOf = (pdf: Buffer) => pdf.subarray(signed.length).toString('latin1');

  it('the proofs follow the signed bytes, which stay as they are', () => {
    const pdf = withSecurityStore(signed, data);
    expect(pdf.subarray(0, signed.length).equals(signed)).toBe(true);
    expect(updateOf(pdf)).toMatch(
      /\/Type\/DSS\/Certs\[(\d+) 0 R\]\/OCSPs\[\d+ 0 R \d+ 0 R\]\/CRLs\[\d+ 0 R\]>>/,
    );
    expect(isSecurityStore(pdf, signed.length)).toBe(true);
    expect(withSecurityStore(signed, data).equals(pdf)).toBe(true);
  });

  it('the catalog names the store and is otherwise as it was', () => {
    const catalogs = [
      ...withSecurityStore(signed, data)
        .toString('latin1')
        .matchAll(/<<\/Type \/Catalog.*>>/g),
    ];
    const [before, after] = catalogs.map(([catalog]) => catalog);
    expect(after?.replace(/\/DSS \d+ 0 R/, '')).toBe(before);
  });

  it.each<[string, (pdf: Buffer, from: number) => Buffer]>([
    ['another object', (pdf) => Buffer.concat([pdf, Buffer.from('1 0 obj\n<<>>\nendobj\n')])],
    ['another catalog', (pdf) => replaced(pdf, '/Lang (he)', '/Lang (en)')],
    ['another root', (pdf) => replaced(pdf, '/Root 8 0 R', '/Root 7 0 R')],
    [
      'a number that an object has already',
      (pdf, from) => {
        const [number = ''] = /^\d+/.exec(pdf.toString('latin1', from, from + 8)) ?? [];
        return replaced(pdf, `${number} 0 obj`, `${'4'.padStart(number.length, '0')} 0 obj`);
      },
    ],
    ['no store', (pdf) => replaced(pdf, '/Type/DSS', '/Type/XYZ')],
    ['a part of it', (pdf) => pdf.subarray(0, -7)],
    ['something else', (pdf, from) => Buffer.concat([pdf.subarray(0, from), Buffer.from('words')])],
  ])('an update is not taken for proofs when it has %s', (_what, change) => {
    const pdf = withSecurityStore(signed, data);
    expect(isSecurityStore(change(pdf, signed.length), signed.length)).toBe(false);
  });

  it('a file that this system has not written is rejected', () => {
    expect(() => withSecurityStore(chromiumPdf('nonce'), data)).toThrow(InvalidPdfError);
    expect(() => withSecurityStore(withSecurityStore(signed, data), data)).toThrow(InvalidPdfError);
  });
});

describe('signableFile', () => {
  it('the same page is the same file, whatever Chromium counted and when it printed', async () => {
    const first = await write(chromiumPdf('nonce-1', { firstNode: 7 }));
    const second = await write(chromiumPdf('nonce-2', { firstNode: 4_711 }));
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(first.bytes.includes('nonce')).toBe(false);
  });

  it('the byte range covers the complete file but for the signature', async () => {
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

describe('srgbProfile', () => {
  it('the profile is of sRGB: its white is that of every profile, and its primaries add up to it', () => {
    const element = (name: string) => {
      const row =
        132 +
        12 *
          [...Array(10).keys()].findIndex(
            (index) => srgbProfile.toString('latin1', 132 + 12 * index, 136 + 12 * index) === name,
          );
      return srgbProfile.readUInt32BE(row + 4);
    };
    const xyz = (name: string) =>
      [8, 12, 16].map((at) => srgbProfile.readInt32BE(element(name) + at) / 65_536);
    const sums = ['rXYZ', 'gXYZ', 'bXYZ']
      .map(xyz)
      .reduce((a, b) => a.map((value, index) => value + (b[index] ?? 0)));
    for (const [index, value] of xyz('wtpt').entries()) {
      expect(sums[index]).toBeCloseTo(value, 3);
    }
    expect(srgbProfile.readUInt32BE(0)).toBe(srgbProfile.length);
    expect(srgbProfile.length).toBeLessThan(700);
  });

  it('another library reads the profile, and its colors are those of its own sRGB', async () => {
    const pixels = Buffer.from([0, 0, 0, 255, 255, 255, 200, 30, 40, 11, 110, 79, 90, 90, 90, 3, 5, 250]);
    const raw = { width: 6, height: 1, channels: 3 } as const;
    const tagged = await sharp(pixels, { raw }).png().withMetadata().toBuffer();
    // An image with our profile, converted to the library's sRGB.
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-icc-'));
    try {
      const file = join(folder, 'srgb.icc');
      await writeFile(file, srgbProfile);
      const inOurs = await sharp(tagged).withIccProfile(file).png().toBuffer();
      expect((await sharp(inOurs).metadata()).icc?.length).toBe(srgbProfile.length);
      const back = await sharp(inOurs).toColourspace('srgb').removeAlpha().raw().toBuffer();
      for (const [index, value] of pixels.entries()) {
        expect(Math.abs((back[index] ?? 0) - value)).toBeLessThanOrEqual(2);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
