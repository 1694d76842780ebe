import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  listDeliveryFailures,
  type MessageStanding,
  resendDelivery,
  showBusiness,
  suppressAddress,
  unsuppressAddress,
} from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit/asking';
import type { Ask, Given, Output } from './command.js';
import { deliveryCommands } from './delivery-commands.js';

const id = randomUUID();

/** Runs a command; `answer` stands for the system. */
function run(
  verb: string,
  words: Given['arguments'],
  options: Given['options'],
  answer: (subject: string, request: unknown) => unknown,
): Promise<Output> {
  const command = deliveryCommands.find((one) => one.verb === verb);
  if (!command) throw new Error(`no command ${verb}`);
  const ask = (async (contract, request) => answer(contract.subject, request)) as Ask;
  return command.run({ arguments: words, options }, ask, { show: () => {}, say: () => {} });
}
const nothing = () => {
  throw new Problem('not_found');
};
const standing = (change: Partial<MessageStanding>): MessageStanding => ({
  delivery_id: id,
  channel: 'email',
  purpose: 'customer',
  state: 'sent',
  next_attempt_at: null,
  not_before: null,
  ended_at: null,
  reason: null,
  ...change,
});

describe('pinkas delivery', () => {
  it('lists every page of failures', async () => {
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
      tries: 1,
      failed_at: '2026-06-15T09:00:00.000Z',
    };
    const position = { failed_at: failure.failed_at, delivery_id: id };
    const asked: unknown[] = [];
    const { json, text } = await run('failures', {}, { business: id }, (subject, request) => {
      expect(subject).toBe(listDeliveryFailures.subject);
      asked.push(request);
      return { failures: [failure], next_after: asked.length === 1 ? position : null };
    });
    expect(asked).toEqual([{ business_id: id }, { business_id: id, after: position }]);
    expect(json).toEqual([failure, failure]);
    expect(text).toContain('tax_invoice 7');
    expect(text).toContain('550 no such mailbox');
  });

  it('says what is due again', async () => {
    const due = standing({
      state: 'ready',
      next_attempt_at: '2026-06-15T09:00:00.000Z',
      reason: '550 no such mailbox here',
    });
    const { json, text } = await run('resend', { DOCUMENT_ID: id }, {}, (subject, request) => {
      expect([subject, request]).toEqual([resendDelivery.subject, { document_id: id }]);
      return { resent: 1, messages: [due], planned: 'queued' };
    });
    expect(text).toBe("1 to be sent again\nthe customer's mail is tried at 2026-06-15T09:00:00.000Z");
    expect(json).toMatchObject({ resent: 1 });
  });

  const at = '2026-06-15T09:00:00.000Z';
  it.each([
    [standing({ state: 'sent', ended_at: at }), `the customer's mail was sent at ${at}`],
    [
      standing({ state: 'ready', purpose: 'accountant', next_attempt_at: at, reason: '451 later' }),
      `the accountant's mail is tried at ${at} again (451 later)`,
    ],
    [
      standing({ state: 'ready', channel: 'whatsapp', next_attempt_at: at, not_before: at }),
      `the customer's WhatsApp message is deferred until ${at}, the end of the quiet hours`,
    ],
    [standing({ state: 'waiting' }), "the customer's mail waits for the final PDF"],
    [standing({ state: 'sending' }), "the customer's mail is being sent right now"],
    [
      standing({ state: 'withdrawn', reason: 'The document was cancelled.' }),
      "the customer's mail was withdrawn: The document was cancelled.",
    ],
    [
      standing({ state: 'failed', reason: 'The address is suppressed.' }),
      'by pinkas delivery unsuppress ADDRESS --business ID',
    ],
  ])('where nothing is due again says in one line where %p stands', async (message, said) => {
    const refused = run('resend', { DOCUMENT_ID: id }, {}, () => ({
      resent: 0,
      messages: [message],
      planned: 'queued',
    }));
    await expect(refused).rejects.toThrow(said);
    await expect(refused).rejects.toThrow(/^Nothing is sent again: [^\n]*$/);
  });

  it.each([
    ['disabled', 'does not send by itself'],
    ['suppressed', 'send: false'],
    ['no_recipient', 'no address'],
  ])('where nothing was planned (%s) says why', async (planned, said) => {
    const refused = run('resend', { DOCUMENT_ID: id }, {}, () => ({ resent: 0, messages: [], planned }));
    await expect(refused).rejects.toThrow(said);
  });

  it('says what it is that does not exist', async () => {
    await expect(run('resend', { DOCUMENT_ID: 'x' }, {}, nothing)).rejects.toThrow('"x" is no id');
    await expect(run('resend', { DOCUMENT_ID: id }, {}, nothing)).rejects.toThrow(
      `Nothing was decided for a document with the id ${id}`,
    );
    await expect(run('suppress', { ADDRESS: 'a@b.example' }, { business: id }, nothing)).rejects.toThrow(
      `No business has the id ${id}`,
    );
    const known = (subject: string) => (subject === showBusiness.subject ? {} : nothing());
    await expect(run('unsuppress', { ADDRESS: 'a@b.example' }, { business: id }, known)).rejects.toThrow(
      'a@b.example is not suppressed',
    );
  });

  it('suppresses an address with its reason, and lets it in again', async () => {
    const told = { address: 'customer@example.com', since: at };
    const asked: unknown[] = [];
    const answer = (subject: string, request: unknown) => {
      asked.push([subject, request]);
      return told;
    };
    const words = { ADDRESS: 'Customer@example.com' };
    const { text } = await run('suppress', words, { business: id, reason: 'asked for it' }, answer);
    expect(text).toBe(`customer@example.com is not written to, since ${at}`);
    await run('unsuppress', words, { business: id }, answer);
    expect(asked).toEqual([
      [showBusiness.subject, { business_id: id }],
      [suppressAddress.subject, { business_id: id, address: 'Customer@example.com', words: 'asked for it' }],
      [showBusiness.subject, { business_id: id }],
      [unsuppressAddress.subject, { business_id: id, address: 'Customer@example.com' }],
    ]);
  });

  it.each([
    ['failures', { failures: [], next_after: null }, 'No message has failed'],
    ['suppressions', { suppressions: [], next_after: null }, 'Every address is written to'],
  ])('%s says so where there are none', async (verb, reply, said) => {
    expect(await run(verb, {}, {}, () => reply)).toEqual({ json: [], text: said });
  });
});
