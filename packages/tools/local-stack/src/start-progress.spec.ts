import { describe, expect, it } from '@jest/globals';
import { errorLine } from './start-progress.js';

describe('errorLine', () => {
  it('the error line is the message of the last error of a service', () => {
    const lines = [
      '{"level":30,"msg":"starting"}',
      '{"level":60,"msg":"the service could not start","err":{"message":"connect ECONNREFUSED"}}',
      '{"level":30,"msg":"closing"}',
    ];
    expect(errorLine(lines)).toBe('the service could not start: connect ECONNREFUSED');
  });

  it('the error line is the last line when no line is marked as an error', () => {
    expect(errorLine(['one', 'two'])).toBe('two');
    expect(errorLine([])).toBeNull();
  });

  it('the error line is the last line that a server marked as an error', () => {
    expect(errorLine(['FATAL:  could not bind', 'database system is shut down'])).toBe(
      'FATAL:  could not bind',
    );
  });
});
