import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Clock, ConfigError, Problem, remainingMs, Slots } from '@pinkas/service-kit';
import type { RenderingConfig } from '../config.js';
import { plainText } from '../document/markup.js';
import { documentHeading, printedDocument } from '../document/printed-document.js';
import { languageOf, type Sheet, type Shown } from '../document/sheet.js';
import { wording } from '../document/wording.js';
import type { Typeface } from '../typeface/typeface.js';
import { ChromiumPdf } from './chromium-pdf.js';
import { finishedPdf } from './finished-pdf.js';
import { Signature } from './signature.js';

/** A signed PDF that is not stored yet. */
export interface PrintedArtifact {
  /** What it shows beside the facts of its issue. */
  readonly shows: Shown;
  readonly pdf: Buffer;
  readonly sha256: Buffer;
  /** SHA-256 of the certificate that signed. */
  readonly certificate: Buffer;
  /** Milliseconds, the wait for room included. */
  readonly renderMs: number;
  readonly signMs: number;
}

/** Makes signed PDFs: prints, checks, signs. */
export class ArtifactPress {
  readonly #slots: Slots;

  private constructor(
    private readonly chromium: ChromiumPdf,
    private readonly signature: Signature,
    private readonly typeface: Typeface,
    private readonly config: RenderingConfig,
    private readonly clock: Clock,
  ) {
    this.#slots = new Slots(config.renderConcurrency, config.renderQueueMax);
  }

  /**
   * @throws ConfigError when the signing certificate cannot be read, or cannot sign.
   */
  static async open(config: RenderingConfig, clock: Clock, typeface: Typeface): Promise<ArtifactPress> {
    try {
      const p12 = await readFile(config.signingP12File);
      const signature = await Signature.open(p12, config.signingP12Password, clock.now());
      const chromium = new ChromiumPdf(config.gotenbergUrl, config.renderConcurrency);
      return new ArtifactPress(chromium, signature, typeface, config, clock);
    } catch (error) {
      throw new ConfigError(
        `SIGNING_P12_FILE (${config.signingP12File}) cannot sign documents: ${(error as Error).message}.`,
        { cause: error },
      );
    }
  }

  /**
   * Prints and signs one output of a document.
   * @throws Problem `document_generation_failed`, with the cause for the log.
   */
  async print(sheet: Sheet): Promise<PrintedArtifact> {
    try {
      const started = performance.now();
      const timeoutMs = Math.max(1, remainingMs(this.config.renderTimeoutMs));
      const deadlineMs = Date.now() + timeoutMs;
      const nonce = randomUUID();
      const page = printedDocument(sheet, nonce, this.typeface);
      const unsigned = await this.#slots.run(AbortSignal.timeout(Math.ceil(timeoutMs)), () =>
        this.chromium.print(page, nonce, deadlineMs),
      );
      const rendered = performance.now();
      const finished = await finishedPdf(unsigned, {
        title: documentHeading(sheet),
        author: plainText(sheet.business.name),
        documentId: sheet.document.id,
        issuedAt: sheet.document.issued_at,
      });
      const pdf = await this.signature.sign(finished, {
        reason: wording.computerized[languageOf(sheet)],
        producedAt: this.clock.now(),
      });
      return {
        shows: {
          allocationNumber: sheet.allocationNumber,
          cancelledAt: sheet.cancelledAt,
          output: sheet.output,
        },
        pdf,
        sha256: createHash('sha256').update(pdf).digest(),
        certificate: this.signature.fingerprint,
        renderMs: rendered - started,
        signMs: performance.now() - rendered,
      };
    } catch (error) {
      throw new Problem('document_generation_failed', { cause: error });
    }
  }

  /** Why it cannot print, or null. */
  async fault(): Promise<string | null> {
    if (this.signature.validUntil <= this.clock.now()) return 'the signing certificate has expired';
    return (await this.chromium.answers()) ? null : 'Gotenberg does not answer';
  }
}
