import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { departureMail, invitationMail } from './notice-texts.js';
import { shownName, shownNameMax } from './shown-name.js';

const addresses = {
  link: 'https://console.example.com/sign-in/link/abc',
  signIn: 'https://console.example.com/sign-in',
};
const mailFor = (businessName: string) =>
  invitationMail('en', addresses, { businessName, role: 'bookkeeper', inviter: 'owner@demo.example' });

const ofAny = <T>(...values: T[]) => fc.constantFrom(...values);
const digits = fc.string({ unit: ofAny(...'0123456789'), minLength: 2, maxLength: 4 });
const contact = fc.oneof(
  fc
    .tuple(ofAny('http', 'HTTPS', 'tel', 'x'), ofAny('://evil.example', '://1.2.3.4/a'))
    .map((parts) => parts.join('')),
  ofAny('evil.example', 'www.evil', 'bank.co.il/pay?x=1', 'ｅvil．ｃom', 'בנק.קום', 'a-b.example'),
  ofAny('pay@evil.example', 'PAY＠evil', '@evil'),
  ofAny('*2407', '+972 3 555 1234', '+1(800)5551234', '٠٣٥٥٥١٢٣٤', '０３-５５５１２３４'),
  fc
    .tuple(digits, ofAny('-', ' ', '.', '–', ') '), digits, ofAny('-', ' '), digits)
    .map((parts) => parts.join('')),
);
const name = fc
  .array(
    fc.oneof(
      contact,
      ofAny('בנק', 'Demo', 'call', ' ', '\n', '\r\nBcc:', '\u202e', '\u0000', '(', '.'),
      fc.string(),
    ),
    {
      maxLength: 12,
    },
  )
  .chain((parts) => ofAny(' ', '', '\n', '.').map((between) => parts.join(between)));

describe('the mail with an invitation', () => {
  it('the name of a business is one short line in which nothing looks like a link, an address or a number to call', () => {
    fc.assert(
      fc.property(name, (text) => {
        const shown = shownName(text);
        expect([...shown].length).toBeLessThanOrEqual(shownNameMax);
        expect(shown).not.toMatch(/[\r\n\t\u2028\u2029]|@|:\/\/|www\b/iu);
        expect(shown).not.toMatch(/[\p{L}\p{N}]\.[\p{L}\p{N}]{2}/u);
        expect(shown).not.toMatch(/[+*#]\s*\p{Nd}/u);
        expect(shown.replaceAll(/[\s().,/_\p{Pd}]/gu, '')).not.toMatch(/\p{Nd}{6}/u);
        expect(shownName(shown)).toBe(shown);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    'חברת הדוגמה בע"מ',
    'ע.מ. דוגמה',
    'A.B. Demo Ltd.',
    'Studio 54, Demo & Sons (1998)',
    "O'Demo – 24/7",
  ])('an ordinary name stays as it is: %s', (ordinary) => {
    expect(shownName(ordinary)).toBe(ordinary);
    expect(mailFor(ordinary).text).toContain(ordinary);
  });

  it('it begins with who invites, and a name that is a message leads nowhere', () => {
    const { subject, text, html } = mailFor(
      'Your bank blocked your card – call 03-5551234 or *2407 now, http://evil.example, www.evil.example, help@evil.example',
    );
    expect(text).toMatch(/^You are invited to work in Pinkas by owner@demo\.example\./);
    for (const part of [subject, text, html.replaceAll(/<style.*?<\/style>/gs, '')]) {
      expect(part).not.toMatch(/5551234|2407|evil/);
    }
    expect(subject).not.toMatch(/[\r\n]/);
  });

  it('a name of which nothing is left is not shown', () => {
    const { subject, text } = mailFor('http://evil.example 03-5551234');
    expect(subject).toBe('You are invited to Pinkas');
    expect(text).toContain('You are invited to work in Pinkas by owner@demo.example. Role: Bookkeeper.');
  });
});

describe('the mail about a person who has left a business', () => {
  it('the name of the business is shown as in an invitation, since its owners include people who were only named', () => {
    const businessName = 'Demo – call 03-5551234, http://evil.example';
    const { text, html } = departureMail('en', addresses.signIn, { businessName, email: 'left@example.com' });
    for (const part of [text, html]) {
      expect(part).toContain('Demo – call');
      expect(part).not.toMatch(/5551234|evil/);
    }
  });
});
