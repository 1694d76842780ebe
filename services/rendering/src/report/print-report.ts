import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { printReport, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { unsignedFile } from '@pinkas/pdf';
import { ApiError, type Clock, InjectClock, InjectConfig, Operation, remainingMs } from '@pinkas/service-kit';
import { KeyedQueue, Semaphore, timeoutSignal } from '@pinkas/service-kit/concurrency';
import type { RenderingConfig } from '../config.js';
import { GotenbergClient } from '../print/gotenberg-client.js';
import { facesByName, type Typeface, typefaceToken } from '../typeface/typeface.js';
import { readReportPage } from './report-page.js';

const queueMax = 32;
/** Of one business, the one that is printed included. */
const ownMax = 4;

/**
 * Prints a report in the letters of the documents, apart from the queue of the documents. One of a business at a time waits for the
 * printer, so that those of others are next; beyond some it is `engine_error`: it is busy.
 */
@Controller()
export class PrintReport {
  readonly #gotenberg: GotenbergClient;
  readonly #ofAll = new Semaphore(1, queueMax);
  readonly #ofBusiness = new KeyedQueue(ownMax);

  constructor(
    @InjectConfig() private readonly config: RenderingConfig,
    @Inject(typefaceToken) private readonly typeface: Typeface,
    @InjectClock() private readonly clock: Clock,
  ) {
    this.#gotenberg = new GotenbergClient(config.gotenbergUrl, 1);
  }

  @Operation(printReport)
  async handle(request: RequestOf<typeof printReport>): Promise<ReplyOf<typeof printReport>> {
    const deadline = timeoutSignal(Math.max(1, remainingMs(this.config.renderTimeoutMs)));
    return this.#ofBusiness.run(request.business_id ?? '', deadline, () =>
      this.#ofAll.run(deadline, () => this.#print(request)),
    );
  }

  async #print({ title, html }: RequestOf<typeof printReport>): Promise<ReplyOf<typeof printReport>> {
    const nonce = randomUUID();
    const { page, ...facts } = readReportPage(html, title);
    const fonts = this.typeface.filesFor(page);
    const named = page.replace(
      /<title>[^<]*<\/title>/,
      `<title>${nonce}</title><style>${facesByName(fonts)}</style>`,
    );
    const deadlineMs = performance.now() + Math.max(1, remainingMs(this.config.renderTimeoutMs));
    try {
      const file = await this.#gotenberg.render({ html: named, fonts }, nonce, deadlineMs);
      const pdf = await unsignedFile(file, { ...facts, documentId: nonce, issuedAt: this.clock.now() });
      return { pdf: pdf.toString('base64') };
    } catch (error) {
      throw new ApiError('document_generation_failed', { cause: error });
    }
  }
}
