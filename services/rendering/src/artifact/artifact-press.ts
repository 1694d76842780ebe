import { createHash, randomUUID } from 'node:crypto';
import {
  type Clock,
  type Counter,
  type Histogram,
  type Logger,
  type Metrics,
  Problem,
  remainingMs,
} from '@pinkas/service-kit';
import type { RenderingConfig } from '../config.js';
import { plainText } from '../document/markup.js';
import { documentHeading, printedDocument } from '../document/printed-document.js';
import { languageOf, type Sheet, type Shown } from '../document/sheet.js';
import { wording } from '../document/wording.js';
import { Signers } from '../signature/signers.js';
import type { Typeface } from '../typeface/typeface.js';
import { ChromiumPdf } from './chromium-pdf.js';
import { Printer } from './printer.js';

/** What the longest of documents takes to be printed on a busy machine, in milliseconds. */
const soundPrinterMs = 2_000;

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
  private constructor(
    private readonly printer: Printer,
    private readonly signers: Signers,
    private readonly typeface: Typeface,
    private readonly config: RenderingConfig,
    private readonly clock: Clock,
    private readonly told: { outcomes: Counter<'outcome'>; durations: Histogram<'part'> },
  ) {}

  /**
   * @throws ConfigError when a signing certificate cannot be read, or cannot sign.
   */
  static async open(
    config: RenderingConfig,
    typeface: Typeface,
    { clock, logger, metrics }: { clock: Clock; logger: Logger; metrics: Metrics },
  ): Promise<ArtifactPress> {
    const { gotenbergUrl, renderConcurrency: concurrency, renderQueueMax: queueMax } = config;
    const signers = await Signers.open(config, { clock, logger, metrics });
    const chromium = new ChromiumPdf(gotenbergUrl, concurrency);
    const soundWithinMs = Math.min(soundPrinterMs, config.renderTimeoutMs);
    const printer = new Printer(chromium, { concurrency, queueMax, soundWithinMs }, logger);
    metrics.gauge(
      'pinkas_signing_certificate_days_left',
      'Days until the first of the signing certificates ends.',
      async () => signers.daysLeft(clock.now()),
    );
    metrics.gauge(
      'pinkas_printer_left_alone',
      '1 while the printer is left alone since it failed several times in a row, else 0.',
      async () => (printer.isLeftAlone ? 1 : 0),
    );
    const told = {
      outcomes: metrics.counter('pinkas_renderings_total', 'PDFs that were to be made: made or failed.', [
        'outcome',
      ]),
      durations: metrics.histogram(
        'pinkas_rendering_duration_seconds',
        'How long the parts of making a PDF took: print, with the wait for room at the printer, and sign.',
        ['part'],
      ),
    };
    return new ArtifactPress(printer, signers, typeface, config, clock, told);
  }

  /**
   * Prints and signs one output of a document.
   * @throws Problem `document_generation_failed`, with the cause for the log.
   */
  async print(sheet: Sheet): Promise<PrintedArtifact> {
    try {
      const started = performance.now();
      const timeoutMs = Math.max(1, remainingMs(this.config.renderTimeoutMs));
      const nonce = randomUUID();
      const page = printedDocument(sheet, nonce, this.typeface);
      const printed = await this.printer.print(page, nonce, Date.now() + timeoutMs);
      const rendered = performance.now();
      const { document, business } = sheet;
      const language = languageOf(sheet);
      const signer = this.signers.of(business.id);
      const pdf = await signer.sign(
        printed,
        {
          documentId: document.id,
          title: documentHeading(sheet),
          author: plainText(business.name),
          language,
          issuedAt: new Date(document.issued_at),
        },
        {
          reason: wording.computerized[language],
          location: business.city,
          contact: business.email ?? business.phone,
          signedAt: this.clock.now(),
        },
      );
      const renderMs = rendered - started;
      const signMs = performance.now() - rendered;
      this.told.outcomes.inc({ outcome: 'made' });
      this.told.durations.observe({ part: 'print' }, renderMs / 1_000);
      this.told.durations.observe({ part: 'sign' }, signMs / 1_000);
      return {
        shows: {
          allocationNumber: sheet.allocationNumber,
          cancelledAt: sheet.cancelledAt,
          output: sheet.output,
        },
        pdf,
        sha256: createHash('sha256').update(pdf).digest(),
        certificate: signer.certificate.fingerprint,
        renderMs,
        signMs,
      };
    } catch (error) {
      this.told.outcomes.inc({ outcome: 'failed' });
      throw new Problem('document_generation_failed', { cause: error });
    }
  }

  /** Why it cannot print or sign, or null. */
  async fault(): Promise<string | null> {
    return this.signers.fault(this.clock.now()) ?? (await this.printer.fault());
  }

  /** What an operator has to see to, though it prints and signs. */
  warnings(): string[] {
    return this.signers.warnings(this.clock.now());
  }

  /** Tries nothing any more by itself; what is asked for is still printed. */
  stop(): void {
    this.printer.stop();
  }
}
