import { describe, expect, it } from '@jest/globals';
import { readAnswer } from './cloud-api-answer.js';

const error = (code: number | undefined, more: object = {}) =>
  JSON.stringify({ error: { message: '(#1) words', type: 'OAuthException', code, ...more } });

describe('an answer of the Cloud API', () => {
  it('that names the message has accepted it', () => {
    const body = JSON.stringify({
      messaging_product: 'whatsapp',
      contacts: [{ input: '+972501234567', wa_id: '972501234567' }],
      messages: [{ id: 'wamid.1', message_status: 'accepted' }],
    });
    expect(readAnswer(200, body)).toEqual({ kind: 'accepted', providerId: 'wamid.1' });
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
  ])('that says 200 with %s is no acceptance: it may have been taken', (_case, body) => {
    expect(readAnswer(200, body).kind).toBe('unknown');
  });

  it.each([
    [131047, 'permanent'],
    [132001, 'permanent'],
    [131026, 'permanent'],
    [130429, 'temporary'],
    [190, 'temporary'],
    [999999, 'permanent'],
  ])('that says 200 and holds the error %s is a refusal: %s', (code, kind) => {
    const body = JSON.stringify({ messages: [{ id: 'wamid.1' }], ...JSON.parse(error(code)) });
    expect(readAnswer(200, body).kind).toBe(kind);
  });

  it.each([
    [400, 131026, 'permanent', 'address'],
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
    [401, 190, 'temporary', 'access'],
    [401, 0, 'temporary', 'access'],
    [403, 10, 'temporary', 'access'],
    [403, 200, 'temporary', 'access'],
    [403, 131031, 'temporary', 'access'],
    [400, 133010, 'temporary', 'access'],
    [400, 131042, 'temporary', 'access'],
    [401, 999999, 'temporary', 'access'],
    [429, 999999, 'temporary', undefined],
    [500, 999999, 'temporary', undefined],
    [400, 999999, 'permanent', undefined],
  ])('that says %s with the code %s is %s', (status, code, kind, fault) => {
    const outcome = readAnswer(status, error(code));
    expect(outcome).toEqual({ kind, reason: `${code} (#1) words`, ...(fault ? { fault } : {}) });
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
  ])("that says %s in words that are not the API's is %s", (status, kind) => {
    expect(readAnswer(status, '<html>').kind).toBe(kind);
    expect(readAnswer(status, error(undefined)).kind).toBe(kind);
  });

  it('keeps its words, with the details, on one short line', () => {
    const details = `Recipient\n${'x'.repeat(1_000)}`;
    const outcome = readAnswer(400, error(131026, { error_data: { details } }));
    expect(outcome).toMatchObject({ reason: expect.stringMatching(/^131026 \(#1\) words Recipient x+$/) });
    expect((outcome as { reason: string }).reason).toHaveLength(300);
  });
});
