/** What the service uses. Everything else of this package is internal. */
export { type ChromiumFile, InvalidPdfError, readChromiumFile } from './file/chromium-file.js';
export { extractText, type PdfText } from './file/extract-text.js';
export type { SourceText } from './file/reading-order.js';
export { rowPages } from './file/row-pages.js';
export type { ValidationData } from './file/security-store.js';
export { unsignedFile } from './file/signable-file.js';
export { requestTimestamp } from './signature/request-timestamp.js';
export { RevocationCache } from './signature/revocation-cache.js';
export { type RequestTimestamp, type SignatureExtras, Signer } from './signature/signer.js';
export type { SigningCertificate } from './signature/signing-certificate.js';
export { TimestampChain } from './signature/timestamp-chain.js';
export { verifyDetached, verifySignature } from './signature/verify-signature.js';
