import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedRendererUrl } from '@pinkas/testkit';
import { printablePage } from '../src/document/printable-page.js';
import type { Sheet } from '../src/document/sheet.js';
import { cancelledWords } from '../src/document/wording.js';
import type { PdfService } from '../src/print/pdf-service.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import { lines, sheetIn } from './gallery/cases.js';
import { openPdfService } from './pdf-service.js';

const installMs = 240_000;
const readMs = 60_000;
const execute = promisify(execFile);
const run = async (command: string, args: readonly string[], timeout = readMs): Promise<string> =>
  (await execute(command, args, { timeout, maxBuffer: 64 * 1024 * 1024 })).stdout;

/** Reads the text of a file. */
type Read = (file: string) => Promise<string>;

const pdfjs = `import { readFileSync } from 'node:fs';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
const file = await getDocument({ data: new Uint8Array(readFileSync(process.argv[2])), verbosity: 0 }).promise;
for (let page = 1; page <= file.numPages; page += 1) {
  const { items } = await (await file.getPage(page)).getTextContent();
  process.stdout.write(items.map(({ str }) => str + ' ').join(''));
}
`;
const pypdf =
  'import sys\nfrom pypdf import PdfReader\nfor page in PdfReader(sys.argv[1]).pages: print(page.extract_text())\n';
const pdfplumber = `import sys, pdfplumber
with pdfplumber.open(sys.argv[1]) as file:
    for page in file.pages: print(page.extract_text())
`;
const pdfminer =
  'import sys\nfrom pdfminer.high_level import extract_text\nprint(extract_text(sys.argv[1]))\n';
const pdfbox = `import org.apache.pdfbox.Loader;
import org.apache.pdfbox.text.PDFTextStripper;
public class ReadText {
  public static void main(String[] arguments) throws Exception {
    try (var file = Loader.loadPDF(new java.io.File(arguments[0]))) {
      new java.io.PrintStream(System.out, true, "UTF-8").print(new PDFTextStripper().getText(file));
    }
  }
}
`;
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>test</groupId><artifactId>test</artifactId><version>1</version>
<dependencies><dependency><groupId>org.apache.pdfbox</groupId><artifactId>pdfbox</artifactId><version>3.0.5</version></dependency></dependencies>
</project>
`;

async function pythonReader(folder: string, distribution: string, program: string): Promise<Read> {
  const environment = join(folder, 'python');
  const python = join(environment, 'bin/python');
  await run('python3', ['-m', 'venv', environment], installMs);
  await run(python, ['-m', 'pip', 'install', '--quiet', distribution], installMs);
  return (file) => run(python, ['-X', 'utf8', '-I', '-c', program, file]);
}

const words = /[א-ת]+(?:["'׳״][א-ת]+)*/g;
const inLogicalOrder = (text: string) => text.replace(words, (word) => [...word].reverse().join(''));
/** Programs that extract text; each is installed into a folder of the test, where its tools are there. */
const programs: Readonly<Record<string, (folder: string) => Promise<Read>>> = {
  async poppler() {
    await run('pdftotext', ['-v']);
    return (file) => run('pdftotext', [file, '-']);
  },
  // Its items are texts without the spaces between them.
  async 'pdf.js'(folder) {
    const script = join(folder, 'pdfjs.mjs');
    const options = ['--no-audit', '--no-fund', '--omit=optional'];
    await run('npm', ['install', '--prefix', folder, ...options, 'pdfjs-dist@4.10.38'], installMs);
    await writeFile(script, pdfjs);
    return (file) => run(process.execPath, [script, file]);
  },
  pypdf: (folder) => pythonReader(folder, 'pypdf', pypdf),
  // Hebrew is in the order of drawing there.
  async 'pdfminer.six'(folder) {
    const read = await pythonReader(folder, 'pdfminer.six', pdfminer);
    return async (file) => inLogicalOrder(await read(file));
  },
  // Lines are in the order of places there: Hebrew from its last letter to its first.
  async pdfplumber(folder) {
    const read = await pythonReader(folder, 'pdfplumber', pdfplumber);
    return async (file) => inLogicalOrder(await read(file));
  },
  async PDFBox(folder) {
    const [jars, script] = [join(folder, 'pdfbox'), join(folder, 'ReadText.java')];
    await writeFile(join(folder, 'pom.xml'), pom);
    const copy = ['-q', '-B', '-f', join(folder, 'pom.xml'), 'dependency:copy-dependencies'];
    await run('mvn', [...copy, `-DoutputDirectory=${jars}`], installMs);
    await writeFile(script, pdfbox);
    return (file) => run('java', ['-cp', join(jars, '*'), script, file]);
  },
};

const numbers = /[-−]?\d+(?:[.,/:]\d+)*/g;
const tokensOf = (text: string): string[] => {
  const plain = text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
  return [...(plain.match(numbers) ?? []), ...(plain.match(words) ?? [])];
};

/** What is in the first list more often than in the second. */
function missingFrom(found: readonly string[], wanted: readonly string[]): string[] {
  const left = [...found];
  return wanted.filter((token) => {
    const at = left.indexOf(token);
    if (at >= 0) {
      left.splice(at, 1);
    }
    return at < 0;
  });
}

/** What of a list does not come behind those before it. */
function outOfOrder(found: readonly string[], wanted: readonly string[]): string[] {
  let from = 0;
  return wanted.filter((token) => {
    const at = found.indexOf(token, from);
    from = at < 0 ? from : at + 1;
    return at < 0;
  });
}

const goods =
  'אבטיח ברקוק גויאבה דובדבן הדסים ורדים זעתר חסילון טימין יסמין כרובית לימונית מלפפון נקטרינה'.split(' ');
const amounts = goods.map((_, index) => ({
  unit_price: 1_000 + index,
  line_total: 12_345.6 + 1_000 * index,
}));
const sheet = (change: Partial<Sheet> = {}): Sheet => {
  const { business, document } = sheetIn('he', 'tax_invoice');
  const items = goods.flatMap((description, index) => lines(1, { description, ...amounts[index] }));
  // A phone number is no amount, and PDFBox moves its plus sign.
  const customer = { ...document.customer, phone: null };
  return {
    ...sheetIn('he', 'tax_invoice', { document: { items, customer } }),
    business: { ...business, phone: null },
    ...change,
  };
};

describe('text that programs extract', () => {
  const readers = new Map<string, Read>();
  let folder: string;
  let pdfs: PdfService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-text-'));
    pdfs = await openPdfService(await sharedRendererUrl());
    const absent: string[] = [];
    for (const [name, open] of Object.entries(programs)) {
      await open(folder).then(
        (read) => readers.set(name, read),
        () => absent.push(name),
      );
    }
    if (absent.length > 0) {
      process.stderr.write(`text extraction is not tried with ${absent.join(', ')}: not there\n`);
    }
  }, 5 * installMs);
  afterAll(async () => {
    await pdfs?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['a document', sheet()],
    ['a cancelled document', sheet({ cancelledAt: '2026-03-10T10:00:00.000Z' })],
  ])(
    'each program reads each number and Hebrew word of %s as it was written, and its lines in order',
    async (_what, printed) => {
      const { pdf } = await pdfs.render(printed);
      const file = join(folder, 'document.pdf');
      await writeFile(file, pdf);
      const viewUrl = 'https://pinkas.example.com/d/1';
      const { texts } = printablePage({ ...printed, viewUrl }, 'nonce', loadTypeface());
      // The word across the page is no text of it.
      const wanted = texts
        .filter(({ text }) => text !== cancelledWords.he)
        .flatMap(({ text }) => tokensOf(text));
      const totals = amounts.map(({ line_total }) =>
        line_total.toLocaleString('en-US', { minimumFractionDigits: 2 }),
      );
      expect(wanted).toEqual(expect.arrayContaining([...goods, ...totals, '-150.00']));
      const findings = await Promise.all(
        [...readers].map(async ([reader, read]) => {
          const found = tokensOf(await read(file));
          const disordered = [...outOfOrder(found, totals), ...outOfOrder(found, goods)];
          return { reader, missing: missingFrom(found, wanted), disordered };
        }),
      );
      expect(findings).toEqual(
        [...readers.keys()].map((reader) => ({ reader, missing: [], disordered: [] })),
      );
    },
    3 * readMs,
  );
});
