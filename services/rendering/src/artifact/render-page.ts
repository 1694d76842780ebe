import { Inject } from '@nestjs/common';
import { type DocumentState, type ReplyOf, type RequestOf, renderPage } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness } from '@pinkas/service-kit';
import { type Fingerprints, hostedPage } from '../document/hosted-page.js';
import { LogoShelf } from '../logo/logo-shelf.js';
import { type Typeface, typefaceToken } from '../typeface/typeface.js';
import { type DocumentKey, latestFingerprints } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';
import { keyOf } from './further-revision.js';

/** Writes a document's hosted page. It is an output beside the original, so it says 'העתק'. */
@Operation(renderPage)
export class RenderPage {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @Inject(typefaceToken) private readonly typeface: Typeface,
    private readonly logos: LogoShelf,
  ) {}

  async handle(request: RequestOf<typeof renderPage>): Promise<ReplyOf<typeof renderPage>> {
    const { document, state, business, language, pdf_url: pdfUrl } = request;
    const [logo, fingerprints] = await Promise.all([
      this.logos.logoOf(business),
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

  /** Of the file that its address serves: a document that was just cancelled has its file made when somebody fetches it. */
  async #fingerprints(key: DocumentKey, state: DocumentState): Promise<Fingerprints | null> {
    const latest = await latestFingerprints(ofBusiness(this.db, key.business_id), key);
    if (!latest || (state.cancelled_at !== null && latest.cancelled_at === null)) return null;
    return {
      revision: latest.revision,
      file: latest.sha256.toString('hex'),
      certificate: latest.certificate_sha256.toString('hex'),
    };
  }
}
