import { Inject } from '@nestjs/common';
import { type DocumentState, type ReplyOf, type RequestOf, renderPage } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { type Fingerprints, hostedPage } from '../document/hosted-page.js';
import { LogoStore } from '../logo/logo.repository.js';
import { type Typeface, typefaceToken } from '../typeface/typeface.js';
import { type DocumentKey, keyOf, latestFingerprints } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';

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
    const [logo, fingerprints] = await Promise.all([
      this.logos.findLogo(business),
      this.#fingerprints(keyOf(document), state),
    ]);
    const sheet = {
      document,
      business,
      logo,
      allocationNumber: state.allocation_number,
      cancelledAt: state.cancelled_at,
      output: 'copy',
      ...(language && { language }),
    } as const;
    return { html: hostedPage(sheet, { state, pdfUrl, fingerprints }, this.typeface) };
  }

  /** Null while the address serves no final file: the file of a document just cancelled is made when somebody fetches it. */
  async #fingerprints(key: DocumentKey, state: DocumentState): Promise<Fingerprints | null> {
    const latest = await latestFingerprints(forTenant(this.db, key.business_id), key);
    if (!latest || (state.cancelled_at !== null && latest.cancelled_at === null)) {
      return null;
    }
    return {
      revision: latest.revision,
      file: latest.sha256.toString('hex'),
      certificate: latest.certificate_sha256.toString('hex'),
    };
  }
}
