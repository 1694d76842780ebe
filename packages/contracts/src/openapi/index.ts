export {
  cancelDocumentExample,
  createDocumentExamples,
  type Example,
  errorExample,
  exampleInvoiceId,
  replyExamples,
} from './examples.js';
export { type Addresses, type OpenApiDocument, openApiDocument } from './openapi-document.js';
export { openApiFile, openApiText } from './openapi-file.js';
export { problemsOf } from './problems-of.js';
export { typeScriptTypes } from './typescript-types.js';
