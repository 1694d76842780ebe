import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { type RunningMailbox, startMailbox } from '../src/mailbox/mailbox-simulator.js';
import type { Message } from '../src/mailbox/message-folder.js';

let folder: string;
let mailbox: RunningMailbox;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailbox-test-'));
  mailbox = await start();
});
afterEach(async () => {
  await mailbox.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(more: object = {}): Promise<RunningMailbox> {
  return startMailbox({ host: '127.0.0.1', port: 0, smtpPort: 0, dataDir: folder, ...more });
}

async function mail(change: SendMailOptions = {}): Promise<void> {
  // Its certificate is its own; a client that does not care takes it.
  const transport = createTransport({ url: mailbox.smtpUrl, tls: { rejectUnauthorized: false } });
  try {
    await transport.sendMail({
      from: '"פנקס" <invoices@pinkas.example>',
      to: 'dana@example.com',
      subject: 'חשבונית מס 1042',
      text: 'שלום לקוח',
      ...change,
    });
  } finally {
    transport.close();
  }
}

async function messages(query = ''): Promise<Message[]> {
  return (await fetch(`${mailbox.url}/messages${query}`)).json() as Promise<Message[]>;
}

function setMode(mode: object): Promise<Response> {
  return fetch(`${mailbox.url}/_mode`, { method: 'POST', body: JSON.stringify(mode) });
}

const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from([0, 255, 13, 10, 46, 10, 128])]);

describe('emails', () => {
  it('an email is shown with its Hebrew subject, both bodies, its Message-ID and every recipient', async () => {
    await mail({
      cc: 'accountant@example.com',
      bcc: 'hidden@example.com',
      html: '<p dir="rtl">שלום <b>לקוח</b></p>',
      messageId: '<document-1@pinkas.example>',
    });
    const [message] = await messages();
    expect(message).toMatchObject({
      from: 'invoices@pinkas.example',
      to: ['dana@example.com', 'accountant@example.com', 'hidden@example.com'],
      secure: true,
      subject: 'חשבונית מס 1042',
      message_id: '<document-1@pinkas.example>',
      attachments: [],
      text: expect.stringContaining('שלום לקוח'),
      html: expect.stringContaining('<b>לקוח</b>'),
    });
  });

  it('an attachment is returned unchanged, with its Hebrew name', async () => {
    await mail({
      attachments: [{ filename: 'חשבונית 1042.pdf', content: pdf, contentType: 'application/pdf' }],
    });
    const [message] = await messages();
    expect(message?.attachments).toEqual([
      { filename: 'חשבונית 1042.pdf', contentType: 'application/pdf', size: pdf.length },
    ]);
    const response = await fetch(`${mailbox.url}/messages/${message?.id}/attachments/0`);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toContain(encodeURIComponent('חשבונית 1042.pdf'));
    expect(Buffer.from(await response.arrayBuffer()).equals(pdf)).toBe(true);
    expect((await fetch(`${mailbox.url}/messages/${message?.id}/attachments/1`)).status).toBe(404);
  });

  it('emails are listed newest first, and can be requested by recipient and by id', async () => {
    await mail({ subject: 'first' });
    await mail({ subject: 'second', to: 'Yossi@example.com' });
    await mail({ subject: 'third' });
    expect((await messages()).map(({ subject }) => subject)).toEqual(['third', 'second', 'first']);
    expect((await messages('?limit=1')).map(({ subject }) => subject)).toEqual(['third']);
    const [second] = await messages('?to=yossi@example.com');
    expect(second?.subject).toBe('second');
    const one = await fetch(`${mailbox.url}/messages/${second?.id}`);
    expect(await one.json()).toEqual(second);
    expect((await fetch(`${mailbox.url}/messages/none`)).status).toBe(404);
    const { text: _text, html: _html, ...withoutBodies } = second as Message;
    expect((await messages('?bodies=false'))[1]).toEqual(withoutBodies);
    expect((await fetch(`${mailbox.url}/messages?bodies=no`)).status).toBe(400);
  });

  it('an email is stored across a restart, also when only its message file was written', async () => {
    await mail({ subject: 'kept', attachments: [{ filename: 'a.pdf', content: pdf }] });
    await mail({ subject: 'half kept' });
    const before = await messages();
    await mailbox.close();
    rmSync(join(folder, `${before[0]?.id}.json`));
    writeFileSync(join(folder, 'notes.txt'), 'not a mail');
    mailbox = await start();
    expect((await messages())[1]).toEqual(before[1]);
    expect((await messages())[0]).toMatchObject({ subject: 'half kept', to: ['dana@example.com'] });
    await mail({ subject: 'new' });
    expect((await messages()).map(({ subject }) => subject)).toEqual(['new', 'half kept', 'kept']);
  });

  it('a new email replaces the oldest when the mailbox is full, on disk as well', async () => {
    await mailbox.close();
    mailbox = await start({ messagesMax: 2 });
    for (const subject of ['1', '2', '3']) {
      await mail({ subject });
    }
    expect((await messages()).map(({ subject }) => subject)).toEqual(['3', '2']);
    expect(readdirSync(folder).filter((file) => file.endsWith('.eml'))).toHaveLength(2);
  });

  it('an email above 25 MB is rejected', async () => {
    const large = { filename: 'large.bin', content: Buffer.alloc(20 * 1024 * 1024) };
    await expect(mail({ attachments: [large] })).rejects.toMatchObject({ responseCode: 552 });
    expect(await messages()).toEqual([]);
  });

  it('all emails can be deleted', async () => {
    await mail();
    expect((await fetch(`${mailbox.url}/messages`, { method: 'DELETE' })).status).toBe(204);
    expect(await messages()).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the page', () => {
  it('the page lists the emails, and shows one without running its scripts', async () => {
    expect(await (await fetch(`${mailbox.url}/`)).text()).toContain('No mail yet');
    await mail({
      subject: '<script>alert(1)</script> חשבונית',
      html: `<p onclick="x">"quoted"</p></iframe><script>alert(2)</script>`,
      attachments: [{ filename: 'a "b" <c>.pdf', content: pdf }],
    });
    const [message] = await messages();
    const list = await fetch(`${mailbox.url}/`);
    expect(list.headers.get('content-security-policy')).toContain("default-src 'none'");
    const listHtml = await list.text();
    expect(listHtml).toContain(`href="/mail/${message?.id}"`);
    expect(listHtml).toContain('dir="auto"');
    expect(listHtml).not.toContain('<script');
    const view = await fetch(`${mailbox.url}/mail/${message?.id}`);
    expect(view.headers.get('content-type')).toContain('text/html');
    const viewHtml = await view.text();
    expect(viewHtml).toContain('<iframe sandbox ');
    expect(viewHtml).toContain(`/messages/${message?.id}/attachments/0`);
    expect(viewHtml).not.toContain('<script');
    expect(viewHtml.match(/<\/iframe>/g)).toHaveLength(1);
  });
});

it('an invalid mode is rejected', async () => {
  const refused = await setMode({ mode: 'lose' });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toEqual({
    error:
      'mode must be one of ok, refuse, full, temporary, greylist, hang, drop_after_data, drop_tls, ascii_only',
  });
});
