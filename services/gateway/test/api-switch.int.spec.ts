import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createBusiness,
  findPublicDocument,
  getArtifact,
  renderPage,
  revokeKey,
  switchApi,
} from '@pinkas/contracts';
import { exampleBusiness, exampleDocument } from '@pinkas/testkit';
import { type Caller, errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

const business = exampleBusiness();
const document = exampleDocument({ business_id: business.id });

describe('the interface while the operator has turned it off', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.network.answer(findPublicDocument, () => ({
      document,
      business,
      state: { status: 'open' as const, paid: 0, allocation_number: null, cancelled_at: null },
    }));
    gateway.network.answer(renderPage, () => ({ html: '<!doctype html>' }));
    gateway.network.answer(getArtifact, () => ({ revision: 1, sha256: 'a', pdf: '', cancelled: false }));
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    caller = await gateway.caller();
    await gateway.network.ask(switchApi, { enabled: false });
  });

  it('says so before it looks at anything else, on every route that needs a key', async () => {
    const { key: revoked } = await gateway.caller();
    await gateway.network.ask(revokeKey, { key_id: revoked.id });
    const id = document.id;
    for (const key of [undefined, 'nonsense', revoked.key, caller.key.key]) {
      const options = key === undefined ? {} : { key };
      for (const [method, path] of [
        ['GET', '/v1/me'],
        ['GET', '/v1/document-types'],
        ['GET', '/v1/documents?limit=x'],
        ['GET', '/v1/documents/17'],
        ['GET', `/v1/documents/${id}`],
        ['POST', '/v1/documents'],
        ['POST', `/v1/documents/${id}/cancel`],
        ['GET', '/v1/customers'],
      ] as const) {
        const answer = await gateway.http(path, { ...options, method });
        expect([answer.status, errorCodeOf(answer), answer.json.error.retryable]).toEqual([
          503,
          'api_disabled',
          true,
        ]);
      }
    }
  });

  it('comes before the limit, and counts against it all the same', async () => {
    const { key } = await gateway.caller({ key: { per_minute: 1 } });
    const ask = () => gateway.http('/v1/me', { key: key.key });
    expect((await ask()).headers.get('ratelimit-remaining')).toBe('0');
    expect(errorCodeOf(await ask())).toBe('api_disabled');
    await gateway.network.ask(switchApi, { enabled: true });
    expect(errorCodeOf(await ask())).toBe('rate_limited');
  });

  it('leaves the error catalogue, pages, PDFs and unknown paths as they are', async () => {
    for (const path of [
      '/v1/errors',
      '/docs/errors',
      `/d/${document.public_id}`,
      `/pdf/${document.public_id}`,
    ]) {
      expect((await gateway.http(path)).status).toBe(200);
    }
    const unknown = await gateway.http('/v1/nothing', { key: caller.key.key });
    expect([unknown.status, errorCodeOf(unknown)]).toEqual([404, 'not_found']);
  });

  it('leaves the operator’s own commands as they are, and serves again when it is turned on', async () => {
    await gateway.network.ask(createBusiness, { business: { name: 'עסק לדוגמה' } });
    expect(await gateway.network.ask(switchApi, { enabled: false })).toEqual({ enabled: false });
    expect(await gateway.network.ask(switchApi, { enabled: true })).toEqual({ enabled: true });
    expect((await gateway.http('/v1/me', { key: caller.key.key })).status).toBe(200);
  });
});
