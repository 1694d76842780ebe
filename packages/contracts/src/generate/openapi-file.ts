import { openApiDocument } from '../openapi/openapi-document.js';

/** The path of the document in the repository. */
export const openApiFile = new URL('../../openapi.json', import.meta.url);

/** The document as it lies in the repository, for an interface at no certain host. */
export function openApiText(): string {
  const document = openApiDocument({ baseUrl: '/v1', docsUrl: 'https://api.example.com/docs' });
  return `${JSON.stringify(document, null, 2)}\n`;
}
