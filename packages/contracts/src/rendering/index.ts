export * from './artifact.js';
export * from './certificate.js';
export * from './heads.js';
export * from './logo.js';
export * from './page.js';
export * from './report.js';
export * from './test-book.js';
