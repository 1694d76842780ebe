import { Inject } from '@nestjs/common';
import { type ReplyOf, type RequestOf, renderPage } from '@pinkas/contracts';
import { Operation } from '@pinkas/service-kit';
import { hostedPage } from '../document/hosted-page.js';
import { type Typeface, typefaceToken } from '../typeface/typeface.js';

/** Writes a document's hosted page. It is an output beside the original, so it says 'העתק'. */
@Operation(renderPage)
export class RenderPage {
  constructor(@Inject(typefaceToken) private readonly typeface: Typeface) {}

  async handle(request: RequestOf<typeof renderPage>): Promise<ReplyOf<typeof renderPage>> {
    const { document, state, business } = request;
    const sheet = {
      document,
      business,
      allocationNumber: state.allocation_number,
      cancelledAt: state.cancelled_at,
      output: 'copy',
    } as const;
    return { html: hostedPage(sheet, state, request.pdf_url, this.typeface.facesInline) };
  }
}
