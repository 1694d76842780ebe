import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createEndpoint, showBusiness, type WebhookEndpoint } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { notFound, run } from '../../test/run.js';

const id = randomUUID();
const endpoint = (change: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id,
  business_id: id,
  url: 'https://shop.example.com/pinkas',
  types: null,
  description: null,
  enabled: true,
  disabled_reason: null,
  created_at: '2026-03-01T08:00:00.000Z',
  previous_secret_until: null,
  failing_since: null,
  last_received_at: null,
  last_failure: null,
  pending: 0,
  ...change,
});

describe('pinkas webhook', () => {
  it('webhook create asks for the test book in mode test, and prints the secret', async () => {
    const words = { URL: 'https://shop.example.com/pinkas', business: id };
    const { output, requests } = run(
      'webhook create',
      { ...words, mode: 'test', types: 'document.issued, delivery.failed' },
      {
        [showBusiness.subject]: () => ({}),
        [createEndpoint.subject]: () => ({ endpoint: endpoint(), secret: 'whsec_example' }),
      },
    );
    expect((await output).text).toContain('whsec_example');
    expect(requests[1]?.[1]).toEqual({
      business_id: testBookOf(id),
      url: 'https://shop.example.com/pinkas',
      types: ['document.issued', 'delivery.failed'],
    });
    await expect(run('webhook create', { ...words, types: 'no' }).output).rejects.toThrow(
      '--types takes document.issued',
    );
  });

  it('webhook list shows the state of each endpoint', async () => {
    const endpoints = [
      endpoint({ pending: 1_000, failing_since: '2026-03-02T08:00:00.000Z' }),
      endpoint({ enabled: false, disabled_reason: 'gone' }),
      endpoint({ enabled: false, disabled_reason: 'failing' }),
    ];
    const { text } = await run('webhook list', { business: id }, () => ({ endpoints })).output;
    expect(text).toContain('failing since 2026-03-02T08:00:00.000Z');
    expect(text).toContain('1,000 or more');
    expect(text).toContain('disabled, its answer was 410');
    expect(text).toContain('disabled, it failed for five days');
  });

  it('webhook resend reads page after page, and takes either an event or an instant', async () => {
    const after: unknown[] = [];
    const { output } = run('webhook resend', { ID: id, since: '2026-03-01' }, (_contract, request) => {
      after.push((request as { after: number }).after);
      return { resent: 2, next_after: after.length < 3 ? after.length * 1_000 : null };
    });
    expect([(await output).json, after]).toEqual([{ resent: 6 }, [0, 1_000, 2_000]]);
    for (const options of [
      {},
      { since: '2026-03-01', event: 'evt_1' },
      { event: 'evt_1' },
      { since: 'soon' },
    ]) {
      await expect(run('webhook resend', { ID: id, ...options }, () => ({})).output).rejects.toThrow(
        /resend|id of an event|instant/,
      );
    }
  });

  it('an unknown endpoint is a refusal that names the command with the ids', async () => {
    for (const verb of ['show', 'enable', 'disable', 'remove', 'rotate', 'test']) {
      const refused = run(`webhook ${verb}`, { ID: id }, notFound);
      await expect(refused.output).rejects.toThrow('pinkas webhook list --business ID shows them');
    }
  });
});
