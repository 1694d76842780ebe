import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningSimulator } from '../src/http.js';
import { startWhatsApp } from '../src/whatsapp/whatsapp-simulator.js';

let folder: string;
let whatsapp: RunningSimulator;

const start = () =>
  startWhatsApp({
    host: '127.0.0.1',
    port: 0,
    dataDir: folder,
    phoneNumberId: '1065',
    token: 'a-token',
    templates: ['document_ready', 'document_allocated'],
  });
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whatsapp-test-'));
  whatsapp = await start();
});
afterEach(async () => {
  await whatsapp.close();
  rmSync(folder, { recursive: true, force: true });
});

const text = (value: unknown) => ({ type: 'text', text: value });
const body = { type: 'body', parameters: [text('Example Ltd'), text('Invoice'), text('7'), text('₪ 1')] };
const button = { type: 'button', sub_type: 'url', index: '0', parameters: [text('public-id')] };
const template = { name: 'document_ready', language: { code: 'he' }, components: [body, button] };
const message = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '+972501234567',
  type: 'template',
  template,
  biz_opaque_callback_data: 'delivery-1',
};

async function post(
  sent: unknown = message,
  { path = '/v23.0/1065/messages', token = 'a-token', contentType = 'application/json' } = {},
): Promise<{ status: number; answer: Record<string, never> }> {
  const response = await fetch(`${whatsapp.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
    body: typeof sent === 'string' ? sent : JSON.stringify(sent),
  });
  return { status: response.status, answer: (await response.json()) as Record<string, never> };
}
const calls = async () =>
  (await (await fetch(`${whatsapp.url}/_calls`)).json()) as {
    calls: { path: string; body: unknown; status: number | null }[];
    accepted: { id: string; to: string; body: unknown }[];
  };

describe('valid template messages', () => {
  it.each(['/v23.0/1065/messages', '/1065/messages'])(
    'a template message at %s is accepted and stored',
    async (path) => {
      const { status, answer } = await post(message, { path });
      expect(status).toBe(200);
      expect(answer).toEqual({
        messaging_product: 'whatsapp',
        contacts: [{ input: '+972501234567', wa_id: '972501234567' }],
        messages: [{ id: expect.stringMatching(/^wamid\./), message_status: 'accepted' }],
      });
      expect(await calls()).toMatchObject({
        calls: [{ path, body: message, status: 200 }],
        accepted: [{ to: '+972501234567', body: message }],
      });
    },
  );

  it('a message is stored across a restart', async () => {
    await post();
    await post();
    const { accepted } = await calls();
    await whatsapp.close();
    whatsapp = await start();
    expect((await calls()).accepted).toEqual(accepted);
    expect(accepted).toHaveLength(2);
  });
});

describe('invalid messages', () => {
  const changed = (change: object) => ({ ...message, ...change });
  const inTemplate = (change: object) => changed({ template: { ...template, ...change } });
  const inBody = (parameters: unknown) => inTemplate({ components: [{ type: 'body', parameters }, button] });
  it.each([
    ['that is no JSON', '{', 100],
    ['not for WhatsApp', changed({ messaging_product: 'sms' }), 100],
    ['of another kind', changed({ type: 'text' }), 100],
    ['for a group', changed({ recipient_type: 'group' }), 100],
    ['to a local number', changed({ to: '0501234567' }), 100],
    ['with an unknown member', changed({ link: 'https://example.com' }), 100],
    ['with too much of its own data', changed({ biz_opaque_callback_data: 'x'.repeat(513) }), 100],
    ['without a template', changed({ template: undefined }), 100],
    ['without a language', inTemplate({ language: {} }), 100],
    ['of a template that was not approved', inTemplate({ name: 'other' }), 132001],
    ['without its button', inTemplate({ components: [body] }), 100],
    [
      'with a button of another type',
      inTemplate({ components: [body, { ...button, sub_type: 'quick_reply' }] }),
      100,
    ],
    ['with a button elsewhere', inTemplate({ components: [body, { ...button, index: '1' }] }), 100],
    ['with too few parameters', inBody([text('a')]), 132000],
    ['with an empty parameter', inBody([text(''), text('b'), text('c'), text('d')]), 100],
    ['with a line break in a parameter', inBody([text('a\nb'), text('b'), text('c'), text('d')]), 100],
    ['with a number as a parameter', inBody([text(1), text('b'), text('c'), text('d')]), 100],
  ])('a message %s is rejected with the error of the API', async (_case, sent, code) => {
    const { status, answer } = await post(sent);
    expect(status).toBe(code === 132001 ? 404 : 400);
    expect(answer).toEqual({
      error: {
        message: expect.stringMatching(new RegExp(`^\\(#${code}\\) `)),
        type: 'OAuthException',
        code,
        error_data: { messaging_product: 'whatsapp', details: expect.any(String) },
        fbtrace_id: expect.any(String),
      },
    });
    expect((await calls()).accepted).toEqual([]);
  });

  it('a message with a wrong token is rejected', async () => {
    expect(await post(message, { token: 'other' })).toMatchObject({
      status: 401,
      answer: { error: { code: 190 } },
    });
    expect(await post(message, { path: '/v23.0/1/messages' })).toMatchObject({ status: 400 });
    expect(await post(message, { contentType: 'text/plain' })).toMatchObject({ status: 400 });
    expect(await post(message, { path: '/v23.0/1065/media' })).toMatchObject({ status: 404 });
    expect((await calls()).accepted).toEqual([]);
  });
});

it('an invalid mode is rejected', async () => {
  const refused = await fetch(`${whatsapp.url}/_mode`, { method: 'POST', body: '{"mode":"lose"}' });
  expect(refused.status).toBe(400);
});
