import { Inject } from '@nestjs/common';
import { type DocumentState, type ReplyOf, type RequestOf, renderPage } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { type Fingerprints, hostedPage } from '../document/hosted-page.js';
import { LogoStore } from '../logo/logo.repository.js';
import { type Typeface, typefaceToken } from '../typeface/typeface.js';
import { keyOf, latestRevision } from './artifact.repository.js';

/** Renders a document's hosted page. It is an output beside the original, so it says 'העתק'. */
@Operation(renderPage)
export class RenderPage {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @Inject(typefaceToken) private readonly typeface: Typeface,
    private readonly logos: LogoStore,
  ) {}

  async handle(request: RequestOf<typeof renderPage>): Promise<ReplyOf<typeof renderPage>> {
    const { document, state, business, language, pdf_url: pdfUrl } = request;
    const [logo, latest] = await Promise.all([
      this.logos.findLogo(business),
      latestRevision(forTenant(this.db, document.business_id), keyOf(document)),
    ]);
    const number = state.allocation_number ?? state.donation?.number ?? null;
    const sheet = {
      document,
      business,
      logo,
      allocationNumber: number,
      numberPending: number === null && latest?.number_pending === true,
      cancelledAt: state.cancelled_at,
      cancelReason: state.cancel_reason ?? null,
      reportCancelled: state.donation?.status === 'cancelled',
      // An objection that follows leaves the sentence where it is.
      notDeductible:
        number === null && (latest?.not_deductible === true || state.refusal?.decision === 'continue'),
      output: 'copy',
      ...(language && { language }),
    } as const;
    const fingerprints = fingerprintsOf(latest, state);
    return { html: hostedPage(sheet, { state, pdfUrl, fingerprints }, this.typeface) };
  }
}

/** Null while the address serves no final file: the file of a document just cancelled is made when somebody fetches it. */
function fingerprintsOf(
  latest: Awaited<ReturnType<typeof latestRevision>>,
  state: DocumentState,
): Fingerprints | null {
  if (!latest || (state.cancelled_at !== null && latest.cancelled_at === null)) {
    return null;
  }
  return {
    revision: latest.revision,
    file: latest.sha256.toString('hex'),
    certificate: latest.certificate_sha256.toString('hex'),
  };
}
