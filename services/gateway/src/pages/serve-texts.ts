import { openApiDocument } from '@pinkas/contracts/openapi';
import type { GatewayConfig } from '../config.js';
import { fixedPage } from '../http/http-page.js';
import { fileHeaders } from '../http/page-headers.js';
import { guideFor } from './guide-for.js';
import { referenceMarkdown } from './reference/reference-markdown.js';

const origin = ({ baseUrl }: GatewayConfig) => new URL(baseUrl).origin;

const serveText = (path: string, type: string, textFor: (config: GatewayConfig) => string) =>
  fixedPage(origin, path, (config) => ({
    status: 200,
    headers: fileHeaders(`${type}; charset=utf-8`),
    body: textFor(config),
  }));

/** What a language model reads first (https://llmstxt.org): what this is, and where the rest is. */
const llmsText = (config: GatewayConfig): string => {
  const { baseUrl, docsUrl } = config;
  return `# Pinkas

> An HTTP API that issues legally valid Israeli accounting documents: ten types, from quote to donation receipt, each with its number, exact
> totals and a signed PDF. \`POST ${baseUrl}/documents\` with an \`Idempotency-Key\` issues one; the same key never issues a second.

Numbers, VAT and totals are computed, never sent. Use a test key (\`pk_test_…\`) until a person asks for the live book. An issued document
can neither be deleted nor changed. After no answer, or an error that is \`retryable\`, send the same request with the same key.

## Documentation

- [All of it as Markdown](${origin(config)}/docs.md): guide, operations, schemas, errors, webhooks
- [Guide](${docsUrl}/guide): from the first call to going live
- [Errors](${docsUrl}/errors): each code with what to do
- [OpenAPI document](${baseUrl}/openapi.json)

## Programs

- [Server for agents](${origin(config)}/mcp.tgz): \`npx -y -p ${origin(config)}/mcp.tgz pinkas-mcp\` (Model Context Protocol, stdio)
- [TypeScript client](${origin(config)}/client.tgz): \`npm install ${origin(config)}/client.tgz\`
- [PHP client](${origin(config)}/client-php.tgz), with the code that makes documents of WooCommerce's orders; [how](${docsUrl}/php)
`;
};

/** The documentation for programs. */
export const serveTexts = [
  serveText('/docs.md', 'text/markdown', (config) =>
    referenceMarkdown(openApiDocument(config), guideFor(config)),
  ),
  serveText('/llms.txt', 'text/plain', llmsText),
];
