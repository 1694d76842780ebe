import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Check } from '@pinkas/contracts';
import type { ChromiumFile } from '@pinkas/pdf';
import {
  ApiError,
  type BackgroundTask,
  type Clock,
  type Counter,
  type Histogram,
  InjectClock,
  InjectConfig,
  InjectLogger,
  type Logger,
  Metrics,
  remainingMs,
} from '@pinkas/service-kit';
import { Diagnosis, failure, ok } from '@pinkas/service-kit/diagnosis';
import { plainText } from '@pinkas/ui';
import type { RenderingConfig } from '../config.js';
import { type DocumentPage, documentHeading } from '../document/printable-page.js';
import { languageOf, type RevisionContent, type Sheet, showsOutput } from '../document/sheet.js';
import { wording } from '../document/wording.js';
import { Signers } from '../signature/signers.js';
import { type Typeface, typefaceToken } from '../typeface/typeface.js';
import { type RenderedSheet, renderSheet } from './carried-sums.js';
import { CircuitBreakingRenderer } from './circuit-breaking-renderer.js';
import { GotenbergClient } from './gotenberg-client.js';

/** The longest of documents takes less than so many milliseconds on a busy machine. */
const healthyRenderMs = 2_000;

/** A signed PDF that is not stored yet. */
export interface RenderedArtifact {
  /** What it shows beside the facts of its issue. */
  readonly content: RevisionContent;
  /** Whether it states that it is the original. */
  readonly isOriginal: boolean;
  readonly pdf: Buffer;
  readonly sha256: Buffer;
  /** SHA-256 of the certificate that signed. */
  readonly certificate: Buffer;
  /** Milliseconds, the time in the queue included. */
  readonly renderMs: number;
  readonly signMs: number;
}

/** Makes signed PDFs. The process is ready while this can render and sign. */
@Injectable()
export class PdfService implements BackgroundTask {
  readonly #renderer: CircuitBreakingRenderer;
  readonly #outcomes: Counter<'outcome'>;
  readonly #durations: Histogram<'part'>;

  constructor(
    @InjectConfig() private readonly config: RenderingConfig,
    @Inject(typefaceToken) private readonly typeface: Typeface,
    private readonly signers: Signers,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() logger: Logger,
    metrics: Metrics,
    diagnosis: Diagnosis,
  ) {
    const {
      gotenbergUrl,
      renderConcurrency: concurrency,
      renderQueueMax: queueMax,
      renderTimeoutMs,
    } = config;
    this.#renderer = new CircuitBreakingRenderer(
      new GotenbergClient(gotenbergUrl, concurrency),
      { concurrency, queueMax, healthyRenderMs: Math.min(healthyRenderMs, renderTimeoutMs) },
      logger,
    );
    diagnosis.add('printing', async () => [await this.#checkRenderer()]);
    metrics.gauge(
      'pinkas_signing_certificate_days_left',
      'Days until the first of the signing certificates expires.',
      async () => signers.daysLeft(clock.now()),
    );
    metrics.gauge(
      'pinkas_signing_certificates_revoked',
      'Signing certificates that their issuer has revoked, as far as it is known.',
      async () => signers.revokedCount(),
    );
    metrics.gauge(
      'pinkas_renderer_circuit_open',
      '1 while nothing is rendered because rendering failed several times in a row, else 0.',
      async () => Number(this.#renderer.isOpen),
    );
    this.#outcomes = metrics.counter('pinkas_renderings_total', 'Renderings by outcome: made or failed.', [
      'outcome',
    ]);
    this.#durations = metrics.histogram(
      'pinkas_rendering_duration_seconds',
      'Duration of the parts of a rendering: print, with the time in the queue of the renderer, and sign.',
      ['part'],
    );
  }

  /**
   * Renders and signs one revision of a document.
   * @throws ApiError `document_generation_failed`, with the cause for the log.
   */
  async render(sheet: Sheet): Promise<RenderedArtifact> {
    try {
      const artifact = await this.#renderAndSign(sheet);
      this.#outcomes.inc({ outcome: 'made' });
      this.#durations.observe({ part: 'print' }, artifact.renderMs / 1_000);
      this.#durations.observe({ part: 'sign' }, artifact.signMs / 1_000);
      return artifact;
    } catch (error) {
      this.#outcomes.inc({ outcome: 'failed' });
      throw new ApiError('document_generation_failed', { cause: error });
    }
  }

  start(): void {}

  /** Requests in flight are still rendered while the process drains. */
  async stop(): Promise<void> {
    this.#renderer.stop();
  }

  async ready(): Promise<string | null> {
    return this.signers.failure(this.clock.now()) ?? (await this.#renderer.unavailableReason());
  }

  warnings(): string[] {
    return this.signers.warnings(this.clock.now());
  }

  async #checkRenderer(): Promise<Check> {
    const reason = await this.#renderer.unavailableReason();
    return reason === null
      ? ok('printing', 'print server', 'answers')
      : failure('printing', 'print server', `${reason}: no document is issued`, 'docs/runbooks/printer.md');
  }

  async #renderAndSign(sheet: Sheet): Promise<RenderedArtifact> {
    const started = performance.now();
    const { file, texts } = await this.#renderPage(sheet);
    const rendered = performance.now();
    const signer = this.signers.forBook(sheet.document.business_id);
    const pdf = await this.#sign(file, sheet, texts, signer);
    return {
      content: {
        allocationNumber: sheet.allocationNumber,
        numberPending: sheet.numberPending,
        cancelledAt: sheet.cancelledAt,
        cancelReason: sheet.cancelReason ?? null,
        ...(sheet.reportCancelled && { reportCancelled: true }),
        ...(sheet.notDeductible && { notDeductible: true }),
        output: sheet.output,
      },
      isOriginal: showsOutput(sheet) && sheet.output === 'original',
      pdf,
      sha256: createHash('sha256').update(pdf).digest(),
      certificate: signer.certificate.fingerprint,
      renderMs: rendered - started,
      signMs: performance.now() - rendered,
    };
  }

  #renderPage(sheet: Sheet): Promise<RenderedSheet> {
    const timeoutMs = Math.max(1, remainingMs(this.config.renderTimeoutMs));
    const nonce = randomUUID();
    const deadlineMs = performance.now() + timeoutMs;
    const viewUrl = `${this.config.viewUrlBase}/${sheet.document.public_id}`;
    return renderSheet({ ...sheet, viewUrl }, nonce, this.typeface, (page) =>
      this.#renderer.render(page, nonce, deadlineMs, sheet.business.id),
    );
  }

  #sign(
    file: ChromiumFile,
    sheet: Sheet,
    texts: DocumentPage['texts'],
    signer: ReturnType<Signers['forBook']>,
  ): Promise<Buffer> {
    const { document, business } = sheet;
    const language = languageOf(sheet);
    return signer.sign(
      file,
      {
        documentId: document.id,
        title: documentHeading(sheet),
        author: plainText(business.name),
        language,
        issuedAt: new Date(document.issued_at),
        texts,
      },
      {
        reason: wording.computerized[language],
        location: business.city,
        contact: business.email ?? business.phone,
        signedAt: this.clock.now(),
      },
    );
  }
}
