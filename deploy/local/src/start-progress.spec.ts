import { describe, expect, it } from '@jest/globals';
import { tellingLine } from './start-progress.js';

describe('tellingLine', () => {
  it('is the last error of a service, in words', () => {
    const lines = [
      '{"level":30,"msg":"starting"}',
      '{"level":60,"msg":"the service could not start","err":{"message":"connect ECONNREFUSED"}}',
      '{"level":30,"msg":"closing"}',
    ];
    expect(tellingLine(lines)).toBe('the service could not start: connect ECONNREFUSED');
  });

  it('is the last line where nothing is marked as an error', () => {
    expect(tellingLine(['one', 'two'])).toBe('two');
    expect(tellingLine([])).toBeNull();
  });

  it('is the line of a server that marks its errors', () => {
    expect(tellingLine(['FATAL:  could not bind', 'database system is shut down'])).toBe(
      'FATAL:  could not bind',
    );
  });
});
