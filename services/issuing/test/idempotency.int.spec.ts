import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

describe('an idempotency key', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing();
  });
  afterAll(() => issuing.stop());

  const documentsOf = (key: string) =>
    issuing.database.db.selectFrom('document').select('id').where('idempotency_key', '=', key).execute();

  it('issues once: a repeated request gets the first answer', async () => {
    const key = randomUUID();
    const first = await issuing.issue({}, key);
    const second = await issuing.issue({}, key);
    expect(first.replayed).toBe(false);
    expect(second).toEqual({ ...first, replayed: true });
    expect(await documentsOf(key)).toHaveLength(1);
  });

  it('is not used up by white space or the order of members', async () => {
    const key = randomUUID();
    const first = await issuing.issue({ title: 'א', notes: 'ב' }, key);
    const again = await issuing.issue({ notes: 'ב', title: 'א' }, key);
    expect(again.document.id).toBe(first.document.id);
  });

  it('refuses another body', async () => {
    const key = randomUUID();
    await issuing.issue({}, key);
    await expect(issuing.issue({ title: 'אחר' }, key)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });

  it('gives one document to many at once; the others are told that it is in progress, or get the document', async () => {
    const key = randomUUID();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => issuing.issue({}, key)));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason.code).toBe('request_in_progress');
    }
    expect(outcomes.some((outcome) => outcome.status === 'fulfilled')).toBe(true);
    expect(await documentsOf(key)).toHaveLength(1);
  });

  it('is in progress while its document is rendered, whatever the body of the other request', async () => {
    const key = randomUUID();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let rendering = false;
    issuing.render = async () => {
      rendering = true;
      await held;
    };
    const first = issuing.issue({}, key);
    await eventually('the rendering has begun', () => rendering);
    await expect(issuing.issue({}, key)).rejects.toMatchObject({ code: 'request_in_progress' });
    await expect(issuing.issue({ title: 'אחר' }, key)).rejects.toMatchObject({ code: 'request_in_progress' });
    release();
    issuing.render = async () => {};
    const { document } = await first;
    expect((await issuing.issue({}, key)).document.id).toBe(document.id);
  });

  it('may be used again after a refusal, with another body', async () => {
    const key = randomUUID();
    await expect(issuing.issue({ expected_total: 1 }, key)).rejects.toMatchObject({ code: 'total_mismatch' });
    expect((await issuing.issue({ expected_total: 118 }, key)).replayed).toBe(false);
  });

  it('belongs to one business', async () => {
    const key = randomUUID();
    const { document } = await issuing.issue({}, key);
    const other = await issuing.issue({}, key, { business: { ...issuing.business, id: randomUUID() } });
    expect(other.replayed).toBe(false);
    expect(other.document.id).not.toBe(document.id);
  });

  it('is not counted again by a replay', async () => {
    const keyId = randomUUID();
    const limited = { key: { id: keyId, daily_documents: 1 } };
    const key = randomUUID();
    await issuing.issue({}, key, limited);
    expect((await issuing.issue({}, key, limited)).replayed).toBe(true);
    await expect(issuing.issue({}, randomUUID(), limited)).rejects.toMatchObject({
      code: 'daily_limit_reached',
    });
  });
});
