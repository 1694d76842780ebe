import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createKey, listBusinesses, setKillSwitch, showBusiness } from '@pinkas/contracts';
import { notFound, run } from '../test/run.js';

const id = randomUUID();

describe('commands', () => {
  it.each([
    ['key create', { business: 'x' }, '"x" is not an id: pinkas business list shows them'],
    ['key create', { business: id, scopes: 'all' }, '--scopes takes documents:write,'],
    ['key create', { business: id, daily: '1e9' }, '--daily takes a whole number, not "1e9"'],
    ['key create', { business: id, 'per-minute': '-1' }, '--per-minute takes a whole number, not "-1"'],
    ['business create', { file: '/nonexistent.json' }, '/nonexistent.json cannot be read: ENOENT'],
    ['business create', { file: '/dev/null' }, '/dev/null is not JSON'],
  ])('%s rejects %p before it calls a service', (name, options, message) =>
    expect(run(name, options as Record<string, string>).output).rejects.toThrow(message),
  );

  it('commands name the id that does not exist', async () => {
    await expect(run('business show', { ID: id }, notFound).output).rejects.toThrow(
      `No business has the id ${id}`,
    );
    await expect(run('key create', { business: id }, notFound).output).rejects.toThrow(
      `No business has the id ${id}`,
    );
    await expect(run('key revoke', { ID: id }, notFound).output).rejects.toThrow(`No key has the id ${id}`);
  });

  it('key create sends only the options that were given', async () => {
    const created = () => ({ id, key: 'pk' });
    const plain = run('key create', { business: id }, created);
    await plain.output;
    const full = run(
      'key create',
      { business: id, name: 'till', scopes: 'documents:read, documents:read', daily: '0', 'per-minute': '7' },
      created,
    );
    await full.output;
    expect([...plain.requests, ...full.requests]).toEqual([
      [createKey.subject, { business_id: id }],
      [
        createKey.subject,
        { business_id: id, name: 'till', scopes: ['documents:read'], per_minute: 7, daily_documents: 0 },
      ],
    ]);
  });

  it('business list returns every page', async () => {
    const pages = [
      { businesses: [{ id: '1', name: 'a' }], next_after: '1' },
      { businesses: [{ id: '2', name: 'b' }], next_after: null },
    ];
    const listed = pages.flatMap((page) => page.businesses);
    const { output, requests } = run('business list', {}, { [listBusinesses.subject]: () => pages.shift() });
    expect((await output).json).toEqual(listed);
    expect(requests.map(([, request]) => request)).toEqual([{}, { after: '1' }]);
  });

  it.each([
    ['api disable', false, 'disabled'],
    ['api enable', true, 'enabled'],
  ])('%s sets the kill switch to %s and prints the new state', async (name, enabled, state) => {
    const { output, requests } = run(name, {}, { [setKillSwitch.subject]: (request) => request });
    const { json, text } = await output;
    expect(requests).toEqual([[setKillSwitch.subject, { enabled }]]);
    expect(json).toEqual({ enabled });
    expect(text).toContain(`The HTTP API is ${state}`);
  });

  it('business show prints each setting on a line of its own', async () => {
    const business = { id, city: null, auto_send: { enabled: true } };
    const answers = { [showBusiness.subject]: () => ({ business }) };
    const { text, json } = await run('business show', { ID: id }, answers).output;
    expect(text).toBe(`id         ${id}\ncity       –\nauto_send  {"enabled":true}`);
    expect(json).toEqual(business);
  });
});
