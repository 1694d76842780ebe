import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorCatalogueEntry, errorCatalogue } from '@pinkas/contracts';
import type { WireAnswer } from '../../harness/send.js';
import { errorCodes, errorTable, expectRefusal, faultPathsOf } from '../error-table.js';
import type { Answer, Suite } from '../suite.js';

/** Sections 2.8, 4.3 and 7: the error object and GET /errors. */
export function errors(suite: Suite): void {
  describe('4.3 GET /errors (7)', () => {
    let answer: Answer<{ data: ErrorCatalogueEntry[] }>;
    let page: WireAnswer;
    beforeAll(async () => {
      answer = await suite.get<{ data: ErrorCatalogueEntry[] }>(null, '/errors');
      page = await suite.visit(`${suite.file.docs_url}/errors`);
    });

    it('GET /errors needs no key and ignores a wrong one', async () => {
      expect(answer.status).toBe(200);
      expect((await suite.call('pk_wrong', 'GET', '/errors')).status).toBe(200);
    });

    it('GET /errors GET /errors has one entry for each row of the table of errors', () => {
      expect(answer.body.data.map(({ code }) => code).sort()).toEqual([...errorCodes].sort());
      expect(Object.keys(errorCatalogue).sort()).toEqual([...errorCodes].sort());
    });

    it.each(errorCodes)('7 %s: status, retryable and details are those of the table', (code) => {
      const entry = answer.body.data.find((item) => item.code === code);
      expect(entry).toMatchObject({
        http_status: errorTable[code].status,
        retryable: errorTable[code].retryable,
        details: errorTable[code].details,
        doc_url: `${suite.file.docs_url}/errors#${code}`,
      });
    });

    it('2.8 messages are in English and in Hebrew; the hint is absent where there is nothing to do', () => {
      for (const { code, message, message_he, hint } of answer.body.data) {
        expect(message).toMatch(/^[A-Za-z][ -~]+\.$/);
        expect(message_he).toMatch(/[\u05d0-\u05ea]/);
        expect(hint === null).toBe(code === 'already_cancelled');
      }
    });

    it('2.8 doc_url leads to a page that exists and explains every code at its anchor', () => {
      expect(page.status).toBe(200);
      expect(page.headers['content-type']).toMatch(/^text\/html/);
      for (const code of errorCodes) {
        expect(page.text).toContain(`id="${code}"`);
      }
    });

    it('decisions, Requests: takes no parameters', async () => {
      expect(faultPathsOf(await suite.get(null, '/errors?code=not_found'))).toEqual(['/query/code']);
    });
  });

  describe('2.8 the error object', () => {
    it('an error object is below `error`, with the request id beside it', async () => {
      const refused = await suite.get(null, '/me');
      expectRefusal(refused, 'unauthorized');
      expect(Object.keys(refused.body).sort()).toEqual(['error', 'request_id']);
      expect(Object.keys(refused.body.error).sort()).toEqual([
        'code',
        'doc_url',
        'hint',
        'message',
        'message_he',
        'retryable',
      ]);
    });
  });
}
