export {
  cancelDocumentExample,
  createDocumentExamples,
  type Example,
  errorExample,
  eventExample,
  exampleInvoiceId,
  replyExamples,
} from './examples.js';
export { type Addresses, type OpenApiDocument, openApiDocument } from './openapi-document.js';
export { problemsOf } from './problems-of.js';
