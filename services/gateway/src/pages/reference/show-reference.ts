import { openApiDocument } from '@pinkas/contracts/openapi';
import { fixedDocsPage } from './docs-page.js';
import { referenceBody } from './reference-page.js';

/** The reference of the HTTP API for people: the guide, every operation, field and example. */
export const showReference = fixedDocsPage('', (config, docsPath) => ({
  title: 'Reference',
  body: referenceBody(openApiDocument(config), docsPath),
}));
