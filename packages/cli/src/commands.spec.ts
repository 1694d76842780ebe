import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createKey, listBusinesses, showBusiness, switchApi } from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit/asking';
import { apiCommands } from './api-commands.js';
import { businessCommands } from './business-commands.js';
import type { Ask, Given, Output } from './command.js';
import { keyCommands } from './key-commands.js';

const commands = [...businessCommands, ...keyCommands, ...apiCommands];
const id = randomUUID();

/** Runs a command; `answer` stands for the system, which is not asked unless it is given. */
function run(
  name: string,
  options: Given['options'],
  answer: (subject: string, request: unknown) => unknown = () => {
    throw new Error('the system was asked');
  },
  words: Given['arguments'] = {},
): Promise<Output> {
  const command = commands.find((one) => `${one.noun} ${one.verb}` === name);
  if (!command) throw new Error(`no command ${name}`);
  const ask = (async (contract, request) => answer(contract.subject, request)) as Ask;
  return command.run({ arguments: words, options }, ask, { show: () => {}, say: () => {} });
}

describe('the commands', () => {
  it.each([
    ['key create', { business: 'x' }, '"x" is no id: pinkas business list shows them'],
    ['key create', { business: id, scopes: 'all' }, '--scopes takes documents:write,'],
    ['key create', { business: id, daily: '1e9' }, '--daily takes a whole number, not "1e9"'],
    ['key create', { business: id, 'per-minute': '-1' }, '--per-minute takes a whole number, not "-1"'],
    ['business create', { file: '/nonexistent.json' }, '/nonexistent.json cannot be read: ENOENT'],
    ['business create', { file: '/dev/null' }, '/dev/null is not JSON'],
  ])('%s refuses %p before anything is asked', (name, options, message) =>
    expect(run(name, options)).rejects.toThrow(message),
  );

  it('say what it is that does not exist', async () => {
    const nothing = () => {
      throw new Problem('not_found');
    };
    await expect(run('business show', {}, nothing, { ID: id })).rejects.toThrow(
      `No business has the id ${id}`,
    );
    await expect(run('key create', { business: id }, nothing)).rejects.toThrow(
      `No business has the id ${id}`,
    );
    await expect(run('key revoke', {}, nothing, { ID: id })).rejects.toThrow(`No key has the id ${id}`);
  });

  it('send only what the operator said, so that the defaults stay in one place', async () => {
    const asked: unknown[] = [];
    const remember = (subject: string, request: unknown) => {
      asked.push([subject, request]);
      return { id, key: 'pk' };
    };
    await run('key create', { business: id }, remember);
    await run(
      'key create',
      { business: id, name: 'till', scopes: 'documents:read, documents:read', daily: '0', 'per-minute': '7' },
      remember,
    );
    expect(asked).toEqual([
      [createKey.subject, { business_id: id }],
      [
        createKey.subject,
        { business_id: id, name: 'till', scopes: ['documents:read'], per_minute: 7, daily_documents: 0 },
      ],
    ]);
  });

  it('list every page of businesses', async () => {
    const pages = [
      { businesses: [{ id: '1', name: 'a' }], next_after: '1' },
      { businesses: [{ id: '2', name: 'b' }], next_after: null },
    ];
    const asked: unknown[] = [];
    const { json } = await run('business list', {}, (subject, request) => {
      expect(subject).toBe(listBusinesses.subject);
      asked.push(request);
      return pages[asked.length - 1];
    });
    expect(json).toEqual(pages.flatMap((page) => page.businesses));
    expect(asked).toEqual([{}, { after: '1' }]);
  });

  it.each([
    ['api disable', false, 'off'],
    ['api enable', true, 'on'],
  ])('%s switches the interface, and says which way', async (name, enabled, said) => {
    const { json, text } = await run(name, {}, (subject, request) => {
      expect([subject, request]).toEqual([switchApi.subject, { enabled }]);
      return request;
    });
    expect(json).toEqual({ enabled });
    expect(text).toContain(`The interface is ${said}`);
  });

  it('show a person each setting on a line of its own', async () => {
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
