import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createKey, listBusinesses, setKillSwitch, showBusiness } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';
import { notFound, run } from '../../test/run.js';
import { commands, runCommand, written } from '../run-command.js';
import type { Command } from './command.js';
import { nameOf, parseCommandLine } from './command-line.js';
import { helpText } from './help.js';
import { errorLine, errorText, exitCodeOf, RefusalError, UsageError } from './usage-error.js';

const nothing = async () => ({ json: null, text: '' });
const exampleCommands: readonly Command[] = [
  {
    noun: 'key',
    verb: 'create',
    summary: 'makes a key',
    arguments: [],
    options: {
      business: { value: 'ID', meaning: 'whose', required: true },
      name: { value: 'N', meaning: 'a label' },
      quiet: { value: null, meaning: 'a switch' },
    },
    run: nothing,
  },
  { noun: 'key', verb: 'revoke', summary: 'ends a key', arguments: ['ID'], options: {}, run: nothing },
  {
    noun: 'verify',
    verb: null,
    summary: 'proves the book',
    arguments: [],
    options: { business: { value: 'ID', meaning: 'whose' } },
    run: nothing,
  },
  {
    noun: 'queue',
    verb: 'redrive',
    summary: 'handles it again',
    arguments: ['ID'],
    argumentsOption: 'all',
    options: { all: { value: null, meaning: 'everything' } },
    run: nothing,
  },
];
const read = (line: string) => parseCommandLine(line.split(' ').filter(Boolean), exampleCommands);

describe('parseCommandLine', () => {
  it('a command line has a command with options and arguments', () => {
    expect(read('key create --business 1 --json')).toMatchObject({
      kind: 'run',
      command: { verb: 'create' },
      json: true,
      input: { options: { business: '1' } },
    });
    expect(read('verify')).toMatchObject({ command: { noun: 'verify' }, input: { options: {} } });
    expect(read('verify --business 1')).toMatchObject({ input: { options: { business: '1' } } });
    expect(read('key revoke 17')).toMatchObject({ json: false, input: { arguments: { ID: '17' } } });
  });

  it('a switch can replace the arguments of a command', () => {
    expect(read('queue redrive 17')).toMatchObject({ input: { arguments: { ID: '17' }, options: {} } });
    expect(read('queue redrive --all')).toMatchObject({
      input: { arguments: { ID: '' }, options: { all: 'yes' } },
    });
  });

  it('a switch takes no value', () => {
    expect(read('key create --quiet --business 1')).toMatchObject({
      input: { options: { business: '1', quiet: 'yes' } },
    });
    expect(() => read('key create --business 1 --quiet=no')).toThrow('--quiet');
  });

  it.each([
    ['', undefined, undefined],
    ['--help', undefined, undefined],
    ['help', undefined, undefined],
    ['key', 'key', undefined],
    ['key --json', 'key', undefined],
    ['key --help', 'key', undefined],
    ['key create -h', 'key', 'create'],
    ['help key', 'key', undefined],
    ['verify --help', 'verify', undefined],
  ])('"%s" requests the help of the noun %s and the verb %s', (line, noun, verb) =>
    expect(read(line)).toEqual({ kind: 'help', noun, verb }),
  );

  it('--version requests the version', () => {
    expect(read('--version')).toEqual({ kind: 'version', json: false });
    expect(read('--version --json')).toEqual({ kind: 'version', json: true });
    expect(() => read('key --version')).toThrow('There is no command "key --version"');
  });

  it.each([
    ['keys create', 'There is no command "keys create": pinkas --help lists the commands'],
    ['keys --json', 'There is no command "keys": pinkas --help lists the commands'],
    ['key make', 'There is no command "key make": pinkas key --help lists the commands'],
    ['key create', 'key create needs --business ID: see pinkas key --help'],
    ['key revoke', 'key revoke takes ID: see pinkas key --help'],
    ['key revoke 1 2', 'key revoke takes ID: see pinkas key --help'],
    ['key create 1 --business 2', 'key create takes no argument: see pinkas key --help'],
    ['queue redrive', 'queue redrive takes ID, or --all: see pinkas queue --help'],
    ['queue redrive 17 --all', 'queue redrive takes ID, or --all: see pinkas queue --help'],
    ['verify everything', 'verify takes no argument: see pinkas verify --help'],
    ['key create --color blue', "Unknown option '--color': see pinkas key --help"],
  ])('"%s" is rejected with the correct usage', (line, message) => expect(() => read(line)).toThrow(message));
});

describe('helpText', () => {
  it('the help lists every command, and the options of the commands of a noun', () => {
    const help = (noun?: string, verb?: string) => helpText(exampleCommands, noun, verb);
    expect(help()).toMatch(/key create +makes a key\n +key revoke ID +ends a key/);
    expect(help()).toMatch(/ {2}verify +proves the book/);
    expect(help('verify')).toContain('pinkas verify [--business ID]');
    expect(help()).toContain('queue redrive ID | --all');
    expect(help('queue')).toContain('pinkas queue redrive ID | --all\n');
    expect(help('key')).toContain('pinkas key create --business ID [--name N] [--quiet]');
    expect(help('key', 'revoke')).toContain('pinkas key revoke ID');
    expect(help('key', 'revoke')).not.toContain('key create');
  });
});

describe('errorLine', () => {
  it('an error line names every validation error with its path in the settings file', () => {
    const apiError = ApiError.invalid([
      { path: '/business/vat_rate', message: 'must be number' },
      { path: '/change/auto_send/channel', message: 'must be one\nof these' },
      { path: '/business', message: 'must be object' },
    ]);
    expect(errorLine(apiError)).toBe(
      'Correct these and try again: /vat_rate must be number; /auto_send/channel must be one of these; / must be object',
    );
  });
});

describe('errorText', () => {
  it.each([
    [new UsageError('--mode takes live or test'), { code: 'usage', message: '--mode takes live or test' }],
    [new RefusalError('There is no key'), { code: 'refused', message: 'There is no key' }],
    [new Error('The file is not there'), { code: 'failed', message: 'The file is not there' }],
    [
      new ApiError('not_found'),
      { code: 'not_found', message: 'The resource does not exist. See the log of the service' },
    ],
  ])('the error %s is one JSON value for a program', (error, expected) => {
    expect(JSON.parse(errorText(error, true))).toEqual({ error: expected });
    expect(errorText(error, false)).toBe(expected.message);
  });

  it('the JSON of a validation error has its fields, with their paths in the settings file', () => {
    const errors = ['/change/vat_rate', '/per_minute'].map((path) => ({ path, message: 'must be a number' }));
    const { error } = JSON.parse(errorText(ApiError.invalid(errors), true));
    expect(error.code).toBe('validation_error');
    expect(error.details.errors.map(({ path }: { path: string }) => path)).toEqual([
      '/vat_rate',
      '/per_minute',
    ]);
  });
});

describe('written', () => {
  it('a control sequence that a tenant wrote does not reach the terminal', () => {
    const name = 'Demo\u001b[31m\u009b2J\u0007';
    const output = { json: { name }, text: `ID\tNAME\n1  ${name}`, failure: name };
    const shown = 'Demo\ufffd[31m\ufffd2J\ufffd';
    expect(written(output, false)).toEqual({ text: `ID\tNAME\n1  ${shown}`, failure: shown });
    expect(JSON.parse(written(output, true).text)).toEqual({ name });
    expect(errorLine(new Error(name))).toBe(shown);
  });
});

describe('exitCodeOf', () => {
  const codeOf = (args: readonly string[]) =>
    runCommand(args, () => Promise.reject(new Error('the system was called'))).then(() => 0, exitCodeOf);

  it.each(commands.map((command) => [nameOf(command).join(' '), command] as const))(
    'pinkas %s exits with 2 for an unknown option, a surplus argument and what is no id',
    async (_name, command) => {
      const required = Object.entries(command.options).filter(([, option]) => option.required);
      const args = [
        ...nameOf(command),
        ...command.arguments.map(() => 'x'),
        ...required.flatMap(([name]) => [`--${name}`, 'x']),
      ];
      expect(await codeOf([...args, '--no-such-option'])).toBe(2);
      expect(await codeOf([...args, 'surplus'])).toBe(2);
      const takesId = command.arguments.some((name) => name.endsWith('ID')) || 'business' in command.options;
      if (takesId) {
        expect(await codeOf('business' in command.options ? [...args, '--business', 'x'] : args)).toBe(2);
      }
    },
  );

  it('a command that is right, and cannot be executed, exits with 1', async () => {
    expect(await codeOf(['business', 'create', '--file', '/nonexistent.json'])).toBe(1);
    expect(await codeOf(['export', 'check', '/nonexistent'])).toBe(1);
    expect(await codeOf(['business', 'list'])).toBe(1);
  });
});

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
