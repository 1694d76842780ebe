export {
  cancelDocumentExample,
  createDocumentExamples,
  type Example,
  errorExample,
  eventExample,
  exampleInvoiceId,
  replyExamples,
} from './examples.js';
export { guide } from './guide.js';
export { type Addresses, type OpenApiDocument, openApiDocument } from './openapi-document.js';
export { problemsOf } from './problems-of.js';
export { signatureChecks } from './webhooks-chapter.js';
