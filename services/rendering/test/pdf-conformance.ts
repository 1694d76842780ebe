import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A value as qpdf writes it in JSON: names begin with `/`, strings with `u:` or `b:`, references are `1 0 R`. */
type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };
type Dictionary = { readonly [key: string]: Value };

/** A PDF as qpdf reads it, every stream decoded. */
class ReadPdf {
  readonly #objects: Readonly<
    Record<string, { value?: Value; stream?: { dict: Dictionary; data?: string } }>
  >;

  constructor(json: { qpdf: readonly [unknown, ReadPdf['objects']] }) {
    this.#objects = json.qpdf[1];
  }

  get objects() {
    return this.#objects;
  }

  value(value: Value | undefined): Value {
    if (typeof value !== 'string' || !/^\d+ \d+ R$/.test(value)) {
      return value ?? null;
    }
    const object = this.#objects[`obj:${value}`];
    return object?.stream?.dict ?? object?.value ?? null;
  }

  dictionary(value: Value | undefined): Dictionary {
    const found = this.value(value);
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Dictionary) : {};
  }

  array(value: Value | undefined): readonly Value[] {
    const found = this.value(value);
    if (Array.isArray(found)) {
      return found as readonly Value[];
    }
    return found === null ? [] : [found];
  }

  data(reference: Value | undefined): string {
    const object = this.#objects[`obj:${String(reference)}`];
    return Buffer.from(object?.stream?.data ?? '', 'base64').toString('latin1');
  }

  text(value: Value | undefined): string {
    return String(this.value(value) ?? '').replace(/^u:/, '');
  }
}

async function read(pdf: Uint8Array): Promise<ReadPdf> {
  const folder = await mkdtemp(join(tmpdir(), 'pinkas-pdf-'));
  try {
    const file = join(folder, 'document.pdf');
    await writeFile(file, pdf);
    const { stdout } = await run(
      'qpdf',
      ['--json=2', '--json-key=qpdf', '--json-stream-data=inline', '--decode-level=generalized', file],
      { timeout: 60_000, maxBuffer: 256 * 1024 * 1024 },
    );
    return new ReadPdf(JSON.parse(stdout));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const standardTypes = new Set(
  'Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure Formula Form'.split(
    ' ',
  ),
);
const forbiddenKeys = [
  '/AA',
  '/OpenAction',
  '/JavaScript',
  '/JS',
  '/EmbeddedFiles',
  '/XFA',
  '/Encrypt',
  '/LZWDecode',
  '/OPI',
  '/Alternates',
  '/HTP',
];
const grouping = new Set(['Document', 'Part', 'Art', 'Sect', 'Div', 'BlockQuote']);
const transparent = new Set(['NonStruct', 'Span', 'Em', 'Strong', 'Code', 'Link', 'Quote']);
const painting = new Set('f F f* S s B B* b b* Do sh Tj TJ \' " BI'.split(' '));

/** A structure element with what it inherits. */
interface Tag {
  readonly type: string;
  readonly element: Dictionary;
  readonly language: string;
  readonly ancestors: readonly string[];
  readonly content: readonly { readonly page: string; readonly mcid: number }[];
}

/**
 * Checks a file against the rules of PDF/UA-1 (ISO 14289-1) and PDF/A-2a (ISO 19005-2) that a document of ours can break, on what
 * another program reads of it.
 * @returns the rules that it breaks.
 */
export async function conformanceFindings(pdf: Uint8Array): Promise<string[]> {
  const file = await read(pdf);
  const trailer = file.dictionary((file.objects.trailer as { value?: Value } | undefined)?.value);
  const catalog = file.dictionary(trailer['/Root']);
  const root = file.dictionary(catalog['/StructTreeRoot']);
  const tags = tagsBelow(file, root, file.text(catalog['/Lang']));
  return [
    ...ofFile(file, trailer, catalog),
    ...ofMetadata(file, catalog),
    ...ofTags(root, tags, file),
    ...ofGroups(tags),
    ...ofTables(tags),
    ...ofContent(file, catalog, root, tags),
    ...ofFonts(file),
  ];
}

function ofFile(file: ReadPdf, trailer: Dictionary, catalog: Dictionary): string[] {
  const findings: string[] = [];
  const [intent] = file.array(catalog['/OutputIntents']).map((reference) => file.dictionary(reference));
  const profile = file.data(intent?.['/DestOutputProfile']);
  if (
    intent?.['/S'] !== '/GTS_PDFA1' ||
    profile.slice(36, 40) !== 'acsp' ||
    profile.slice(16, 20) !== 'RGB '
  ) {
    findings.push('no RGB output intent');
  }
  const length = Buffer.from(profile.slice(0, 4), 'latin1').toString('hex');
  if (Number.parseInt(length, 16) !== profile.length) {
    findings.push('the color profile does not have its length');
  }
  if (file.array(trailer['/ID']).length !== 2) {
    findings.push('no file identifier');
  }
  if (file.dictionary(catalog['/MarkInfo'])['/Marked'] !== true) {
    findings.push('not marked as tagged');
  }
  if (file.dictionary(catalog['/ViewerPreferences'])['/DisplayDocTitle'] !== true) {
    findings.push('the title is not displayed');
  }
  if (!/^(he|en)/.test(file.text(catalog['/Lang']))) {
    findings.push('no language');
  }
  const everything = JSON.stringify(file.objects, (key, value) => (key === 'data' ? undefined : value));
  findings.push(
    ...forbiddenKeys.filter((key) => everything.includes(`"${key}"`)).map((key) => `the file has ${key}`),
  );
  return findings;
}

function ofMetadata(file: ReadPdf, catalog: Dictionary): string[] {
  const xmp = Buffer.from(file.data(catalog['/Metadata']), 'latin1').toString();
  return [
    '<pdfaid:part>2</pdfaid:part>',
    '<pdfaid:conformance>A</pdfaid:conformance>',
    '<pdfuaid:part>1</pdfuaid:part>',
    '<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>',
    '<dc:title>',
  ]
    .filter((words) => !xmp.includes(words))
    .map((words) => `the metadata lack ${words}`);
}

function tagsBelow(file: ReadPdf, root: Dictionary, documentLanguage: string): Tag[] {
  const tags: Tag[] = [];
  const visit = (reference: Value, above: { language: string; ancestors: readonly string[] }) => {
    const element = file.dictionary(reference);
    const type = file.text(element['/S']).slice(1);
    const language = element['/Lang'] === undefined ? above.language : file.text(element['/Lang']);
    const content: { page: string; mcid: number }[] = [];
    tags.push({ type, element, language, ancestors: above.ancestors, content });
    for (const kid of file.array(element['/K'])) {
      if (typeof kid === 'number') {
        content.push({ page: String(element['/Pg']), mcid: kid });
        continue;
      }
      const inner = file.dictionary(kid);
      if (inner['/Type'] === '/MCR') {
        content.push({ page: String(inner['/Pg'] ?? element['/Pg']), mcid: Number(inner['/MCID']) });
      } else if (inner['/Type'] !== '/OBJR') {
        visit(kid, { language, ancestors: [...above.ancestors, type] });
      }
    }
  };
  for (const kid of file.array(root['/K'])) {
    visit(kid, { language: documentLanguage, ancestors: [] });
  }
  return tags;
}

/** Grouping elements have no content of their own (ISO 32000-1, 14.8.4.2). */
function ofGroups(tags: readonly Tag[]): string[] {
  return tags
    .filter(({ content }) => content.length > 0)
    .map(({ ancestors, type }) => [...ancestors, type].findLast((name) => !transparent.has(name)) ?? '')
    .filter((block) => block === '' || grouping.has(block))
    .map((block) => `text directly in ${block || 'the root'}`);
}

function ofTags(root: Dictionary, tags: readonly Tag[], file: ReadPdf): string[] {
  const findings: string[] = [];
  const roles = file.dictionary(root['/RoleMap']);
  for (const { type, element } of tags) {
    const standard = standardTypes.has(type) ? type : file.text(roles[`/${type}`]).slice(1);
    if (!standardTypes.has(standard)) {
      findings.push(`the type ${type} is not mapped`);
    }
    if (type === 'Figure' && element['/Alt'] === undefined) {
      findings.push('a figure has no text');
    }
  }
  let level = 0;
  for (const { type } of tags) {
    const next = Number(/^H([1-6])$/.exec(type)?.[1] ?? 0);
    if (next > level + 1) {
      findings.push(`${type} comes behind H${level}`);
    }
    level = next || level;
  }
  return findings;
}

const parentsOf: Readonly<Record<string, readonly string[]>> = {
  TR: ['THead', 'TBody', 'TFoot'],
  THead: ['Table'],
  TBody: ['Table'],
  TH: ['TR'],
  TD: ['TR'],
};

function ofTables(tags: readonly Tag[]): string[] {
  const findings: string[] = [];
  for (const { type, element, ancestors } of tags) {
    const parent = ancestors.at(-1) ?? '';
    if (parentsOf[type] && !parentsOf[type].includes(parent)) {
      findings.push(`${type} is in ${parent}`);
    }
    if (type === 'TH' && !/"\/Scope":"\/(Column|Row)"/.test(JSON.stringify(element['/A'] ?? null))) {
      findings.push('a TH has no scope');
    }
    if (type === 'TD' && ancestors.includes('THead')) {
      findings.push('a TD is in a THead');
    }
  }
  return findings;
}

const hebrew = /[\u05d0-\u05ea]/;
const latin = /[A-Za-z]{2}/;

function ofContent(file: ReadPdf, catalog: Dictionary, root: Dictionary, tags: readonly Tag[]): string[] {
  const findings: string[] = [];
  const owners = new Map<string, Tag>();
  for (const tag of tags) {
    for (const { page, mcid } of tag.content) {
      if (owners.has(`${page} ${mcid}`)) {
        findings.push(`content ${mcid} has two tags`);
      }
      owners.set(`${page} ${mcid}`, tag);
    }
  }
  const nums = file.array(file.dictionary(root['/ParentTree'])['/Nums']);
  const seen = new Set<string>();
  for (const page of pagesBelow(file, catalog['/Pages'])) {
    const dictionary = file.dictionary(page);
    if (dictionary['/Tabs'] !== '/S') {
      findings.push('a page does not follow the tags');
    }
    const listed = file.array(nums[nums.indexOf(dictionary['/StructParents'] ?? -1) + 1]);
    for (const { mcid, text, unmarked, unmapped } of sequencesOf(file, dictionary)) {
      if (unmarked) {
        findings.push(`${unmarked} is neither tagged nor an artifact`);
      }
      if (unmapped) {
        findings.push(`the glyph ${unmapped} has no text`);
      }
      if (mcid === null) {
        continue;
      }
      const tag = owners.get(`${page} ${mcid}`);
      seen.add(`${page} ${mcid}`);
      if (!tag || file.dictionary(listed[mcid]) !== tag.element) {
        findings.push(`content ${mcid} does not have its tag`);
      }
      if (tag && hebrew.test(text) && !tag.language.startsWith('he')) {
        findings.push(`Hebrew is marked as ${tag.language}: ${text}`);
      }
      if (tag && latin.test(text) && !tag.language.startsWith('en')) {
        findings.push(`Latin is marked as ${tag.language}: ${text}`);
      }
    }
  }
  findings.push(
    ...[...owners.keys()].filter((key) => !seen.has(key)).map((key) => `the content ${key} is missing`),
  );
  return findings;
}

function pagesBelow(file: ReadPdf, reference: Value | undefined): string[] {
  const node = file.dictionary(reference);
  return node['/Type'] === '/Page'
    ? [String(reference)]
    : file.array(node['/Kids']).flatMap((kid) => pagesBelow(file, kid));
}

interface Marked {
  readonly mcid: number | null;
  /** In the order of drawing. */
  text: string;
  /** What is drawn outside of every sequence. */
  unmarked?: string;
  /** A glyph without a text. */
  unmapped?: string;
}

/** The marked sequences of a page. */
function sequencesOf(file: ReadPdf, page: Dictionary): Marked[] {
  const fonts = file.dictionary(file.dictionary(page['/Resources'])['/Font']);
  const maps = new Map(
    Object.entries(fonts).map(([name, font]) => [name, unicodeMap(file, file.dictionary(font))] as const),
  );
  const content = file.array(page['/Contents']).length > 0 ? file.data(page['/Contents']) : '';
  const found: Marked[] = [];
  const open: (Marked | 'artifact' | 'other')[] = [];
  let map = new Map<number, string>();
  const tokens =
    content.match(/<<(?:[^<>]|<[^<]*?>)*>>|\((?:\\.|[^\\)])*\)|<[0-9A-Fa-f]*>|\[|\]|[^\s[\]<>()]+/g) ?? [];
  for (const [index, token] of tokens.entries()) {
    if (token === 'BMC' || token === 'BDC') {
      const tag = token === 'BMC' ? tokens[index - 1] : tokens[index - 2];
      const mcid = token === 'BDC' ? /\/MCID (\d+)/.exec(tokens[index - 1] ?? '')?.[1] : undefined;
      const sequence: Marked = { mcid: Number(mcid), text: '' };
      if (mcid === undefined) {
        open.push(tag === '/Artifact' ? 'artifact' : 'other');
      } else {
        found.push(sequence);
        open.push(sequence);
      }
    } else if (token === 'EMC') {
      open.pop();
    } else if (token === 'Tf') {
      map = maps.get(tokens[index - 2] ?? '') ?? new Map();
    } else if (painting.has(token)) {
      const inside = open.findLast((item) => item !== 'other');
      if (inside === undefined) {
        found.push({ mcid: null, text: '', unmarked: token });
      }
      for (const [code] of token === 'Tj' ? (tokens[index - 1] ?? '').matchAll(/[0-9A-F]{4}/g) : []) {
        const text = map.get(Number.parseInt(code, 16));
        if (text === undefined || code === '0000') {
          found.push({ mcid: null, text: '', unmapped: code });
        }
        if (typeof inside === 'object') {
          inside.text += text ?? '';
        }
      }
    }
  }
  if (open.length > 0) {
    found.push({ mcid: null, text: '', unmarked: 'a sequence without an end' });
  }
  return found;
}

function unicodeMap(file: ReadPdf, font: Dictionary): Map<number, string> {
  const map = new Map<number, string>();
  const number = (digits = '') => Number.parseInt(digits, 16);
  const text = (digits = '') => Buffer.from(digits, 'hex').swap16().toString('utf16le');
  for (const [, kind, rows = ''] of file
    .data(font['/ToUnicode'])
    .matchAll(/beginbf(char|range)\s([\s\S]*?)endbf/g)) {
    const parts = [...rows.matchAll(/<([0-9A-F]+)>/g)].map(([, digits]) => digits);
    for (let at = 0; at < parts.length; at += kind === 'char' ? 2 : 3) {
      const [first, second, third] = parts.slice(at);
      if (kind === 'char') {
        map.set(number(first), text(second));
        continue;
      }
      for (let code = number(first); code <= number(second); code += 1) {
        map.set(code, String.fromCodePoint(number(third) + code - number(first)));
      }
    }
  }
  return map;
}

function ofFonts(file: ReadPdf): string[] {
  const findings: string[] = [];
  for (const object of Object.values(file.objects)) {
    const font = file.dictionary(object.value);
    if (font['/Type'] !== '/Font' || String(font['/Subtype']).startsWith('/CIDFont')) {
      continue;
    }
    const name = file.text(font['/BaseFont']);
    const [descendant] = file.array(font['/DescendantFonts']).map((reference) => file.dictionary(reference));
    const descriptor = file.dictionary((descendant ?? font)['/FontDescriptor']);
    if (font['/Subtype'] !== '/Type3' && !descriptor['/FontFile2'] && !descriptor['/FontFile3']) {
      findings.push(`the font ${name} is not in the file`);
    }
    const texts = [...unicodeMap(file, font).values()];
    if (texts.length === 0 || texts.some((text) => text === '' || /[\0\ufeff\ufffe]/.test(text))) {
      findings.push(`the font ${name} has glyphs without a text`);
    }
  }
  return findings;
}

/** What each element of a tagged PDF states instead of what it draws, in the order of the file. */
export async function actualTexts(pdf: Uint8Array): Promise<string[]> {
  const file = await read(pdf);
  return Object.values(file.objects).flatMap(({ value }) => {
    const element = file.dictionary(value);
    return element['/ActualText'] === undefined ? [] : [file.text(element['/ActualText'])];
  });
}
