import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getUsage, showBusiness } from '@pinkas/contracts';
import { exampleBusiness, type ServiceUnderTest } from '@pinkas/testkit';
import { newContext, withContext } from '../src/index.js';
import { type ProbeTables, probe, startProbe } from './probe-service.js';

describe('RPC over NATS', () => {
  let tested: ServiceUnderTest<ProbeTables>;
  beforeAll(async () => {
    tested = await startProbe();
  });
  afterAll(() => tested.stop());

  const request = () => ({ business_id: randomUUID(), key_id: randomUUID() });
  const raw = async (data: string | Uint8Array) => {
    const message = await tested.network.connection.request(getUsage.subject, data, { timeout: 5_000 });
    return { body: message.json(), status: message.headers?.get('Nats-Service-Error-Code') };
  };

  it('request and reply are plain JSON', async () => {
    expect(await raw(JSON.stringify(request()))).toEqual({ body: { used_today: 7 }, status: undefined });
  });

  it.each([
    ['malformed JSON', '{"a":'],
    ['no JSON object', '17'],
    ['nothing', ''],
    ['bytes that are no UTF-8', new Uint8Array([0xff, 0xfe, 0x00])],
  ])('a request is rejected and the process survives when it is %s', async (_what, data) => {
    const reply = await raw(data);
    expect(reply.status).toBe('400');
    expect(reply.body).toMatchObject({ code: 'validation_error' });
    expect(await raw(JSON.stringify(request()))).toMatchObject({ body: { used_today: 7 } });
  });

  it('a request that does not match the contract gets its validation errors', async () => {
    await expect(tested.network.call(getUsage, { business_id: 'x' } as never)).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/key_id', message: 'is required' }, { path: '/business_id' }] },
    });
  });

  it('unknown members of a newer release are dropped on both sides', async () => {
    const newer = { ...request(), asked_by: { release: 2 } };
    expect(await raw(JSON.stringify(newer))).toEqual({ body: { used_today: 7 }, status: undefined });
    const old = tested.network.connection.subscribe(showBusiness.subject, {
      callback: (_error, message) => {
        const business = { ...exampleBusiness(), added: { deeply: 1 } };
        message.respond(JSON.stringify({ business, also: [1] }));
      },
    });
    const reply = await tested.network.call(showBusiness, { business_id: randomUUID() });
    old.unsubscribe();
    expect(Object.keys(reply)).toEqual(['business']);
    expect(Object.keys(reply.business).sort()).toEqual(Object.keys(exampleBusiness()).sort());
  });

  it('request and reply contain only members of the contract', async () => {
    probe.more = { kept_by: 'a newer release' };
    expect(await raw(JSON.stringify(request()))).toEqual({ body: { used_today: 7 }, status: undefined });
    probe.more = {};
    const heard = new Promise<unknown>((resolve) => {
      tested.network.connection.subscribe(showBusiness.subject, {
        max: 1,
        callback: (_error, message) => {
          resolve(message.json());
          message.respond(JSON.stringify({ business: exampleBusiness() }));
        },
      });
    });
    const asked = { business_id: randomUUID(), kept_by: 'a newer release' };
    await tested.network.call(showBusiness, asked);
    expect(await heard).toEqual({ business_id: asked.business_id });
  });

  it('a problem travels with its code and details', async () => {
    const id = randomUUID();
    await expect(tested.network.call(getUsage, { business_id: id, key_id: id })).rejects.toMatchObject({
      code: 'not_found',
      details: { why: 'equal' },
    });
  });

  it('an unexpected error is hidden from the caller', async () => {
    probe.answer = async () => {
      throw new Error('password in the message');
    };
    const reply = await raw(JSON.stringify(request()));
    probe.answer = async () => 7;
    expect(reply.status).toBe('500');
    expect(reply.body).toEqual({ code: 'internal_error' });
  });

  it('a call without a responder fails at once', async () => {
    await expect(tested.network.call(showBusiness, { business_id: randomUUID() })).rejects.toMatchObject({
      code: 'engine_error',
      cause: { message: `${showBusiness.subject} has no responder` },
    });
  });

  it('a call does not wait past the deadline of its context', async () => {
    let release = () => {};
    probe.answer = () =>
      new Promise((resolve) => {
        release = () => resolve(7);
      });
    await expect(
      withContext(newContext(50), () => tested.network.client.call(getUsage, request())),
    ).rejects.toMatchObject({ code: 'engine_error' });
    release();
    probe.answer = async () => 7;
  });

  it('a reply that violates the contract is an engine_error', async () => {
    probe.answer = async () => -1;
    await expect(tested.network.call(getUsage, request())).rejects.toMatchObject({ code: 'engine_error' });
    probe.answer = async () => 7;
  });
});
