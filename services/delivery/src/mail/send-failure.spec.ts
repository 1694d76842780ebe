import { describe, expect, it } from '@jest/globals';
import { sendFailure } from './send-failure.js';

describe('sendFailure', () => {
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
  ])('sendFailure classifies %s', (_case, error, kind) => {
    expect(sendFailure({ ...error, message: 'x' }, false).kind).toBe(kind);
  });

  it('sendFailure reports an unknown outcome when the connection breaks after the last byte', () => {
    expect(sendFailure({ code: 'ETIMEDOUT', message: 'Timeout' }, true).kind).toBe('unknown');
    expect(sendFailure({ code: 'EMESSAGE', responseCode: 550, message: 'x' }, true).kind).toBe('permanent');
  });

  it.each([
    ['550 no such mailbox here', 550],
    ['550 5.1.1 The email account that you tried to reach does not exist', 550],
    ['551 5.1.6 User has moved', 551],
    ['553 5.1.3 Bad recipient address syntax', 553],
    ['556 5.1.10 Recipient address has null MX', 556],
    ['550 5.2.1 The account is disabled', 550],
  ])('sendFailure recognizes an unknown mailbox in %s', (response, responseCode) => {
    const error = { code: 'EENVELOPE', command: 'RCPT TO', response, responseCode, message: 'x' };
    expect(sendFailure(error, false)).toEqual({
      kind: 'permanent',
      reason: response,
      failure: 'unknown_address',
    });
  });

  it.each([
    ['RCPT TO', '550 5.7.1 Unauthenticated mail is not accepted', 550],
    ['RCPT TO', '554 5.7.1 Relay access denied', 554],
    ['RCPT TO', '550 relay not permitted', 550],
    ['RCPT TO', '550 Blocked by a block list', 550],
    ['RCPT TO', '552 5.2.2 Mailbox full', 552],
    ['RCPT TO', '550 5.1.8 Bad sender system address', 550],
    ['RCPT TO', '501 Syntax error', 501],
    ['MAIL FROM', '550 5.1.0 Address rejected', 550],
    ['DATA', '550 5.1.1 The content is unwanted', 550],
  ])('sendFailure does not blame the address for %s: %s', (command, response, responseCode) => {
    const error = { code: 'EENVELOPE', command, response, responseCode, message: 'x' };
    expect(sendFailure(error, false)).toEqual({ kind: 'permanent', reason: response });
  });

  it.each([
    ['EAUTH', 535],
    ['EENVELOPE', 530],
  ])('sendFailure reports denied access for %s %s as temporary', (code, responseCode) => {
    expect(sendFailure({ code, responseCode, message: 'x' }, false)).toEqual({
      kind: 'temporary',
      reason: 'x',
      failure: 'access_denied',
    });
  });

  it('sendFailure truncates the response of the server to a single line', () => {
    const reason = sendFailure(
      { code: 'EENVELOPE', responseCode: 550, response: `550 no\r\n${'x'.repeat(1_000)}`, message: 'y' },
      false,
    ).reason;
    expect(reason).toMatch(/^550 no x+$/);
    expect(reason.length).toBe(300);
  });
});
