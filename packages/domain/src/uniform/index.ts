export { type EncodedText, encodeText, type UniformCharset, uniformCharsets } from './charset.js';
export type { UniformDocument, UniformItem, UniformPayment } from './document-records.js';
export { customerKey } from './document-records.js';
export { type Field, type RecordCode, type RecordLayout, recordLayouts } from './record-layouts.js';
export { uniformDocumentCode, uniformTypeNames } from './uniform-codes.js';
export * from './uniform-files.js';
export type { Deviation } from './write-record.js';
