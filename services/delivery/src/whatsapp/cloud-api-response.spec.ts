import { describe, expect, it } from '@jest/globals';
import { parseResponse } from './cloud-api-response.js';

const error = (code: number | undefined, more: object = {}) =>
  JSON.stringify({ error: { message: '(#1) words', type: 'OAuthException', code, ...more } });

describe('parseResponse', () => {
  it('parseResponse accepts a response that names the message', () => {
    const body = JSON.stringify({
      messaging_product: 'whatsapp',
      contacts: [{ input: '+972501234567', wa_id: '972501234567' }],
      messages: [{ id: 'wamid.1', message_status: 'accepted' }],
    });
    expect(parseResponse(200, body)).toEqual({ kind: 'accepted', providerId: 'wamid.1' });
  });

  it.each([
    ['nothing', ''],
    ['half a body', '{"messages":[{"id":"wa'],
    ['no message', '{"messaging_product":"whatsapp"}'],
    ['a message without an id', '{"messages":[{}]}'],
    ['an empty id', '{"messages":[{"id":""}]}'],
    ['something else', '"ok"'],
    ['null', 'null'],
    ['a list', '[]'],
  ])('parseResponse reports an unknown outcome for status 200 with %s', (_case, body) => {
    expect(parseResponse(200, body).kind).toBe('unknown');
  });

  it.each([
    [131047, 'permanent'],
    [132001, 'permanent'],
    [131026, 'permanent'],
    [130429, 'temporary'],
    [190, 'temporary'],
    [999999, 'permanent'],
  ])('parseResponse classifies status 200 with the error %s as %s', (code, kind) => {
    const body = JSON.stringify({ messages: [{ id: 'wamid.1' }], ...JSON.parse(error(code)) });
    expect(parseResponse(200, body).kind).toBe(kind);
  });

  it.each([
    [400, 131026, 'permanent', 'unknown_address'],
    [400, 131047, 'permanent', undefined],
    [400, 131051, 'permanent', undefined],
    [400, 131009, 'permanent', undefined],
    [400, 100, 'permanent', undefined],
    [404, 132001, 'permanent', undefined],
    [400, 132000, 'permanent', undefined],
    [400, 132015, 'permanent', undefined],
    [400, 130429, 'temporary', undefined],
    [400, 131048, 'temporary', undefined],
    [400, 131056, 'temporary', undefined],
    [400, 80007, 'temporary', undefined],
    [400, 4, 'temporary', undefined],
    [500, 131000, 'temporary', undefined],
    [503, 2, 'temporary', undefined],
    [401, 190, 'temporary', 'access_denied'],
    [401, 0, 'temporary', 'access_denied'],
    [403, 10, 'temporary', 'access_denied'],
    [403, 200, 'temporary', 'access_denied'],
    [403, 131031, 'temporary', 'access_denied'],
    [400, 133010, 'temporary', 'access_denied'],
    [400, 131042, 'temporary', 'access_denied'],
    [401, 999999, 'temporary', 'access_denied'],
    [429, 999999, 'temporary', undefined],
    [500, 999999, 'temporary', undefined],
    [400, 999999, 'permanent', undefined],
  ])('parseResponse classifies status %s with the code %s as %s', (status, code, kind, failure) => {
    const outcome = parseResponse(status, error(code));
    expect(outcome).toEqual({ kind, reason: `${code} (#1) words`, ...(failure ? { failure } : {}) });
  });

  it.each([
    [500, 'temporary'],
    [503, 'temporary'],
    [408, 'temporary'],
    [429, 'temporary'],
    [401, 'temporary'],
    [404, 'temporary'],
    [302, 'temporary'],
    [502, 'unknown'],
    [504, 'unknown'],
  ])('parseResponse classifies status %s without an API error as %s', (status, kind) => {
    expect(parseResponse(status, '<html>').kind).toBe(kind);
    expect(parseResponse(status, error(undefined)).kind).toBe(kind);
  });

  it('parseResponse truncates the error message and its details to a single line', () => {
    const details = `Recipient\n${'x'.repeat(1_000)}`;
    const outcome = parseResponse(400, error(131026, { error_data: { details } }));
    expect(outcome).toMatchObject({ reason: expect.stringMatching(/^131026 \(#1\) words Recipient x+$/) });
    expect((outcome as { reason: string }).reason).toHaveLength(300);
  });
});
