import { Controller, Inject } from '@nestjs/common';
import { type DocumentState, type ReplyOf, type RequestOf, renderDraft, renderPage } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { draftPage, type Fingerprints, hostedPage } from '../document/hosted-page.js';
import { LogoStore } from '../logo/logo.repository.js';
import { keyOf, latestRevision } from '../store/artifact.repository.js';
import { type Typeface, typefaceToken } from '../typeface/typeface.js';

/** Stands for what a draft has not yet; its page shows none of it. */
const nothing = { id: '00000000-0000-0000-0000-000000000000', public_id: '', number: 1 };

/** Pages of HTML that show a document. */
@Controller()
export class PageOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @Inject(typefaceToken) private readonly typeface: Typeface,
    private readonly logos: LogoStore,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Renders a document's hosted page. It is an output next to the original, so it states 'העתק'. */
  @Operation(renderPage)
  async render(request: RequestOf<typeof renderPage>): Promise<ReplyOf<typeof renderPage>> {
    const { document, state, business, language, pdf_url: pdfUrl, verify_url: verifyUrl } = request;
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
    return { html: hostedPage(sheet, { state, pdfUrl, fingerprints, verifyUrl }, this.typeface) };
  }

  /** Renders a document that is not issued. */
  @Operation(renderDraft)
  async renderDraft({
    draft,
    business,
  }: RequestOf<typeof renderDraft>): Promise<ReplyOf<typeof renderDraft>> {
    const issued_at = this.clock.now().toISOString();
    const customer = { ...draft.customer, id: draft.customer.id ?? nothing.id };
    const sheet = {
      document: { ...draft, ...nothing, issued_at, customer },
      business,
      logo: await this.logos.findLogo(business),
      allocationNumber: null,
      numberPending: false,
      cancelledAt: null,
      output: 'copy',
    } as const;
    return { html: draftPage(sheet, this.typeface) };
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
