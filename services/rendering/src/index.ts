/** What the benchmark and the gallery use. A service is otherwise never imported. */

export { fields } from './config.js';
export { hostedPage } from './document/hosted-page.js';
export { printablePage } from './document/printable-page.js';
export type { Sheet } from './document/sheet.js';
export type { SheetLogo } from './logo/logo.js';
export { renderSheet } from './print/carried-sums.js';
export { GotenbergClient } from './print/gotenberg-client.js';
export { PdfService, type RenderedArtifact } from './print/pdf-service.js';
export { Signers } from './signature/signers.js';
export { loadTypeface, type Typeface } from './typeface/typeface.js';
