import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type ChromiumFile, InvalidPdfError, readChromiumFile } from '@pinkas/pdf';
import { type Attributes, inSpan, SpanKind } from '@pinkas/service-kit';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import { convert, gotenberg, html, pipe, please, set, to } from 'gotenberg-js-client';
import type { PrintablePage } from '../document/printable-page.js';

/**
 * The largest accepted PDF, in bytes. A body of a hundred lines, each of 200 other Chinese characters, makes one of 12 MB: a glyph
 * takes 0.6 KB. All texts of a body together have less than half as many characters again.
 */
const pdfBytesMax = 24 * 1024 * 1024;
/** A second attempt needs at least so much time. */
const retryNeedsMs = 1_000;
/** Error codes of a connection that Gotenberg closed while it was idle, or refused while it restarts. */
const connectionLostCodes = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE']);

/** The PDF is larger than any that a valid document makes. */
export class PdfTooLargeError extends Error {
  override readonly name = 'PdfTooLargeError';
}

/**
 * Renders HTML to PDF through Gotenberg. Only this file uses the client library, which was made for Gotenberg 6: it needs a base path
 * for Gotenberg 8, it never times out, and its errors have nothing but a message.
 */
export class GotenbergClient {
  readonly #base: string;
  readonly #healthUrl: string;
  readonly #agent: HttpAgent;
  readonly #spanAttributes: Attributes;

  /**
   * @param gotenbergUrl without a path, for example `http://user:password@gotenberg:3000`.
   * @param concurrency how many connections are open at most.
   */
  constructor(gotenbergUrl: string, concurrency: number) {
    const { origin, hostname } = new URL(gotenbergUrl);
    // Node's client makes basic authentication of the user and password in an address.
    this.#base = `${gotenbergUrl}/forms/chromium`;
    // Gotenberg wants no password here, and `fetch` refuses an address with one.
    this.#healthUrl = `${origin}/health`;
    this.#spanAttributes = { 'http.request.method': 'POST', 'server.address': hostname };
    // Idle connections keep no process alive, so nothing has to close them.
    const settings = { keepAlive: true, maxSockets: concurrency };
    this.#agent = gotenbergUrl.startsWith('https:') ? new HttpsAgent(settings) : new HttpAgent(settings);
  }

  /**
   * Renders a page whose title is `nonce`.
   * @param deadlineMs the instant, on the clock of `performance`, after which no one waits any more.
   * @throws InvalidPdfError when the response is not the whole PDF of this page; PdfTooLargeError; Error with Gotenberg's message when it rejects the page,
   * and when the deadline has passed.
   */
  async render(page: PrintablePage, nonce: string, deadlineMs: number): Promise<ChromiumFile> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const span = { kind: SpanKind.CLIENT, attributes: this.#spanAttributes };
        return await inSpan('render pdf', span, async () =>
          checkTitle(await this.#convert(page, deadlineMs), nonce),
        );
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (attempt > 1 || !connectionLostCodes.has(code) || deadlineMs - performance.now() < retryNeedsMs) {
          throw error;
        }
      }
    }
  }

  /** Whether Gotenberg answers within a second that it is up. */
  async isHealthy(): Promise<boolean> {
    return fetch(this.#healthUrl, { signal: timeoutSignal(1_000) }).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok;
      },
      () => false,
    );
  }

  /** Closes the connections; renderings in flight are lost. */
  close(): void {
    this.#agent.destroy();
  }

  async #convert(page: PrintablePage, deadlineMs: number): Promise<Buffer> {
    const signal = timeoutSignal(Math.max(1, Math.floor(deadlineMs - performance.now())));
    // The library reads a text that begins with 'file:' from disk; bytes are always sent as they are.
    const files: [string, Buffer][] = [
      ['index.html', Buffer.from(page.html)],
      ...page.fonts.map((font): [string, Buffer] => [font.fileName, font.bytes]),
    ];
    const response = await pipe(
      gotenberg(this.#base, { agent: this.#agent, signal }),
      convert,
      html,
      to({ paperWidth: 8.27, paperHeight: 11.7 }),
      // The page's own style sets the paper, its margins and the running foot.
      set({
        preferCssPageSize: true,
        printBackground: true,
        failOnResourceLoadingFailed: true,
        // For screen readers (ISO 14289-1); since Gotenberg 8.21.
        generateTaggedPdf: true,
      } as object),
      please,
    )(files);
    return readBody(response);
  }
}

async function readBody(response: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > pdfBytesMax) {
      throw new PdfTooLargeError(`the PDF is larger than ${pdfBytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Chromium writes the page's title into the information dictionary of the PDF: the nonce proves that it is of this page. */
function checkTitle(pdf: Buffer, nonce: string): ChromiumFile {
  const file = readChromiumFile(pdf);
  if (!file.objects.get(file.information)?.includes(`/Title (${nonce})`)) {
    throw new InvalidPdfError('the PDF is of another document');
  }
  return file;
}
