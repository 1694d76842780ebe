import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ErrorBody, LoggedRequest } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectRefusal, faultPathsOf } from '../error-table.js';
import { quote } from '../example-bodies.js';
import type { Suite } from '../suite.js';

/** Section 4.13: the requests of a key. */
export function requestLog(suite: Suite): void {
  describe('4.13 GET /requests/{request_id}', () => {
    const read = (key: string, id: string) =>
      eventually('the request is stored', async () => {
        const answer = await suite.get<LoggedRequest>(key, `/requests/${id}`);
        return answer.status === 200 && answer.body;
      });

    it('4.13 a request is read as it was answered: a replay, and a refusal with its body and its errors', async () => {
      const { key } = await suite.newIssuer();
      const document = await suite.issued(key, quote(), 'order-1');
      const [replay, refusal] = [randomUUID(), randomUUID()];
      await suite.issue(key, quote(), 'order-1', { headers: { 'x-request-id': replay } });
      const wrong = { ...quote(), external_ref: 7, notes: 'call 050-1234567' };
      const refused = await suite.issue(key, wrong, 'order-2', { headers: { 'x-request-id': refusal } });
      expect(await read(key, replay)).toMatchObject({
        ...{ request_id: replay, method: 'POST', route: '/documents', status: 201, code: null },
        ...{ idempotency_key: 'order-1', replayed: true, document_id: document.id, errors: [] },
      });
      const stored = await read(key, refusal);
      expect(stored).toMatchObject({ status: 400, code: 'validation_error', document_id: null });
      expect(stored.errors).toEqual((refused.body as ErrorBody).error.details?.errors);
      expect(stored.body).toMatchObject({ type: 'quote', notes: '***', external_ref: 7 });
    });

    it('4.13 the request of another key is not found, also of the same business', async () => {
      const { business, key } = await suite.newIssuer();
      const id = randomUUID();
      await suite.call(key, 'GET', '/me', { headers: { 'x-request-id': id } });
      await read(key, id);
      const other = await suite.newKey(business.id);
      expectRefusal(await suite.get<ErrorBody>(other.key, `/requests/${id}`), 'not_found');
      const faulty = await suite.get<ErrorBody>(key, `/requests/${id}?page=1`);
      expect(faultPathsOf(faulty)).toEqual(['/query/page']);
    });
  });
}
