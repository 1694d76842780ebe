import { beforeAll, describe, expect, it } from '@jest/globals';
import { publicRoutes } from '@pinkas/contracts';
import { cancelDocumentExample, createDocumentExamples, exampleInvoiceId } from '@pinkas/contracts/openapi';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import { faultPathsOf } from '../error-table.js';
import type { Answer, Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';

interface Described {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

/** The description of the HTTP API that the system serves, and the examples in it, sent for real. */
export function openApi(suite: Suite): void {
  describe('the OpenAPI document and its examples', () => {
    let issuer: Issuer;
    let served: Answer<Described>;
    let invoiceId: string;
    beforeAll(async () => {
      issuer = await suite.newIssuer({ tax_authority_connected: true });
      served = await suite.get<Described>(null, '/openapi.json');
      // The example of a credit note speaks of the example invoice: here it is a real one.
      invoiceId = (await suite.issued(issuer.key, createDocumentExamples.tax_invoice)).id;
    });

    it('the OpenAPI document is served without a key and names this system', () => {
      expect(served.status).toBe(200);
      expect(served.body.openapi).toMatch(/^3\.1\./);
      expect(served.body.servers.map(({ url }) => url)).toEqual([suite.file.base_url]);
    });

    it('decisions, Strictness: takes no parameters', async () => {
      expect(faultPathsOf(await suite.get(null, '/openapi.json?format=yaml'))).toEqual(['/query/format']);
    });

    it('describes every route of the HTTP API, and no other', () => {
      const described = Object.entries(served.body.paths).flatMap(([path, methods]) =>
        Object.keys(methods)
          .filter((member) => ['get', 'post', 'put', 'patch', 'delete'].includes(member))
          .map((method) => `${method.toUpperCase()} ${path}`),
      );
      const routes = publicRoutes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
      expect(described.sort()).toEqual(routes.sort());
    });

    const issued = answersTo(documentTypes, async (type) => {
      const example = createDocumentExamples[type];
      const body = example.based_on === exampleInvoiceId ? { ...example, based_on: invoiceId } : example;
      return suite.issue(issuer.key, body);
    });
    it.each(documentTypes)('the example of a %s is issued as it is', (type: DocumentType) => {
      expect([issued(type).status, issued(type).body.type, issued(type).body.error]).toEqual([
        201,
        type,
        undefined,
      ]);
    });

    it('the example of a cancellation cancels', async () => {
      const { status } = await suite.cancel(issuer.key, issued('quote').body.id, cancelDocumentExample);
      expect(status).toBe(200);
    });
  });
}
