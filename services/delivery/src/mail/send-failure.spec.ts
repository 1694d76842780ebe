import { describe, expect, it } from '@jest/globals';
import { sendFailure } from './send-failure.js';

describe('a message that was not taken', () => {
  it.each([
    ['the recipient refused for good', { code: 'EENVELOPE', responseCode: 550 }, 'permanent'],
    ['the recipient refused for now', { code: 'EENVELOPE', responseCode: 451 }, 'temporary'],
    ['a content refused for good', { code: 'EMESSAGE', responseCode: 552 }, 'permanent'],
    ['a content refused for now', { code: 'EMESSAGE', responseCode: 452 }, 'temporary'],
    ['a server that shuts down', { code: 'EMESSAGE', responseCode: 421 }, 'temporary'],
    ['an address that is none', { code: 'EENVELOPE' }, 'permanent'],
    ['a server that wants a login', { code: 'EENVELOPE', responseCode: 530 }, 'temporary'],
    ['a wrong login', { code: 'EAUTH', responseCode: 535 }, 'temporary'],
    ['a greeting that refuses us', { code: 'EPROTOCOL', responseCode: 554 }, 'temporary'],
    ['no connection', { code: 'ESOCKET' }, 'temporary'],
  ])('because of %s', (_case, error, kind) => {
    expect(sendFailure({ ...error, message: 'x' }, false).kind).toBe(kind);
  });

  it('is of unknown fate when the connection broke after its last byte', () => {
    expect(sendFailure({ code: 'ETIMEDOUT', message: 'Timeout' }, true).kind).toBe('unknown');
    expect(sendFailure({ code: 'EMESSAGE', responseCode: 550, message: 'x' }, true).kind).toBe('permanent');
  });

  it('keeps the words of the server on one short line', () => {
    const reason = sendFailure(
      { code: 'EENVELOPE', responseCode: 550, response: `550 no\r\n${'x'.repeat(1_000)}`, message: 'y' },
      false,
    ).reason;
    expect(reason).toMatch(/^550 no x+$/);
    expect(reason.length).toBe(300);
  });
});
