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
    ['', undefined],
    ['--help', undefined],
    ['help', undefined],
    ['key --help', 'key'],
    ['key create -h', 'key'],
    ['help key', 'key'],
  ])('"%s" requests help', (line, noun) => expect(read(line)).toEqual({ kind: 'help', noun }));

  it.each([
    ['keys create', 'There is no command "keys create": pinkas --help lists the commands'],
    ['key make', 'There is no command "key make": pinkas key --help lists the commands'],
    ['key', 'There is no command "key": pinkas key --help lists the commands'],
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
    expect(helpText(commands, undefined)).toMatch(/key create +makes a key\n +key revoke ID +ends a key/);
    expect(helpText(commands, undefined)).toMatch(/ {2}verify +proves the book/);
    expect(helpText(commands, 'verify')).toContain('pinkas verify [--business ID]');
    expect(helpText(commands, undefined)).toContain('queue redrive ID | --all');
    expect(helpText(commands, 'queue')).toContain('pinkas queue redrive ID | --all\n');
    expect(helpText(commands, 'key')).toContain('pinkas key create --business ID [--name N] [--quiet]');
  });
});
