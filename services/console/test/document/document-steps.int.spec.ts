import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Allocation, type FailedMessage, type Message } from '@pinkas/contracts';
import { fieldsIn, textOf } from '../browser.js';
import {
  allocationOfDocument,
  attemptOf,
  messageOf,
  minute,
  ShownDocument,
  sendingOf,
  stepsOf,
  suppressionOf,
} from './document-answers.js';

describe('the steps of a document on its page', () => {
  const subject = ShownDocument.forTests();
  const open = (path = subject.at) => subject.open(path);
  const allocationOf = (change: Partial<Allocation>) =>
    allocationOfDocument(subject.answers.document.id, change);

  it('the timeline keeps every request for a number and every attempt to send, in their order', async () => {
    subject.answers.allocation = allocationOf({ number: '123456789', attempts: 4 });
    subject.answers.attempts = [
      attemptOf(1, {
        outcome: 'refused',
        reason: '460 the number was refused',
        refusal_codes: ['460', '431'],
      }),
      attemptOf(4, { n: 2, ended_at: null, outcome: null }),
      attemptOf(6, { n: 3, outcome: 'dead_lettered', reason: 'The system is not subscribed.' }),
      attemptOf(8, { n: 4, outcome: 'granted', number: '123456789' }),
    ];
    subject.answers.messages = [
      messageOf({
        ended_at: minute(3),
        attempts: [
          sendingOf(1, 2, { outcome: 'temporary', response: '450 try again later' }),
          sendingOf(2, 3),
        ],
      }),
      messageOf({
        channel: 'whatsapp',
        recipient: '+972521234567',
        state: 'failed',
        ended_at: minute(9),
        reason: 'no such account',
        attempts: [
          sendingOf(1, 5, { outcome: 'unknown', response: 'no response came' }),
          sendingOf(2, 9, { outcome: 'permanent', response: 'no such account' }),
        ],
      }),
      messageOf({
        purpose: 'accountant',
        recipient: 'books@example.com',
        state: 'ready',
        next_attempt_at: minute(20),
        attempts: [sendingOf(1, 7, { outcome: 'temporary', response: '421 busy' })],
      }),
    ];
    expect(stepsOf(await open())).toEqual([
      'done Issued',
      'failed Request 1 for an allocation number: the tax authority refused 460 the number was refused (431)',
      'failed Not sent to dana@example.com (email, attempt 1) 450 try again later',
      'done Sent to dana@example.com (email, attempt 2)',
      'failed Request 2 for an allocation number: its answer is not known',
      'failed It is not known whether it was sent to +972521234567 (WhatsApp, attempt 1) no response came',
      'failed Request 3 for an allocation number: failed, and no further request followed The system is not subscribed.',
      "failed Not sent to books@example.com (email, the accountant's copy) 421 busy",
      "waiting Waits to be sent to books@example.com (email, the accountant's copy) Next attempt: 15 Jun 2026 11:20",
      'done Request 4 for an allocation number: the number arrived 123456789',
      'failed Not sent to +972521234567 (WhatsApp, attempt 2) no such account',
    ]);
  });

  it('a number that is being obtained is shown with its failed requests, and when the next is due', async () => {
    const pending = { state: 'pending', attempts: 1, next_attempt_at: minute(30) } as const;
    subject.answers.allocation = allocationOf(pending);
    subject.answers.attempts = [attemptOf(1, { reason: 'The tax authority could not be reached.' })];
    expect(stepsOf(await open())).toEqual([
      'done Issued',
      'failed Request 1 for an allocation number: failed The tax authority could not be reached.',
      'waiting The number is being obtained next request 15 Jun 2026 11:30',
    ]);
    subject.answers.allocation = allocationOf({ ...pending, attempts: 2 });
    subject.answers.attempts.push(attemptOf(2, { ended_at: null, outcome: null }));
    expect(stepsOf(await open()).at(-1)).toBe('waiting Request 2 for an allocation number: no answer yet');
  });

  it('a message that ends without an attempt is in the timeline with the reason', async () => {
    const reason = 'The document was cancelled.';
    subject.answers.messages = [messageOf({ state: 'withdrawn', ended_at: minute(2), reason })];
    expect(stepsOf(await open()).at(-1)).toBe(
      'waiting Will not be sent to dana@example.com (email) The document was cancelled.',
    );
  });

  const rejected = (change: Partial<Message> = {}) =>
    messageOf({
      state: 'failed',
      ended_at: minute(2),
      reason: '550 no such mailbox',
      suppressed: true,
      attempts: [sendingOf(1, 2, { outcome: 'permanent', response: '550 no such mailbox' })],
      ...change,
    });

  it('a message to a suppressed address is not sent again but to another address, or when it is allowed', async () => {
    subject.answers.document = {
      ...subject.answers.document,
      customer: { ...subject.answers.document.customer, email: 'dana@example.com' },
    };
    subject.answers.messages = [rejected(), rejected({ channel: 'whatsapp', recipient: '+972521234567' })];
    const page = await open();
    expect(stepsOf(page)).toEqual([
      'done Issued',
      'failed Not sent to dana@example.com (email) 550 no such mailbox',
      'failed Not sent to +972521234567 (WhatsApp) 550 no such mailbox',
    ]);
    expect(page).not.toContain(`action="${subject.at}/resend"`);
    expect(page).toMatch(/name="recipient"[^>]* value=""/);
    const forms = [...page.matchAll(/<form[^>]*suppressions\/remove.*?<\/form>/gs)].map(([form]) =>
      fieldsIn(form),
    );
    for (const form of forms) {
      const reply = await subject.browser.post(
        `/b/${subject.answers.document.business_id}/suppressions/remove`,
        form,
      );
      expect(reply.location).toBe(subject.at);
    }
    expect(subject.answers.allowed).toEqual(['dana@example.com', '+972521234567']);
    expect(textOf(await open())).toContain('The address gets messages again.');
    subject.answers.messages = [rejected({ suppressed: false }), rejected()];
    expect(await open()).toContain(`action="${subject.at}/resend"`);
  });

  it.each([
    ['en', { resent: 0, suppressed: 1 }, 'Nothing was sent: the address is blocked. Unblock it or'],
    ['he', { resent: 0, suppressed: 1 }, 'לא נשלח דבר: הכתובת חסומה לשליחה. אפשר לבטל'],
    ['en', { resent: 1, suppressed: 1 }, 'Some messages will be sent again. The others will not'],
  ])(
    'a resend to a suppressed address explains what to do, also from the page Today: %s, %p',
    async (language, counts, text) => {
      subject.browser.headers['accept-language'] = language;
      subject.answers.resent = counts;
      const reply = await subject.browser.post(`${subject.at}/resend`, { back: 'today' });
      expect(reply.location).toBe(subject.at);
      expect(await open()).toMatch(new RegExp(`<p class="notice error" role="alert">${text}`));
    },
  );

  it('a resend without a failed message is not shown as done', async () => {
    await subject.browser.post(`${subject.at}/resend`);
    const page = await open();
    expect(page).toContain('<p class="notice info" role="status">There is no failed message.');
    expect(page).not.toContain('notice done');
  });

  it.each([
    ['no address', 'dana@', 'email'],
    ['an address that gets no messages', 'dana@example.com', 'whatsapp'],
  ])('%s comes back in its field, with the reason next to it', async (_what, recipient, channel) => {
    await open();
    const fields = { delivery_id: randomUUID(), recipient, channel };
    const reply = await subject.browser.post(`${subject.at}/send`, fields, {
      referer: `${subject.console.origin}${subject.at}`,
    });
    expect(reply.status).toBe(422);
    expect(fieldsIn(reply.text)).toMatchObject({ recipient, channel });
    expect(reply.text).toMatch(/id="field-recipient-error"[^>]*>[^<]*Nothing can be sent to this address/);
    // A change of the language leads to the page, not to the address of the form.
    expect(reply.text).toContain(`name="next" value="${subject.at}"`);
    expect(reply.text).toContain('id="actions"');
  });

  it('the page Today has one row for a message and its suppressed address, the latest cause first', async () => {
    const { business_id, id } = subject.answers.document;
    subject.answers.suppressions = [
      suppressionOf(business_id, 'dana@example.com', 2),
      suppressionOf(business_id, 'other@example.com', 5),
    ];
    const failure = (
      recipient: string,
      minutes: number,
      suppressed_address: string | null,
    ): FailedMessage => ({
      delivery_id: randomUUID(),
      business_id,
      document_id: id,
      document_type: 'tax_invoice',
      document_number: 1,
      channel: 'email',
      purpose: 'customer',
      recipient,
      suppressed_address,
      reason: '550 no such mailbox',
      attempts: 1,
      failed_at: minute(minutes),
    });
    subject.answers.failures = [
      failure('later@example.com', 7, null),
      failure('Dana@example.com', 2, 'dana@example.com'),
    ];
    const page = await open(`/b/${business_id}`);
    const rows = [...page.matchAll(/<li class="item[^"]*">(.*?)<\/li>/gs)].map(([, row = '']) => row);
    expect(rows.map((row) => textOf(row).split(' 550')[0])).toEqual([
      'A message was not sent to later@example.com: Tax invoice 1',
      'This address is blocked: other@example.com Its server rejected it:',
      'A message was not sent to Dana@example.com: Tax invoice 1',
    ]);
    expect(rows[0]).toContain(`action="${subject.at}/resend"`);
    expect(rows[2]).not.toContain('/resend"');
    expect(rows[2]).toContain('value="dana@example.com"');
    expect(rows[2]).toContain(`href="${subject.at}#send"`);
  });

  it('the page of a document with more requests than it shows states it and leads to the others', async () => {
    subject.answers.allocation = allocationOf({ state: 'refused', attempts: 201 });
    subject.answers.attempts = [attemptOf(1)];
    subject.answers.next_after_attempt = 200;
    const first = await open();
    expect(textOf(first)).toContain('There are more requests for an allocation number');
    const [, next = ''] = /href="([^"]+requests=[^"]+)"/.exec(first) ?? [];
    subject.answers.next_after_attempt = null;
    const last = await open(next);
    expect(subject.pagesAsked).toEqual([0, 200]);
    expect(textOf(last)).not.toContain('There are more requests');
  });
});
