import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { extname } from 'node:path';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { HttpError } from '@pinkas/service-kit/http';

/** One form may hold this many files, and this many fields. */
const partsMax = 200;
/** The largest field that is no file, in bytes. */
const fieldBytesMax = 64 * 1024;

/** A file that came with a page: a font, a picture, a style sheet. */
export interface Asset {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** One conversion, as the form requests it. Lengths are in inches. */
export interface ConversionJob {
  readonly html: string;
  /** The other files, by their names; the page refers to them by relative address. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** The same for two jobs only if names and bytes of all their assets are the same. */
  readonly assetsHash: string;
  /** 'screen' only when the form requests it. */
  readonly media: 'print' | 'screen';
  /** Whether a resource that is not among the assets makes the conversion fail. */
  readonly failOnMissingAsset: boolean;
  /** The parameters of the DevTools command `Page.printToPDF`. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
}

interface Parts {
  readonly fields: Map<string, string>;
  readonly files: Map<string, Buffer>;
  /** The fields that the files came in. */
  readonly fileFields: ReadonlySet<string>;
}

/**
 * Reads the multipart form of Gotenberg's `POST /forms/chromium/convert/html`.
 *
 * @param bytesMax the largest body
 * @throws HttpError 400 for an invalid form (every error is named), 413 for one that is too large, 415 for another content type
 */
export async function readConversionForm(request: IncomingMessage, bytesMax: number): Promise<ConversionJob> {
  const { fields, files, fileFields } = await readParts(request, bytesMax);
  const errors: string[] = [];
  const settings = printSettings(fields, errors);
  const media = mediaOf(fields, errors);
  rejectUnsupported(fields, fileFields, errors);
  const index = files.get('index.html');
  if (!index) {
    errors.push("form file 'index.html' is required");
  }
  if (!index || errors.length > 0) {
    throw new HttpError(400, `Invalid form data: ${errors.join('; ')}`);
  }
  const assets = assetsOf(files);
  return {
    html: index.toString('utf8'),
    assets,
    assetsHash: hashOf(assets),
    media,
    failOnMissingAsset: trueWords.includes(fields.get('failOnResourceLoadingFailed') ?? ''),
    settings: { ...settings, ...headerAndFooter(files) },
  };
}

function mediaOf(fields: ReadonlyMap<string, string>, errors: string[]): 'print' | 'screen' {
  const media = fields.get('emulatedMediaType') || 'print';
  if (media !== 'print' && media !== 'screen') {
    errors.push(`form field 'emulatedMediaType' is invalid (got '${media}', want 'screen' or 'print')`);
  }
  return media === 'screen' ? 'screen' : 'print';
}

function headerAndFooter(files: ReadonlyMap<string, Buffer>): ConversionJob['settings'] {
  const header = files.get('header.html');
  const footer = files.get('footer.html');
  if (!header && !footer) {
    return {};
  }
  return {
    displayHeaderFooter: true,
    // An empty template prints Chromium's own date and title; an empty element prints nothing.
    headerTemplate: header?.toString('utf8') || '<span></span>',
    footerTemplate: footer?.toString('utf8') || '<span></span>',
  };
}

const templateNames: readonly string[] = ['index.html', 'header.html', 'footer.html'];

function assetsOf(files: ReadonlyMap<string, Buffer>): Map<string, Asset> {
  const assets = [...files].filter(([name]) => !templateNames.includes(name));
  return new Map(
    assets.map(([name, bytes]) => [
      name,
      { bytes, contentType: contentTypes[extname(name).toLowerCase()] ?? 'text/plain' },
    ]),
  );
}

/** By extension; Chromium rejects a style sheet of another type. */
const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.otf': 'font/otf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

async function readParts(request: IncomingMessage, bytesMax: number): Promise<Parts> {
  if (!hasForm(request.headers)) {
    throw new HttpError(415, "Invalid 'Content-Type' header value: want 'multipart/form-data'");
  }
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    throw new HttpError(413, 'Request Entity Too Large');
  }
  const fields = new Map<string, string>();
  const files = new Map<string, Buffer>();
  const fileFields = new Set<string>();
  return new Promise<Parts>((resolve, reject) => {
    const refuse = (status: number, message: string) => {
      request.unpipe();
      reject(new HttpError(status, message));
    };
    const tooLarge = () => refuse(413, 'Request Entity Too Large');
    const broken = () => refuse(400, 'Invalid form data: the multipart body is broken');
    let form: BusboyInstance;
    try {
      form = new Busboy({
        headers: request.headers as BusboyHeaders,
        limits: { files: partsMax, fields: partsMax, fieldSize: fieldBytesMax },
      });
    } catch {
      return broken();
    }
    // Of a field that is repeated the first counts, as in Gotenberg.
    form.on('field', (name, value) => void (fields.has(name) || fields.set(name, value)));
    form.on('file', (field, stream, filename) => {
      fileFields.add(field);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('error', broken);
      stream.on('end', () => void (filename && files.set(filename, Buffer.concat(chunks))));
    });
    form.on('filesLimit', tooLarge);
    form.on('fieldsLimit', tooLarge);
    form.on('error', broken);
    form.on('finish', () => resolve({ fields, files, fileFields }));
    request.on('error', broken);
    request.on('aborted', broken);
    let bytes = 0;
    request.on('data', ({ length }: Buffer) => {
      bytes += length;
      if (bytes > bytesMax) {
        tooLarge();
      }
    });
    request.pipe(form);
  });
}

function hasForm(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.toLowerCase().startsWith('multipart/form-data') ?? false;
}

/** The fields with a meaning for `Page.printToPDF`, under their names there; absent ones take Gotenberg's defaults. */
function printSettings(
  fields: ReadonlyMap<string, string>,
  errors: string[],
): Record<string, string | number | boolean> {
  const inches = (name: string, fallback: number) => {
    const text = fields.get(name);
    if (text === undefined || text === '') {
      return fallback;
    }
    const match = /^((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(in|mm|cm|pt|px|pc)?$/.exec(text);
    if (match) {
      return Number(match[1]) / (perInch[match[2] ?? 'in'] ?? 1);
    }
    errors.push(`form field '${name}' is invalid (got '${text}', want a length such as 8.27, 210mm or 72pt)`);
    return fallback;
  };
  const flag = (name: string) => {
    const text = fields.get(name) || 'false';
    if (![...trueWords, ...falseWords].includes(text)) {
      errors.push(`form field '${name}' is invalid (got '${text}', want true or false)`);
    }
    return trueWords.includes(text);
  };
  const scale = Number(fields.get('scale') || '1');
  if (!(scale >= 0.1 && scale <= 2)) {
    errors.push(`form field 'scale' is invalid (got '${fields.get('scale')}', want 0.1 to 2)`);
  }
  return {
    paperWidth: inches('paperWidth', 8.5),
    paperHeight: inches('paperHeight', 11),
    marginTop: inches('marginTop', 0.39),
    marginBottom: inches('marginBottom', 0.39),
    marginLeft: inches('marginLeft', 0.39),
    marginRight: inches('marginRight', 0.39),
    scale,
    pageRanges: fields.get('nativePageRanges') ?? '',
    landscape: flag('landscape'),
    printBackground: flag('printBackground'),
    preferCSSPageSize: flag('preferCssPageSize'),
    generateTaggedPDF: flag('generateTaggedPdf'),
    generateDocumentOutline: flag('generateDocumentOutline'),
  };
}

/** What Gotenberg reads as a flag. */
const trueWords = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const falseWords = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

const perInch: Readonly<Record<string, number>> = {
  in: 1,
  mm: 25.4,
  cm: 2.54,
  pt: 72,
  px: 96,
  pc: 6,
};

/**
 * Fields of Gotenberg that would change the file and that this server does not support. They are rejected, because a
 * PDF without them would look like success. Unknown fields are ignored, as Gotenberg does.
 */
function rejectUnsupported(
  fields: ReadonlyMap<string, string>,
  fileFields: ReadonlySet<string>,
  errors: string[],
): void {
  const given = [...fields].filter(([, value]) => !['', '0s', '{}', '[]', ...falseWords].includes(value));
  for (const name of new Set([...given.map(([field]) => field), ...fileFields])) {
    if (unsupported.includes(name) || unsupportedKinds.test(name)) {
      errors.push(`form field '${name}' is not supported by this print server`);
    }
  }
}

/** Fields and files of these have several names each, such as `watermarkSource` and `watermarkOptions`. */
const unsupportedKinds = /^(?:watermark|stamp|rotate|embeds|facturx)/;

const unsupported = [
  'singlePage',
  'omitBackground',
  'waitDelay',
  'waitForExpression',
  'waitForSelector',
  'waitWindowStatus',
  'emulatedMediaFeatures',
  'failOnConsoleExceptions',
  'optimizeImages',
  'bookmarks',
  'pdfa',
  'pdfua',
  'metadata',
  'flatten',
  'splitMode',
  'splitSpan',
  'userPassword',
  'ownerPassword',
];

function hashOf(assets: ReadonlyMap<string, Asset>): string {
  const hash = createHash('sha256');
  for (const name of [...assets.keys()].sort()) {
    const bytes = assets.get(name)?.bytes ?? Buffer.alloc(0);
    hash.update(`${name.length}:${name}:${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex');
}
