import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { requireBinary } from '@pinkas/local-stack/servers';
import { createLogger } from '@pinkas/service-kit/process';
import { type PrinterConfig, readPrinterConfig } from '../src/config.js';
import { startPrinter } from '../src/start-printer.js';

export const chromiumPath = requireBinary('chromium-headless-shell');

const fontFolder = join(
  dirname(createRequire(import.meta.url).resolve('@fontsource/heebo/package.json')),
  'files',
);
/** The letters of Hebrew in two weights of one family. */
export const heebo = readFileSync(join(fontFolder, 'heebo-hebrew-400-normal.woff2'));
export const heeboBlack = readFileSync(join(fontFolder, 'heebo-hebrew-900-normal.woff2'));

/** A printer in this process. */
export interface PrinterUnderTest {
  readonly url: string;
  metrics(): Promise<string>;
  readyStatus(): Promise<number>;
  stop(): Promise<void>;
}

export async function startTested(change: Partial<PrinterConfig> = {}): Promise<PrinterUnderTest> {
  const config = readPrinterConfig({ PRODUCTION: 'false', HEALTH_PORT: '0', HTTP_PORT: '0' });
  const level = process.env.TEST_LOG_LEVEL ?? 'silent';
  const { httpPort, healthPort, stop } = await startPrinter(
    // Chromium is slow on a busy machine.
    {
      ...config,
      chromiumPath,
      pages: 2,
      queueMax: 4,
      apiTimeoutMs: 30_000,
      pageStallMs: 5_000,
      shutdownDelayMs: 0,
      ...change,
    },
    createLogger('printer', level),
  );
  const health = `http://127.0.0.1:${healthPort}`;
  return {
    url: `http://127.0.0.1:${httpPort}`,
    metrics: async () => (await fetch(`${health}/metrics`)).text(),
    readyStatus: async () => (await fetch(`${health}/readyz`)).status,
    stop,
  };
}

/** One request to print, as the client of rendering makes it. */
export interface Form {
  readonly files: Readonly<Record<string, string | Buffer>>;
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function convert(
  url: string,
  { files, fields = {}, headers = {} }: Form,
  signal?: AbortSignal,
): Promise<Response> {
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) {
    form.append('files', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name);
  }
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value);
  }
  const { origin, username, password } = new URL(url);
  const authorization = username
    ? { authorization: `Basic ${btoa(`${username}:${decodeURIComponent(password)}`)}` }
    : {};
  return fetch(`${origin}/forms/chromium/convert/html`, {
    method: 'POST',
    body: form,
    headers: { ...authorization, ...headers },
    ...(signal && { signal }),
  });
}

export const html = (body: string, style = '') =>
  `<!doctype html><html lang="he" dir="rtl"><head><meta charset="utf-8"><title>חשבונית</title><style>${style}</style></head><body>${body}</body></html>`;

/** What poppler reads in a PDF. */
export interface ReadPdf {
  readonly bytes: Buffer;
  /** Without the marks of direction that pdftotext puts around runs of Hebrew and digits. */
  readonly text: string;
  readonly info: string;
  readonly fonts: string;
  /** The pages at 60 dots to the inch, as portable pixmaps one after the other. */
  pixels(): Buffer;
}

/** @throws Error with the answer where it is no PDF. */
export async function pdfOf(response: Response): Promise<ReadPdf> {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) {
    throw new Error(`${response.status}: ${bytes.toString('utf8')}`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'printer-pdf-'));
  const file = join(folder, 'answer.pdf');
  writeFileSync(file, bytes);
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    return {
      bytes,
      text: run('pdftotext', file, '-').replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ''),
      info: run('pdfinfo', file),
      fonts: run('pdffonts', file),
      pixels: () =>
        execFileSync('pdftoppm', ['-r', '60', '-'], { input: bytes, maxBuffer: 256 * 1024 * 1024 }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints a page and reads it. */
export async function print(url: string, form: Form): Promise<ReadPdf> {
  return pdfOf(await convert(url, form));
}
