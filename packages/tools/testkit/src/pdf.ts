export { issueCertificate, openssl, p12Of, type TestCertificate } from './pdf/certificates.js';
export { chromiumPdf } from './pdf/chromium-pdf.js';
export * from './pdf/pdf-tools.js';
export { TestCertificateAuthority } from './pdf/revocation-server.js';
export { issueTimeCertificate, TestTimestampAuthority, timeExtensions } from './pdf/timestamp-authority.js';
