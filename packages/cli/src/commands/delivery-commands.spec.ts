import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  liftSuppressions,
  listDeliveryFailures,
  type MessageStatus,
  resendDelivery,
  showBusiness,
  suppressAddress,
  unsuppressAddress,
} from '@pinkas/contracts';
import { notFound, run } from '../../test/run.js';

const id = randomUUID();

const status = (change: Partial<MessageStatus>): MessageStatus => ({
  delivery_id: id,
  channel: 'email',
  purpose: 'customer',
  state: 'sent',
  next_attempt_at: null,
  not_before: null,
  held_until: null,
  follow_up: false,
  requested: false,
  ended_at: null,
  reason: null,
  ...change,
});

describe('pinkas delivery', () => {
  it('delivery failures lists every page', async () => {
    const failure = {
      delivery_id: id,
      business_id: id,
      document_id: id,
      document_type: 'tax_invoice',
      document_number: 7,
      channel: 'email',
      purpose: 'customer',
      recipient: 'customer@example.com',
      reason: '550 no such mailbox',
      attempts: 1,
      failed_at: '2026-06-15T09:00:00.000Z',
    };
    const position = { failed_at: failure.failed_at, delivery_id: id };
    const pages = [
      { failures: [failure], next_after: position },
      { failures: [failure], next_after: null },
    ];
    const answers = { [listDeliveryFailures.subject]: () => pages.shift() };
    const { output, requests } = run('delivery failures', { business: id }, answers);
    const { json, text } = await output;
    expect(requests.map(([, request]) => request)).toEqual([
      { business_id: id },
      { business_id: id, after: position },
    ]);
    expect(json).toEqual([failure, failure]);
    expect(text).toContain('tax_invoice 7');
    expect(text).toContain('550 no such mailbox');
  });

  it('delivery resend prints when each message is sent', async () => {
    const due = status({
      state: 'ready',
      next_attempt_at: '2026-06-15T09:00:00.000Z',
      reason: '550 no such mailbox here',
    });
    const reply = { resent: 1, suppressed: 0, messages: [due] };
    const { output, requests } = run('delivery resend', { DOCUMENT_ID: id }, () => reply);
    const { json, text } = await output;
    expect(requests).toEqual([[resendDelivery.subject, { document_id: id }]]);
    expect(text).toBe("1 to be resent\nthe customer's email is sent at 2026-06-15T09:00:00.000Z");
    expect(json).toMatchObject({ resent: 1 });
  });

  const at = '2026-06-15T09:00:00.000Z';
  it.each([
    [status({ state: 'sent', ended_at: at }), `the customer's email was sent at ${at}`],
    [
      status({ state: 'ready', purpose: 'accountant', next_attempt_at: at, reason: '451 later' }),
      `the accountant's email is sent at ${at}, after a failure (451 later)`,
    ],
    [
      status({ state: 'ready', channel: 'whatsapp', next_attempt_at: at, not_before: at }),
      `the customer's WhatsApp message is deferred until ${at}, the end of the quiet hours`,
    ],
    [
      status({ state: 'ready', next_attempt_at: at, held_until: at }),
      `the customer's email waits for the allocation number, until ${at} at the latest`,
    ],
    [
      status({ state: 'sent', ended_at: at, follow_up: true }),
      `the customer's email with the allocation number was sent at ${at}`,
    ],
    [
      status({ state: 'sent', ended_at: at, requested: true }),
      `the customer's email on request was sent at ${at}`,
    ],
    [status({ state: 'waiting' }), "the customer's email waits for the final PDF"],
    [status({ state: 'sending' }), "the customer's email is being sent"],
    [
      status({ state: 'withdrawn', reason: 'The document was cancelled.' }),
      "the customer's email was withdrawn: The document was cancelled.",
    ],
    [
      status({ state: 'failed', reason: '550 no such mailbox' }),
      '550 no such mailbox. The address is suppressed: to send to it again, run pinkas delivery unsuppress ADDRESS --business ID',
    ],
  ])('delivery resend rejects in one line with the state of %p', async (message, text) => {
    const refused = run('delivery resend', { DOCUMENT_ID: id }, () => ({
      resent: 0,
      suppressed: message.state === 'failed' ? 1 : 0,
      messages: [message],
    }));
    await expect(refused.output).rejects.toThrow(text);
    await expect(refused.output).rejects.toThrow(/^Nothing is resent: [^\n]*$/);
  });

  it('delivery resend rejects a document without messages', async () => {
    const refused = run('delivery resend', { DOCUMENT_ID: id }, () => ({
      resent: 0,
      suppressed: 0,
      messages: [],
    }));
    await expect(refused.output).rejects.toThrow(`No document with the id ${id} has a message`);
  });

  it('delivery commands name the id or address that does not exist', async () => {
    const unknown = { ADDRESS: 'a@b.example', business: id };
    await expect(run('delivery resend', { DOCUMENT_ID: 'x' }).output).rejects.toThrow('"x" is not an id');
    await expect(run('delivery resend', { DOCUMENT_ID: id }, notFound).output).rejects.toThrow(
      `No document with the id ${id} has a message`,
    );
    await expect(run('delivery suppress', unknown, notFound).output).rejects.toThrow(
      `No business has the id ${id}`,
    );
    const known = { [showBusiness.subject]: () => ({}), [unsuppressAddress.subject]: notFound };
    await expect(run('delivery unsuppress', unknown, known).output).rejects.toThrow(
      'a@b.example is not suppressed',
    );
  });

  it('delivery suppress and unsuppress send the address and the reason', async () => {
    const suppression = { address: 'customer@example.com', since: at };
    const words = { ADDRESS: 'Customer@example.com', business: id };
    const added = run('delivery suppress', { ...words, reason: 'by request' }, () => suppression);
    expect((await added.output).text).toBe(`customer@example.com is suppressed since ${at}`);
    const removed = run('delivery unsuppress', words, () => suppression);
    await removed.output;
    expect([...added.requests, ...removed.requests]).toEqual([
      [showBusiness.subject, { business_id: id }],
      [suppressAddress.subject, { business_id: id, address: 'Customer@example.com', detail: 'by request' }],
      [showBusiness.subject, { business_id: id }],
      [unsuppressAddress.subject, { business_id: id, address: 'Customer@example.com' }],
    ]);
  });

  it('delivery lift lifts all of them, --list shows them and changes nothing', async () => {
    const suppression = (address: string) => ({
      business_id: id,
      channel: 'email',
      address,
      reason: 'bounced',
      since: at,
      detail: '550 Invalid recipient',
    });
    const replies = [
      { suppressions: [suppression('a@one.example')], more: true },
      { suppressions: [suppression('b@two.example')], more: false },
    ];
    const lifted = run('delivery lift', {}, () => replies.shift());
    const { text } = await lifted.output;
    expect(text).toContain('a@one.example');
    expect(text).toContain('b@two.example');
    expect(text).toContain('They get messages again');
    expect(lifted.requests).toEqual(Array(2).fill([liftSuppressions.subject, { list_only: false }]));
    const listed = run('delivery lift', { business: id, list: true }, () => ({
      suppressions: [suppression('a@one.example')],
      more: true,
    }));
    expect((await listed.output).text).not.toContain('They get messages again');
    expect(listed.requests).toEqual([[liftSuppressions.subject, { business_id: id, list_only: true }]]);
  });

  it.each([
    ['failures', { failures: [], next_after: null }, 'No message has failed'],
    ['suppressions', { suppressions: [], next_after: null }, 'No address is suppressed'],
  ])('delivery %s prints that there are none', async (verb, reply, text) => {
    expect(await run(`delivery ${verb}`, {}, () => reply).output).toEqual({ json: [], text });
  });
});
