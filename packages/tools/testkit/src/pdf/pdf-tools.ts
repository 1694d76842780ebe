import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a tool on a PDF; `FILE` in the arguments is replaced by its path. */
async function runTool(tool: string, pdf: Uint8Array, args: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pinkas-pdf-'));
  try {
    const file = join(folder, 'document.pdf');
    await writeFile(file, pdf);
    const { stdout } = await run(
      tool,
      args.map((arg) => (arg === 'FILE' ? file : arg)),
      { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 },
    );
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The text of a PDF as another program reads it, in logical order, without white space: pdftotext puts the spaces between
 * Hebrew and figures now on one side, now on the other, and adds direction marks for terminals.
 */
export async function pdfText(
  pdf: Uint8Array,
  options: { layout?: boolean; raw?: boolean; page?: number } = {},
): Promise<string> {
  const { layout, raw, page } = options;
  const text = await runTool('pdftotext', pdf, [
    ...(layout ? ['-layout'] : []),
    ...(raw ? ['-raw'] : []),
    ...(page === undefined ? [] : ['-f', String(page), '-l', String(page)]),
    'FILE',
    '-',
  ]);
  return compact(text);
}

/** A text as `pdfText` gives it. */
export function compact(text: string): string {
  return text.replace(/[\s\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** What pdfsig says of the signatures of a PDF. */
export async function signatureReport(pdf: Uint8Array): Promise<string> {
  return runTool('pdfsig', pdf, ['-nocert', 'FILE']);
}

/** The fonts of a PDF: name, and whether it is embedded. */
export async function pdfFonts(pdf: Uint8Array): Promise<{ name: string; embedded: boolean }[]> {
  const rows = (await runTool('pdffonts', pdf, ['FILE'])).trim().split('\n').slice(2);
  return rows.map((row) => {
    const [name = '', ...rest] = row.split(/\s+/);
    return { name, embedded: rest.at(-5) === 'yes' };
  });
}

/** How many pictures of pixels a PDF shows. */
export async function pdfImages(pdf: Uint8Array): Promise<number> {
  return (await runTool('pdfimages', pdf, ['-list', 'FILE'])).trim().split('\n').length - 2;
}

/** The entries of `pdfinfo`. */
export async function pdfInfo(pdf: Uint8Array): Promise<Record<string, string>> {
  const rows = (await runTool('pdfinfo', pdf, ['FILE'])).trim().split('\n');
  return Object.fromEntries(
    rows.map((row) => {
      const colon = row.indexOf(':');
      return [row.slice(0, colon), row.slice(colon + 1).trim()];
    }),
  );
}

/** What the signature of a PDF is of, the signature, and how much room it has in the file. */
export function signedParts(pdf: Buffer): { content: Buffer; signature: Buffer; placeholderBytes: number } {
  const range = /\/ByteRange \[0 (\d+) +(\d+) +(\d+) *\]/.exec(pdf.toString('latin1'));
  const [from = 0, until = 0, rest = 0] = range?.slice(1).map(Number) ?? [];
  const room = Buffer.from(pdf.toString('latin1', from + 1, until - 1), 'hex');
  // A signature is a sequence with a length of two bytes.
  return {
    content: Buffer.concat([pdf.subarray(0, from), pdf.subarray(until, until + rest)]),
    signature: room.subarray(0, 4 + room.readUInt16BE(2)),
    placeholderBytes: room.length,
  };
}

/** What qpdf finds wrong with a PDF; it fails where there is something. */
export async function qpdfCheck(pdf: Uint8Array): Promise<string> {
  return runTool('qpdf', pdf, ['--check', 'FILE']);
}

/** The keys of all dictionaries of a PDF that make a viewer do something: run, open, fetch, play or send. */
export async function pdfActions(pdf: Uint8Array): Promise<string[]> {
  const acting = [
    '/AA',
    '/EmbeddedFile',
    '/EmbeddedFiles',
    '/FileAttachment',
    '/GoToR',
    '/ImportData',
    '/JS',
    '/JavaScript',
    '/Launch',
    '/Movie',
    '/OpenAction',
    '/RichMedia',
    '/Sound',
    '/SubmitForm',
    '/URI',
    '/XFA',
  ];
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && acting.includes(value)) {
      found.add(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        visit(key);
        visit(inner);
      }
    }
  };
  visit(JSON.parse(await runTool('qpdf', pdf, ['--json', '--json-key=qpdf', 'FILE'])));
  return [...found].sort();
}

/** The XMP of a PDF. */
export async function pdfXmp(pdf: Uint8Array): Promise<string> {
  return runTool('pdfinfo', pdf, ['-meta', 'FILE']);
}

/** The names of a PDF's tags for screen readers, in their order. */
export async function pdfTags(pdf: Uint8Array): Promise<string[]> {
  const rows = (await runTool('pdfinfo', pdf, ['-struct', 'FILE'])).trim().split('\n');
  return rows.map((row) => row.trim().split(/[ ":]/)[0] ?? '');
}

/** One word of a PDF and where it is, in points from the upper left of its page. */
interface PlacedWord {
  readonly page: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Where the words of a PDF are. */
export async function placedWords(pdf: Uint8Array): Promise<PlacedWord[]> {
  const layout = await runTool('pdftotext', pdf, ['-bbox', 'FILE', '-']);
  return layout
    .split('<page ')
    .slice(1)
    .flatMap((page, index) =>
      [...page.matchAll(/<word xMin="([^"]+)" yMin="([^"]+)" xMax="([^"]+)" yMax="([^"]+)"/g)].map(
        ([, left, top, right, bottom]) => ({
          page: index + 1,
          left: Number(left),
          right: Number(right),
          top: Number(top),
          bottom: Number(bottom),
        }),
      ),
    );
}

/**
 * The tags of a PDF with their texts. pdfinfo draws a page again for each of its tags, every time with the color profile of the
 * output intent: without that name, which no text depends on, it takes less than half as long.
 */
async function taggedTree(pdf: Uint8Array): Promise<string> {
  const colorless = Buffer.from(pdf).toString('latin1').replace('/OutputIntents', '/outputintents');
  return runTool('pdfinfo', Buffer.from(colorless, 'latin1'), ['-struct-text', 'FILE']);
}

/** The texts of a tagged PDF in the order of its tags, which is the order in which it is read out. */
export async function taggedTexts(pdf: Uint8Array): Promise<string[]> {
  const tree = await taggedTree(pdf);
  return [...tree.matchAll(/^\s*"(.*)"$/gm)].map(([, text = '']) => text);
}

/** A tag of a PDF with everything in it. */
interface TaggedElement {
  readonly type: string;
  readonly children: TaggedElement[];
  /** Its texts and those of its children, a text for each sequence of the page, as they are drawn. */
  readonly texts: string[];
}

/** The tags of a PDF in their order, each with what is below it. */
export async function taggedElements(pdf: Uint8Array): Promise<TaggedElement[]> {
  const tree = await taggedTree(pdf);
  const found: TaggedElement[] = [];
  const open: { indent: number; element: TaggedElement }[] = [];
  for (const line of tree.split('\n')) {
    const [, spaces = '', words = ''] = /^( *)(.*)$/.exec(line) ?? [];
    const indent = spaces.length;
    const text = /^"(.*)"$/.exec(words)?.[1];
    const type = /^([A-Z]\w*)(?::| \(\w+\)| <|$)/.exec(words)?.[1];
    while ((text ?? type) !== undefined && (open.at(-1)?.indent ?? -1) >= indent) {
      open.pop();
    }
    if (text !== undefined) {
      for (const { element } of open) {
        element.texts.push(text);
      }
    } else if (type !== undefined) {
      const element = { type, children: [], texts: [] };
      open.at(-1)?.element.children.push(element);
      open.push({ indent, element });
      found.push(element);
    }
  }
  return found;
}
