import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createKey, listBusinesses, setKillSwitch, showBusiness } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';
import { apiCommands } from './api-commands.js';
import { businessCommands } from './business-commands.js';
import type { Call, CommandInput, Output } from './command.js';
import { keyCommands } from './key-commands.js';

const commands = [...businessCommands, ...keyCommands, ...apiCommands];
const id = randomUUID();

/** Runs a command; `answer` replaces the system, which must not be called unless it is given. */
function run(
  name: string,
  options: CommandInput['options'],
  answer: (subject: string, request: unknown) => unknown = () => {
    throw new Error('the system was called');
  },
  args: CommandInput['arguments'] = {},
): Promise<Output> {
  const command = commands.find((candidate) => `${candidate.noun} ${candidate.verb}` === name);
  if (!command) {
    throw new Error(`no command ${name}`);
  }
  const call = (async (contract, request) => answer(contract.subject, request)) as Call;
  return command.run({ arguments: args, options }, call, { show: () => {}, print: () => {} });
}

describe('commands', () => {
  it.each([
    ['key create', { business: 'x' }, '"x" is not an id: pinkas business list shows them'],
    ['key create', { business: id, scopes: 'all' }, '--scopes takes documents:write,'],
    ['key create', { business: id, daily: '1e9' }, '--daily takes a whole number, not "1e9"'],
    ['key create', { business: id, 'per-minute': '-1' }, '--per-minute takes a whole number, not "-1"'],
    ['business create', { file: '/nonexistent.json' }, '/nonexistent.json cannot be read: ENOENT'],
    ['business create', { file: '/dev/null' }, '/dev/null is not JSON'],
  ])('%s rejects %p before it calls a service', (name, options, message) =>
    expect(run(name, options)).rejects.toThrow(message),
  );

  it('commands name the id that does not exist', async () => {
    const nothing = () => {
      throw new ApiError('not_found');
    };
    await expect(run('business show', {}, nothing, { ID: id })).rejects.toThrow(
      `No business has the id ${id}`,
    );
    await expect(run('key create', { business: id }, nothing)).rejects.toThrow(
      `No business has the id ${id}`,
    );
    await expect(run('key revoke', {}, nothing, { ID: id })).rejects.toThrow(`No key has the id ${id}`);
  });

  it('key create sends only the options that were given', async () => {
    const requests: unknown[] = [];
    const remember = (subject: string, request: unknown) => {
      requests.push([subject, request]);
      return { id, key: 'pk' };
    };
    await run('key create', { business: id }, remember);
    await run(
      'key create',
      { business: id, name: 'till', scopes: 'documents:read, documents:read', daily: '0', 'per-minute': '7' },
      remember,
    );
    expect(requests).toEqual([
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
    const requests: unknown[] = [];
    const { json } = await run('business list', {}, (subject, request) => {
      expect(subject).toBe(listBusinesses.subject);
      requests.push(request);
      return pages[requests.length - 1];
    });
    expect(json).toEqual(pages.flatMap((page) => page.businesses));
    expect(requests).toEqual([{}, { after: '1' }]);
  });

  it.each([
    ['api disable', false, 'disabled'],
    ['api enable', true, 'enabled'],
  ])('%s sets the kill switch to %s and prints the new state', async (name, enabled, state) => {
    const { json, text } = await run(name, {}, (subject, request) => {
      expect([subject, request]).toEqual([setKillSwitch.subject, { enabled }]);
      return request;
    });
    expect(json).toEqual({ enabled });
    expect(text).toContain(`The HTTP API is ${state}`);
  });

  it('business show prints each setting on a line of its own', async () => {
    const business = { id, city: null, auto_send: { enabled: true } };
    const answer = (subject: string) => {
      expect(subject).toBe(showBusiness.subject);
      return { business };
    };
    const { text, json } = await run('business show', {}, answer, { ID: id });
    expect(text).toBe(`id         ${id}\ncity       –\nauto_send  {"enabled":true}`);
    expect(json).toEqual(business);
  });
});
