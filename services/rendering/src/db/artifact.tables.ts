import type { AsGenerated, MessagingTables, Typed } from '@pinkas/service-kit';
import type { GeneratedTables } from './generated.tables.js';
import type { HeadsTables } from './heads.tables.js';

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnRenderingTables {
  /**
   * One signed PDF of a document.
   * - `revision`: 1 is made while the document is issued; each later one shows what was not known before.
   * - `request_sha256`: SHA-256 of the request, by which a repeated request is recognized.
   * - `certificate_sha256`: SHA-256 of the signing certificate.
   * - `number_pending`: Whether this revision states that its number is still being obtained.
   * - `cancelled_at`: As this revision shows it; null: it shows no cancellation.
   * - `published_at`: When `artifactRendered` was published for this revision, as the one for the customer.
   */
  artifact: AsGenerated;
  /**
   * How far the first PDFs were compared with the book. Its one row is there from the beginning.
   * - `compared_until`: Every PDF that was stored up to then is of an issued document, and final.
   */
  artifact_comparison: AsGenerated;
  /**
   * A document of which a PDF was released to be sent to the customer.
   * - `released_at`: When the first one was released.
   */
  artifact_release: AsGenerated;
  /**
   * A file in the object store without a row, which was listed for a person.
   * - `listed_at`: When it was listed first.
   */
  listed_object: AsGenerated;
  /**
   * A file in the object store that no row of `artifact` names any more.
   * - `removed_at`: When its row was deleted, or its file moved into the row.
   */
  removed_object: AsGenerated;
  /**
   * A logo of a business, stored for as long as documents may be printed with it.
   * - `sha256`: SHA-256 of `bytes`.
   */
  logo: AsGenerated;
  /**
   * Logos that are not saved yet.
   * - `sha256`: SHA-256 of `bytes`.
   */
  logo_preview: AsGenerated;
}

/** The tables of the rendering service. */
export interface RenderingTables
  extends MessagingTables,
    HeadsTables,
    Typed<GeneratedTables, OwnRenderingTables> {}
