import { describe, expect, it } from '@jest/globals';
import type { Command } from './command.js';
import { parseCommandLine } from './command-line.js';
import { helpText } from './help.js';

const nothing = async () => ({ json: null, text: '' });
const commands: readonly Command[] = [
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
const read = (line: string) => parseCommandLine(line.split(' ').filter(Boolean), commands);

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
    ['key create --colour blue', "Unknown option '--colour': see pinkas key --help"],
  ])('"%s" is rejected with the correct usage', (line, message) => expect(() => read(line)).toThrow(message));
});

describe('helpText', () => {
  it('the help lists every command, and the options of the commands of a noun', () => {
    const help = (noun?: string, verb?: string) => helpText(commands, noun, verb);
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
