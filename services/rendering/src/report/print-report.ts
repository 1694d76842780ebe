import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { printReport, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, InjectConfig, Operation, remainingMs } from '@pinkas/service-kit';
import { GotenbergClient } from '../artifact/gotenberg-client.js';
import type { RenderingConfig } from '../config.js';
import { facesByName, type Typeface, typefaceToken } from '../typeface/typeface.js';

/** Prints a report in the letters of the documents, apart from the queue of the documents. */
@Operation(printReport)
export class PrintReport {
  readonly #gotenberg: GotenbergClient;

  constructor(
    @InjectConfig() private readonly config: RenderingConfig,
    @Inject(typefaceToken) private readonly typeface: Typeface,
  ) {
    this.#gotenberg = new GotenbergClient(config.gotenbergUrl, 1);
  }

  async handle({ title, html }: RequestOf<typeof printReport>): Promise<ReplyOf<typeof printReport>> {
    const nonce = `${title} ${randomUUID()}`;
    const fonts = this.typeface.filesFor(html);
    const page = html.replace(
      /<title>[^<]*<\/title>/,
      `<title>${nonce}</title><style>${facesByName(fonts)}</style>`,
    );
    const deadlineMs = performance.now() + Math.max(1, remainingMs(this.config.renderTimeoutMs));
    try {
      const pdf = await this.#gotenberg.print({ html: page, fonts }, nonce, deadlineMs);
      return { pdf: pdf.toString('base64') };
    } catch (error) {
      throw new ApiError('document_generation_failed', { cause: error });
    }
  }
}
