import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@pinkas/service-kit/client';
import { nameOf } from './command-line.js';
import { commands, runCommand, written } from './run-command.js';
import { errorLine, errorText, exitCodeOf, RefusalError, UsageError } from './usage-error.js';

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
