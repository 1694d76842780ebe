import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Attributes, inSpan, SpanKind } from '@pinkas/service-kit';
import { convert, gotenberg, html, pipe, please, set, to } from 'gotenberg-js-client';
import type { PrintedDocument } from '../document/printed-document.js';
import { BrokenPdf, type ChromiumFile, readChromiumFile } from '../pdf/chromium-file.js';

/** The largest PDF that is taken, in bytes. A document of a hundred lines has a tenth of it. */
const pdfBytesMax = 2 * 1024 * 1024;
/** A second try is worth its while only with so much time left. */
const retryNeedsMs = 1_000;
/** What a connection says that the printer closed while it lay idle, or that a restarting printer does not take yet. */
const connectionLost = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE']);

/**
 * Prints HTML through Gotenberg's Chromium. The only file that knows the client library, which was made for Gotenberg 6:
 * with a base path it speaks to Gotenberg 8, it never ends by itself, and its errors carry no more than a message.
 */
export class ChromiumPdf {
  readonly #base: string;
  readonly #agent: HttpAgent;
  readonly #described: Attributes;

  /**
   * @param gotenbergUrl without a path, for example `http://gotenberg:3000`.
   * @param concurrency how many connections are kept open at the most.
   */
  constructor(
    private readonly gotenbergUrl: string,
    concurrency: number,
  ) {
    this.#base = `${gotenbergUrl}/forms/chromium`;
    this.#described = { 'http.request.method': 'POST', 'server.address': new URL(gotenbergUrl).hostname };
    // Idle connections keep no process alive, so nothing has to close them.
    const settings = { keepAlive: true, maxSockets: concurrency };
    this.#agent = gotenbergUrl.startsWith('https:') ? new HttpsAgent(settings) : new HttpAgent(settings);
  }

  /**
   * Prints a page that has `nonce` for its title.
   * @param deadlineMs the instant, in milliseconds since 1970, after which nobody waits any more.
   * @throws BrokenPdf when the answer is not the whole PDF of this page; an Error with the printer's words when it refuses, or
   * when the time is over.
   */
  async print(page: PrintedDocument, nonce: string, deadlineMs: number): Promise<ChromiumFile> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const described = { kind: SpanKind.CLIENT, attributes: this.#described };
        return await inSpan('print', described, async () =>
          checked(await this.#convert(page, deadlineMs), nonce),
        );
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (attempt > 1 || !connectionLost.has(code) || deadlineMs - Date.now() < retryNeedsMs) throw error;
      }
    }
  }

  /** Whether the printer says within a second that it is up. */
  async answers(): Promise<boolean> {
    return fetch(`${this.gotenbergUrl}/health`, { signal: AbortSignal.timeout(1_000) }).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok;
      },
      () => false,
    );
  }

  /** Closes the connections; what still prints on them is lost. */
  close(): void {
    this.#agent.destroy();
  }

  async #convert(page: PrintedDocument, deadlineMs: number): Promise<Buffer> {
    const signal = AbortSignal.timeout(Math.max(1, deadlineMs - Date.now()));
    // A text that begins with 'file:' would be read from our disk: bytes are always taken as they are.
    const files: [string, Buffer][] = [
      ['index.html', Buffer.from(page.html)],
      ...page.fonts.map((font): [string, Buffer] => [font.fileName, font.bytes]),
    ];
    const answer = await pipe(
      gotenberg(this.#base, { agent: this.#agent, signal }),
      convert,
      html,
      to({ paperWidth: 8.27, paperHeight: 11.7 }),
      // The page's own style has the paper and its margins, with the running foot in them; the tags make the file readable
      // to those who hear it (ISO 14289-1).
      set({
        preferCssPageSize: true,
        printBackground: true,
        failOnResourceLoadingFailed: true,
        // For screen readers; since Gotenberg 8.21.
        generateTaggedPdf: true,
      } as object),
      please,
    )(files);
    return read(answer);
  }
}

async function read(answer: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > pdfBytesMax) throw new BrokenPdf(`the PDF is larger than ${pdfBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Chromium writes the page's title into the PDF's information dictionary, where the nonce must be found again. */
function checked(pdf: Buffer, nonce: string): ChromiumFile {
  const file = readChromiumFile(pdf);
  if (!file.objects.get(file.information)?.includes(`/Title (${nonce})`)) {
    throw new BrokenPdf('the PDF is of another document');
  }
  return file;
}
