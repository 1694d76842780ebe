import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { BusinessChange, CreatedDocument } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { aLongMinute } from '../avoid-minute-end.js';
import { newName, plainType, quote } from '../example-bodies.js';
import { timeInIsrael } from '../israel-time.js';
import type { Suite } from '../suite.js';
import { answersTo } from '../tables.js';

type Channel = 'email' | 'whatsapp' | 'both';

/** Rule 4.6 of section 4.4, section 3.3, and the decisions on delivery. */
export function delivery(suite: Suite): void {
  const newAddressee = () => `${randomUUID()}@example.com`;
  const sending = (channel: Channel = 'email', quietHours: string | null = null): BusinessChange => ({
    auto_send: { enabled: true, channel, quiet_hours: quietHours },
  });
  const issueTo = async (settings: BusinessChange, contact: object, change: object = {}) => {
    const { key } = await suite.newIssuer(settings);
    return suite.issued(key, quote({ customer: { name: newName(), ...contact }, ...change }));
  };
  const mailTo = (address: string) =>
    eventually(`a mail to ${address}`, async () => {
      const mails = await suite.stack.mailsTo(address);
      return mails.length > 0 ? mails : undefined;
    });

  describe('4.4 rule 4.6 delivery', () => {
    const email = { email: 'customer@example.com' };
    const phone = { phone: '03-0000000' };
    const off: BusinessChange = { auto_send: { enabled: false, channel: 'email' } };
    const nothing = (status: string) => ({ status, channel: null, scheduled_for: null });
    const outcomes: [string, BusinessChange, object, object, object][] = [
      ['auto-send off', off, email, {}, nothing('disabled')],
      ['auto-send off and send false', off, email, { send: false }, nothing('disabled')],
      ['send false', sending(), email, { send: false }, nothing('suppressed')],
      ['send false and no address', sending(), {}, { send: false }, nothing('suppressed')],
      ['no address at all', sending(), {}, {}, nothing('no_recipient')],
      ['a phone only, by e-mail', sending(), phone, {}, nothing('no_recipient')],
      ['an e-mail address only, by WhatsApp', sending('whatsapp'), email, {}, nothing('no_recipient')],
      ['no address at all, by both', sending('both'), {}, {}, nothing('no_recipient')],
      [
        'an e-mail address',
        sending(),
        email,
        {},
        { status: 'queued', channel: 'email', scheduled_for: null },
      ],
      [
        'send true',
        sending(),
        email,
        { send: true },
        { status: 'queued', channel: 'email', scheduled_for: null },
      ],
      [
        'an e-mail address only, by both',
        sending('both'),
        email,
        {},
        { status: 'queued', channel: 'email', scheduled_for: null },
      ],
    ];
    const answers = answersTo(outcomes, ([, settings, contact, change]) =>
      issueTo(settings, contact, change),
    );
    it.each(outcomes.map((entry) => [entry[0], (entry[4] as { status: string }).status, entry] as const))(
      'the delivery to %s is %s',
      (_what, _status, entry) => expect(answers(entry).delivery).toEqual(entry[4]),
    );

    it('a message by WhatsApp to a phone is queued', async () => {
      const document = await issueTo(sending('whatsapp'), phone);
      expect(document.delivery).toEqual({ status: 'queued', channel: 'whatsapp', scheduled_for: null });
    });

    it('a message by both channels names the channel that was used', async () => {
      const document = await issueTo(sending('both'), { ...email, ...phone });
      expect(document.delivery).toEqual({ status: 'queued', channel: 'both', scheduled_for: null });
    });

    it('the address on the card counts when the request states none', async () => {
      const { key } = await suite.newIssuer(sending());
      const name = newName();
      await suite.issued(key, quote({ customer: { name, ...email } }));
      await eventually('the card has its address', async () => {
        const { body } = await suite.get<{ data: { email: string | null }[] }>(key, '/customers');
        return body.data[0]?.email !== undefined;
      });
      expect((await suite.issued(key, quote({ customer: { name } }))).delivery.status).toBe('queued');
    });

    it('the mail is sent once, with the page and the PDF, however often the request is sent', async () => {
      const { key } = await suite.newIssuer(sending());
      const to = newAddressee();
      const idempotencyKey = randomUUID();
      const body = quote({ customer: { name: newName(), email: to } });
      const document = await suite.issued(key, body, idempotencyKey);
      await suite.issued(key, body, idempotencyKey);
      const [mail] = await mailTo(to);
      expect(mail?.text).toContain(document.view_url);
      expect(mail?.attachments).toMatchObject([{ contentType: 'application/pdf' }]);
      await suite.issued(key, body, idempotencyKey);
      // What a second sending would have been sent with is sent by now.
      const later = newAddressee();
      await suite.issued(key, quote({ customer: { name: newName(), email: later } }));
      await mailTo(later);
      expect(await suite.stack.mailsTo(to)).toHaveLength(1);
    });
  });

  describe('4.4 rule 4.6 quiet hours', () => {
    const email = { email: 'customer@example.com' };
    /** The instant, to the minute, so many minutes from now. */
    const instantIn = (minutes: number) =>
      new Date(Math.floor(Date.now() / 60_000 + minutes) * 60_000).toISOString();
    interface Quiet {
      says: string;
      start: number;
      end: number;
      quiet: boolean;
    }
    const cases: Quiet[] = [
      { says: 'inside of them it is deferred to their end', start: -60, end: 90, quiet: true },
      { says: 'their start belongs to them', start: 0, end: 60, quiet: true },
      { says: 'their end does not', start: -60, end: 0, quiet: false },
      { says: 'before them it is queued', start: 60, end: 120, quiet: false },
      { says: 'over midnight they are one range', start: -11 * 60, end: 11 * 60, quiet: true },
    ];
    let outcomes: CreatedDocument[];
    let ends: string[];
    beforeAll(async () => {
      await aLongMinute();
      ends = cases.map(({ end }) => instantIn(end));
      outcomes = await Promise.all(
        cases.map(({ start, end }) =>
          issueTo(sending('email', `${timeInIsrael(start)}-${timeInIsrael(end)}`), email),
        ),
      );
    });
    it.each(cases.map((entry, index) => [entry.says, entry.quiet, index] as const))(
      'quiet hours: %s (deferred: %s)',
      (_says, quiet, index) => {
        expect(outcomes[index]?.delivery).toEqual({
          status: quiet ? 'deferred_quiet_hours' : 'queued',
          channel: 'email',
          scheduled_for: quiet ? ends[index] : null,
        });
      },
    );

    it('quiet hours defer messages; disabled, suppressed and no_recipient come before them', async () => {
      const quietNow = sending('email', `${timeInIsrael(-60)}-${timeInIsrael(120)}`);
      const to = newAddressee();
      const deferred = await issueTo(quietNow, { email: to });
      expect(deferred.delivery.status).toBe('deferred_quiet_hours');
      expect((await issueTo(quietNow, email, { send: false })).delivery.status).toBe('suppressed');
      expect((await issueTo(quietNow, {})).delivery.status).toBe('no_recipient');
      const later = newAddressee();
      await issueTo(sending(), { email: later });
      await mailTo(later);
      expect(await suite.stack.mailsTo(to)).toEqual([]);
    });
  });

  describe("4.4 rule 4.6 the accountant's copy", () => {
    const withCopy = (to: string, settings: BusinessChange): BusinessChange => ({
      ...settings,
      accountant_copy: { enabled: true, email: to },
    });
    const quiet = () => sending('email', `${timeInIsrael(-60)}-${timeInIsrael(120)}`);
    const cases: [string, () => BusinessChange, object, object][] = [
      ['send is false', () => sending(), { email: 'customer@example.com' }, { send: false }],
      ['auto-send is off', () => ({}), {}, {}],
      ['nobody is to receive the document', () => sending(), {}, {}],
      ['it is night', quiet, { email: 'customer@example.com' }, {}],
      ['the customer is sent one too', () => sending(), { email: 'customer@example.com' }, {}],
    ];
    const sent = answersTo(cases, async ([, settings, contact, change], index) => {
      const accountant = newAddressee();
      const document = await issueTo(withCopy(accountant, settings()), contact, {
        ...change,
        type: plainType(index),
      });
      return { document, mails: await mailTo(accountant) };
    });
    it.each(cases.map((entry) => [entry[0], entry] as const))(
      'a copy to the accountant is sent when %s',
      (_what, entry) => {
        expect(sent(entry).mails).toHaveLength(1);
        expect(sent(entry).mails[0]?.attachments).toMatchObject([{ contentType: 'application/pdf' }]);
      },
    );

    it('a copy to the accountant is not sent when it is off', async () => {
      const [accountant, customer] = [newAddressee(), newAddressee()];
      await issueTo(
        { ...sending(), accountant_copy: { enabled: false, email: accountant } },
        { email: customer },
      );
      await mailTo(customer);
      expect(await suite.stack.mailsTo(accountant)).toEqual([]);
    });
  });
}
