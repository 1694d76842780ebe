import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSignInLink, invitePerson, listPeople, removePerson } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { eventually, readTrail } from '@pinkas/testkit';
import { SignInPurger } from '../../src/access/sign-in/sign-in-purger.js';
import { NoticeSender } from '../../src/email/notice-sender.js';
import { textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';
import { linkFor, linkIn, useLink, withoutMails } from '../mail.js';

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: { code: string }) => error.code,
  );

describe('people', () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());
  beforeEach(() => withoutMails(console));

  const address = () => `p-${randomUUID()}@example.com`;
  const at = (minutes: number) => {
    console.clock.now = new Date(console.clock.now.getTime() + minutes * 60_000);
  };
  const openMember = async (browser: TestBrowser, businessId: string, personId: string) => {
    await browser.get(`/b/${businessId}/people/${personId}`);
    return `/b/${businessId}/people/${personId}`;
  };

  it('invitePerson stores a new person, records it and sends a link that leads to the business', async () => {
    const business = console.addBusiness({ name: 'עסק לדוגמה' });
    const email = address();
    const member = await console.network.call(invitePerson, {
      business_id: business.id,
      email: email.toUpperCase(),
      role: 'bookkeeper',
    });
    expect(member).toMatchObject({ email, role: 'bookkeeper', business_id: business.id });
    expect(await readTrail(console.database, business.id)).toEqual([
      {
        action: 'person.invite',
        actor: 'operator',
        subject: member.person_id,
        before: null,
        after: { email, role: 'bookkeeper' },
      },
    ]);
    const link = await linkFor(console, email);
    const [mail] = console.notices;
    expect(mail?.subject).toContain('עסק לדוגמה');
    expect(mail?.html).toContain('dir="ltr"');
    expect(mail?.html).toContain('dir="rtl"');
    const reply = await useLink(console.browser(), link);
    expect([reply.status, reply.location]).toEqual([303, `/b/${business.id}`]);
  });

  it('invitePerson writes the domain of an address in ASCII, so that one mailbox is one person', async () => {
    const business = console.addBusiness();
    const invite = (email: string) =>
      console.network.call(invitePerson, { business_id: business.id, email, role: 'owner' });
    const first = await invite('Books@דוגמה.example');
    const second = await invite('books@xn--6dbbec0c.example');
    expect(first.email).toBe('books@xn--6dbbec0c.example');
    expect(second.person_id).toBe(first.person_id);
  });

  it('invitePerson for another role changes the role and sends no mail', async () => {
    const business = console.addBusiness();
    const email = address();
    const request = { business_id: business.id, email, role: 'owner' } as const;
    await console.network.call(invitePerson, request);
    await linkFor(console, email);
    await console.network.call(invitePerson, { ...request, role: 'bookkeeper' });
    const { people } = await console.network.call(listPeople, { business_id: business.id });
    expect(people.map(({ role }) => role)).toEqual(['bookkeeper']);
    expect((await readTrail(console.database, business.id)).map(({ action }) => action)).toEqual([
      'person.invite',
      'person.role',
    ]);
    const due = console.database.db.selectFrom('due_notice').select('id').where('email', '=', email);
    await eventually('nothing is due', async () => (await due.execute()).length === 0);
    expect(console.notices.filter(({ recipient }) => recipient === email)).toHaveLength(1);
  });

  it('owners see who was invited and has not come yet, until they open the business', async () => {
    const business = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    const shown = async () =>
      (await browser.get(`/b/${business.id}/people`)).text.split('Invitation pending').length - 1;
    // The one who looks has come.
    expect(await shown()).toBe(0);
    const invited = await console.addPerson({ [business.id]: 'bookkeeper' });
    expect(await shown()).toBe(1);
    const theirs = await console.signedIn(invited);
    expect(await shown()).toBe(1);
    await theirs.get(`/b/${business.id}`);
    expect(await shown()).toBe(0);
    const { people } = await console.network.call(listPeople, { business_id: business.id });
    expect(people.map(({ joined_at }) => joined_at !== null)).toEqual([true, true]);
  });

  it('owners see that an invitation did not arrive, until it is sent again', async () => {
    const business = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    const email = address();
    const invite = () =>
      console.network.call(invitePerson, { business_id: business.id, email, role: 'bookkeeper' });
    const shown = async () =>
      (await browser.get(`/b/${business.id}/people`)).text.includes('The invitation did not arrive');
    console.sendNotice = () => ({ outcome: 'rejected', reason: '550 no such mailbox' });
    await invite();
    await eventually('the page says that the invitation did not arrive', shown);
    console.sendNotice = () => ({ outcome: 'accepted', reason: null });
    expect((await invite()).undelivered_at).toBeNull();
    expect(await shown()).toBe(false);
  });

  it('invitePerson refuses a business that does not exist, a test book, and what is no address', async () => {
    const business = console.addBusiness();
    const invite = (business_id: string, email = address()) =>
      errorOf(console.network.call(invitePerson, { business_id, email, role: 'owner' }));
    expect(await invite(randomUUID())).toBe('not_found');
    expect(await invite(testBookOf(business.id))).toBe('not_found');
    expect(await invite(business.id, 'a b@example.com')).toBe('validation_error');
  });

  it('an invitation is sent when delivery works again', async () => {
    const business = console.addBusiness();
    const email = address();
    console.sendNotice = () => ({ outcome: 'failed', reason: '451 try later' });
    await console.network.call(invitePerson, { business_id: business.id, email, role: 'owner' });
    const first = await linkFor(console, email);
    await eventually('the second attempt is scheduled', async () => {
      const [row] = await console.database.db.selectFrom('due_notice').selectAll().execute();
      return row?.claimed_until === null && row.attempts === 1;
    });
    console.sendNotice = () => ({ outcome: 'accepted', reason: null });
    at(1);
    const second = await linkFor(console, email, 2);
    expect(second).not.toBe(first);
    expect(new Set(console.notices.map(({ notice_id }) => notice_id)).size).toBe(1);
    expect((await useLink(console.browser(), first)).status).toBe(303);
    // One mail was sent twice: its links are good once together.
    expect((await useLink(console.browser(), second)).status).toBe(410);
  });

  it('an invitation that no mail server accepts expires after a day', async () => {
    const business = console.addBusiness();
    const email = address();
    console.sendNotice = () => ({ outcome: 'failed', reason: '451 try later' });
    await console.network.call(invitePerson, { business_id: business.id, email, role: 'owner' });
    await linkFor(console, email);
    const due = () => console.database.db.selectFrom('due_notice').select('claimed_until').execute();
    const isIdle = async () => (await due()).every(({ claimed_until }) => claimed_until === null);
    await eventually('the first attempt is over', isIdle);
    for (let hour = 0; hour < 30 && (await due()).length > 0; hour += 1) {
      const before = console.notices.length;
      at(61);
      console.service.app.get(NoticeSender, { strict: false }).trigger();
      await eventually('the next attempt is over', async () => console.notices.length > before && isIdle());
    }
    expect(await due()).toEqual([]);
    expect(console.notices.length).toBeGreaterThan(20);
  });

  it('an invitation is not sent to a person who was removed before', async () => {
    const business = console.addBusiness();
    const email = address();
    console.businesses.delete(business.id);
    console.businesses.set(business.id, business);
    console.sendNotice = () => ({ outcome: 'failed', reason: '451' });
    await console.network.call(invitePerson, { business_id: business.id, email, role: 'owner' });
    await linkFor(console, email);
    await console.network.call(removePerson, { business_id: business.id, email });
    at(1);
    await eventually('the mail is gone', async () => {
      const rows = await console.database.db.selectFrom('due_notice').select('id').execute();
      return rows.length === 0;
    });
    expect(console.notices).toHaveLength(1);
  });

  it('an invitation names who invites, works for three days and once, and its page then leads to a new link', async () => {
    const business = console.addBusiness({ name: 'Demo business' });
    const owner = await console.addPerson({ [business.id]: 'owner' });
    const browser = await console.signedIn(owner);
    await browser.get(`/b/${business.id}/people/invite`);
    const email = address();
    await browser.post(`/b/${business.id}/people/invite`, { email, role: 'bookkeeper' });
    const link = await linkFor(console, email);
    const [mail] = console.notices;
    const english = mail?.text.slice(mail.text.indexOf('You are invited'));
    expect(english).toMatch(new RegExp(`^You are invited to work in Pinkas by ${owner.email}\\.`));
    expect(mail?.text).toContain('within three days');
    expect(mail?.text).not.toMatch(/15 minutes|not checked/);
    at(2 * 24 * 60);
    const visitor = console.browser();
    const shown = await visitor.get(link);
    expect(textOf(shown.text)).toContain(`The invitation is for ${email} .`);
    const again = await linkTo(business.id, email);
    expect((await visitor.post(link)).location).toBe(`/b/${business.id}`);
    // One invitation that is used uses up the others to the same business.
    for (const used of [link, again]) {
      const { status, text } = await console.browser().get(used);
      expect([status, textOf(text)]).toEqual([
        410,
        expect.stringContaining('The invitation was used already'),
      ]);
      expect(text).toContain('href="/sign-in"');
    }
  });

  it('the page of an invitation that has expired, or was withdrawn, states what to do and whom to ask', async () => {
    const business = console.addBusiness();
    const owner = await console.addPerson({ [business.id]: 'owner' });
    const browser = await console.signedIn(owner);
    await browser.get(`/b/${business.id}/people/invite`);
    const email = address();
    await browser.post(`/b/${business.id}/people/invite`, { email, role: 'bookkeeper' });
    const link = await linkFor(console, email);
    at(3 * 24 * 60 + 1);
    await purge();
    const expired = await console.browser().get(link);
    expect(expired.status).toBe(410);
    expect(textOf(expired.text)).toContain('The invitation has expired');
    expect(textOf(expired.text)).toContain(`Ask the person who invited you: ${owner.email}`);
    expect(expired.text).toContain('href="/sign-in"');
    expect((await useLink(console.browser(), link)).status).toBe(410);

    const second = await linkTo(business.id, email);
    await console.network.call(removePerson, { business_id: business.id, email });
    const withdrawn = await console.browser().get(second);
    expect([withdrawn.status, textOf(withdrawn.text)]).toEqual([
      410,
      expect.stringContaining('The invitation was withdrawn'),
    ]);
    // A person who is removed does not sign in by it either.
    expect((await useLink(console.browser(), second)).status).toBe(410);
    at(31 * 24 * 60);
    await purge();
    const links = console.database.db.selectFrom('sign_in_link').selectAll();
    expect(await links.where('business_id', '=', business.id).execute()).toEqual([]);
  });

  /** The link of another invitation of the same person. */
  const linkTo = async (business_id: string, email: string) => {
    const before = console.notices.filter(({ recipient }) => recipient === email).length;
    await console.network.call(invitePerson, { business_id, email, role: 'bookkeeper' });
    return linkFor(console, email, before + 1);
  };
  const purge = () => console.service.app.get(SignInPurger, { strict: false }).tickNow();

  it('listPeople lists the members of one business by their addresses', async () => {
    const [a, b] = [console.addBusiness(), console.addBusiness()];
    await console.addPerson({ [a.id]: 'owner' }, 'zed@list.example');
    await console.addPerson({ [a.id]: 'bookkeeper', [b.id]: 'owner' }, 'abe@list.example');
    const { people } = await console.network.call(listPeople, { business_id: a.id });
    expect(people.map(({ email, role }) => [email, role])).toEqual([
      ['abe@list.example', 'bookkeeper'],
      ['zed@list.example', 'owner'],
    ]);
  });

  it('removePerson takes a business away, also from its last owner, and records it', async () => {
    const business = console.addBusiness();
    const person = await console.addPerson({ [business.id]: 'owner' });
    const request = { business_id: business.id, email: person.email.toUpperCase() };
    expect(await console.network.call(removePerson, request)).toMatchObject({ person_id: person.id });
    expect(await readTrail(console.database, business.id)).toEqual([
      {
        action: 'person.remove',
        actor: 'operator',
        subject: person.id,
        before: { email: person.email, role: 'owner' },
        after: null,
      },
    ]);
    expect(await errorOf(console.network.call(removePerson, request))).toBe('not_found');
  });

  it('createSignInLink makes a link that signs in once, after a confirming click', async () => {
    const person = await console.addPerson();
    const { url, expires_at } = await console.network.call(createSignInLink, { email: person.email });
    expect(expires_at).toBe(new Date(console.clock.now.getTime() + 15 * 60_000).toISOString());
    const browser = console.browser();
    const link = linkIn(url) ?? '';
    const shown = await browser.get(link);
    expect(shown.text).toContain(person.email);
    expect(shown.text).toContain('was not asked for in this browser');
    expect((await browser.post(link)).status).toBe(303);
    expect((await browser.get('/account')).status).toBe(200);
    expect((await useLink(console.browser(), link)).status).toBe(410);
    expect(await errorOf(console.network.call(createSignInLink, { email: address() }))).toBe('not_found');
  });

  it('an owner invites, changes a role and removes on the pages, in the name of the owner', async () => {
    const business = console.addBusiness();
    const owner = await console.addPerson({ [business.id]: 'owner' });
    const browser = await console.signedIn(owner);
    const email = address();
    expect((await browser.get(`/b/${business.id}/people/invite`)).status).toBe(200);
    const invited = await browser.post(`/b/${business.id}/people/invite`, { email, role: 'bookkeeper' });
    expect(invited.location).toBe(`/b/${business.id}/people`);
    const list = await browser.get(`/b/${business.id}/people`);
    expect(list.text).toContain(email);
    expect(list.text).toContain('The invitation will be sent within minutes.');
    const { people } = await console.network.call(listPeople, { business_id: business.id });
    const id = people.find((member) => member.email === email)?.person_id ?? '';
    const member = await openMember(browser, business.id, id);
    const done = async () => {
      const { text } = await browser.get(`/b/${business.id}/people`);
      return /<p class="notice done"[^>]*>([^<]*)</.exec(text)?.[1];
    };
    for (const role of ['issuer', 'owner']) {
      await browser.post(`${member}/role`, { role });
      expect(await done()).toBe('The role is changed.');
    }
    // No email is sent for another role.
    await browser.post(`/b/${business.id}/people/invite`, { email, role: 'bookkeeper' });
    expect(await done()).toBe('The role is changed.');
    await browser.post(`${member}/remove`);
    expect(await done()).toBe('The person is removed from the business.');
    expect((await browser.get(`/b/${business.id}/people`)).text).not.toContain(email);
    const trail = await readTrail(console.database, business.id);
    expect(trail.map(({ action, actor }) => [action, actor])).toEqual([
      ['person.invite', `person:${owner.id}`],
      ['person.role', `person:${owner.id}`],
      ['person.role', `person:${owner.id}`],
      ['person.role', `person:${owner.id}`],
      ['person.remove', `person:${owner.id}`],
    ]);
  });

  it('the last owner of a business cannot be removed or become a bookkeeper in the console', async () => {
    const business = console.addBusiness();
    const owner = await console.addPerson({ [business.id]: 'owner' });
    const browser = await console.signedIn(owner);
    const member = await openMember(browser, business.id, owner.id);
    for (const reply of [
      await browser.post(`${member}/remove`),
      await browser.post(`${member}/role`, { role: 'bookkeeper' }),
    ]) {
      expect(reply.status).toBe(422);
      expect(reply.text).toContain('A business keeps an owner');
    }
    await browser.get(`/b/${business.id}/people/invite`);
    const again = { email: owner.email, role: 'bookkeeper' };
    expect((await browser.post(`/b/${business.id}/people/invite`, again)).status).toBe(422);
    const { people } = await console.network.call(listPeople, { business_id: business.id });
    expect(people.map(({ role }) => role)).toEqual(['owner']);
  });

  it('two owners who remove each other at once leave the business one of them', async () => {
    const business = console.addBusiness();
    const owners = [
      await console.addPerson({ [business.id]: 'owner' }),
      await console.addPerson({ [business.id]: 'owner' }),
    ];
    const browsers = await Promise.all(owners.map((owner) => console.signedIn(owner)));
    await Promise.all(
      browsers.map((browser, index) =>
        browser.post(`/b/${business.id}/people/${owners[1 - index]?.id}/remove`),
      ),
    );
    const { people } = await console.network.call(listPeople, { business_id: business.id });
    expect(people).toHaveLength(1);
  });

  it('a bookkeeper leaves a business, and its owners get a mail without a link that signs in', async () => {
    const business = console.addBusiness({ name: 'עסק לדוגמה' });
    const [first, second] = [
      await console.addPerson({ [business.id]: 'owner' }),
      await console.addPerson({ [business.id]: 'owner' }),
    ];
    const person = await console.addPerson({ [business.id]: 'bookkeeper' });
    const browser = await console.signedIn(person);
    expect((await browser.get(`/b/${business.id}/people`)).text).toContain('/people/leave');
    const asked = await browser.get(`/b/${business.id}/people/leave`);
    expect(asked.text).toContain('Its owners get a mail');
    const reply = await browser.post(`/b/${business.id}/people/leave`);
    expect([reply.status, reply.location]).toEqual([303, '/']);
    const home = await browser.get('/');
    expect(home.text).toContain('You may not use the business any more');
    expect((await browser.get(`/b/${business.id}`)).status).toBe(404);
    expect((await readTrail(console.database, business.id)).at(-1)).toEqual({
      action: 'person.leave',
      actor: `person:${person.id}`,
      subject: person.id,
      before: { email: person.email, role: 'bookkeeper' },
      after: null,
    });
    await eventually('both owners have a mail', () => console.notices.length === 2);
    expect(console.notices.map(({ recipient }) => recipient).sort()).toEqual(
      [first.email, second.email].sort(),
    );
    for (const { subject, text, html } of console.notices) {
      expect(subject).toContain(person.email);
      for (const body of [text, html]) {
        expect(body).toContain(`${console.config.consoleUrl}/b/${business.id}/people`);
        expect(body).toContain('עסק לדוגמה');
        expect(body).not.toContain('/sign-in/link/');
      }
    }
  });

  it('the last owner cannot leave, and an owner who removes themselves has left', async () => {
    const business = console.addBusiness();
    const [owner, other] = [
      await console.addPerson({ [business.id]: 'owner' }),
      await console.addPerson({ [business.id]: 'owner' }),
    ];
    const browser = await console.signedIn(other);
    const path = await openMember(browser, business.id, other.id);
    expect((await browser.post(`${path}/remove`)).location).toBe('/');
    await linklessMail(owner.email);
    const last = await console.signedIn(owner);
    expect((await last.get(`/b/${business.id}/people/leave`)).text).not.toContain('<button class="danger">');
    const refused = await last.post(`/b/${business.id}/people/leave`);
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('A business keeps an owner'),
    ]);
    expect((await last.get(`/b/${business.id}/people`)).status).toBe(200);
    expect((await readTrail(console.database, business.id)).map(({ action }) => action)).toEqual([
      'person.leave',
    ]);
  });
  const linklessMail = (email: string) =>
    eventually(`a mail to ${email}`, () => console.notices.some(({ recipient }) => recipient === email));

  it('a wrong address is shown again with the reason next to its field', async () => {
    const business = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    const reply = await browser.post(`/b/${business.id}/people/invite`, { email: 'a"b', role: 'owner' });
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('aria-describedby="field-email-error" aria-invalid="true"');
  });

  it('a person who was removed while signed in loses the business with the next request', async () => {
    const business = console.addBusiness();
    const person = await console.addPerson({ [business.id]: 'owner' });
    const browser = await console.signedIn(person);
    expect((await browser.get(`/b/${business.id}/people`)).status).toBe(200);
    await console.network.call(removePerson, { business_id: business.id, email: person.email });
    expect((await browser.get(`/b/${business.id}/people`)).status).toBe(404);
    expect((await browser.post(`/b/${business.id}/people/invite`, { email: address() })).status).toBe(404);
    expect((await browser.get('/')).text).toContain('You may not use any business yet');
  });

  it('a bookkeeper reads who the members are, and is shown nothing to change', async () => {
    const business = console.addBusiness();
    const owner = await console.addPerson({ [business.id]: 'owner' });
    const bookkeeper = await console.addPerson({ [business.id]: 'bookkeeper' });
    const { status, text } = await (await console.signedIn(bookkeeper)).get(`/b/${business.id}/people`);
    expect(status).toBe(200);
    expect(text).toContain(owner.email);
    expect(text).not.toMatch(/people\/(?:invite|[0-9a-f-]{36})/);
  });

  it('a notice that delivery rejects for good is not repeated', async () => {
    const business = console.addBusiness();
    const email = address();
    console.sendNotice = () => ({ outcome: 'rejected', reason: '550 no such mailbox' });
    await console.network.call(invitePerson, { business_id: business.id, email, role: 'owner' });
    await linkFor(console, email);
    const due = console.database.db.selectFrom('due_notice').select('id').where('email', '=', email);
    await eventually('nothing is due', async () => (await due.execute()).length === 0);
    expect(console.notices.filter(({ recipient }) => recipient === email)).toHaveLength(1);
  });

  it('an owner of one business sends so many invitations a day', async () => {
    const business = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    const invite = () =>
      browser.post(`/b/${business.id}/people/invite`, { email: address(), role: 'bookkeeper' });
    for (let count = 0; count < 50; count += 1) {
      expect((await invite()).status).toBe(303);
    }
    const reply = await invite();
    expect(reply.status).toBe(429);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(3600);
  });
});
