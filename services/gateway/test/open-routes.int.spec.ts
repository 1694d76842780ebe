import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { compile, type ErrorEntry, errorCatalogue, getErrors } from '@pinkas/contracts';
import { errorCodeOf, type GatewayUnderTest, startGateway } from './gateway.js';

describe('a route for anyone', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
  });

  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  it('GET /errors has one entry for each code of the interface, as the code answers', async () => {
    const answer = await gateway.http('/v1/errors');
    expect(answer.status).toBe(200);
    expect(compile(getErrors.reply)(answer.json)).toMatchObject({ ok: true });
    expect(answer.json.data).toEqual(
      Object.entries<ErrorEntry>(errorCatalogue).map(([code, entry]) => ({
        code,
        http_status: entry.httpStatus,
        retryable: entry.retryable,
        message: entry.message,
        message_he: entry.messageHe,
        hint: entry.hint ?? null,
        doc_url: `https://api.example.com/docs/errors#${code}`,
        details: entry.details,
      })),
    );
    const byCode = Object.fromEntries(answer.json.data.map((entry: { code: string }) => [entry.code, entry]));
    expect(byCode.already_cancelled.hint).toBeNull();
    expect(byCode.validation_error.details).toEqual(['errors']);
  });

  it('needs no key, and does not look at one', async () => {
    const { key } = await gateway.caller({ business: { archived: true } });
    for (const options of [{}, { key: 'nonsense' }, { key: key.key }]) {
      const answer = await gateway.http('/v1/errors', options);
      expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, '60']);
    }
    expect(await gateway.countedInRedis(key.id)).toBe(0);
  });

  it('counts against the address, together with bad keys and pages', async () => {
    const visitor = from('192.0.2.10');
    const first = await gateway.http('/v1/errors', visitor);
    expect(first.headers.get('ratelimit-remaining')).toBe('59');
    expect(first.headers.get('ratelimit-reset')).toBe('50');
    expect((await gateway.http('/v1/me', visitor)).headers.get('ratelimit-remaining')).toBe('58');
    await gateway.http('/docs/errors', visitor);
    const answers = await Promise.all(Array.from({ length: 60 }, () => gateway.http('/v1/errors', visitor)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(57);
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused.map(errorCodeOf)).toEqual(['rate_limited', 'rate_limited', 'rate_limited']);
    expect(refused[0]?.headers.get('retry-after')).toBe('50');
    expect((await gateway.http('/v1/errors', from('192.0.2.11'))).status).toBe(200);
  });

  it('refuses parameters that it does not know, and says which', async () => {
    const answer = await gateway.http('/v1/errors?code=not_found&code=x&lang=%zz');
    expect([answer.status, errorCodeOf(answer)]).toEqual([400, 'validation_error']);
    expect(answer.json.error.details.errors.map((fault: { path: string }) => fault.path)).toEqual([
      '/query/code',
      '/query/lang',
    ]);
    expect((await gateway.http('/v1/errors?')).status).toBe(200);
  });

  it('is there for GET alone', async () => {
    for (const method of ['POST', 'HEAD', 'DELETE', 'OPTIONS']) {
      expect((await gateway.http('/v1/errors', { method })).status).toBe(404);
    }
  });
});
