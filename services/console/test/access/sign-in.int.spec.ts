import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { SignInPurger } from '../../src/access/sign-in/sign-in-purger.js';
import { hashToken } from '../../src/session/session.repository.js';
import { type ConsoleUnderTest, startConsole } from '../console.js';
import { askForLink, linkFor, useLink, withoutMails } from '../mail.js';

const minuteMs = 60_000;

describe('signing in by mail', () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    await console.database.db.deleteFrom('attempt_count').execute();
    await withoutMails(console);
  });
  const pass = (ms: number) => {
    console.clock.now = new Date(console.clock.now.getTime() + ms);
  };
  const signIn = async (email: string, next = '') => {
    const browser = console.browser();
    await askForLink(browser, email, next);
    const reply = await useLink(browser, await linkFor(console, email));
    return { browser, reply };
  };

  it('a link signs in the browser that asked for it, and leads to where the person was going', async () => {
    const person = await console.addPerson();
    const { browser, reply } = await signIn(person.email, '/account?a=%D7%A1');
    expect([reply.status, reply.location]).toEqual([303, '/account?a=%D7%A1']);
    expect((await browser.get('/account')).text).toContain(person.email);
    expect(browser.cookies.has('browser')).toBe(false);
  });

  it('a person signs in with an address in capitals and spaces around it', async () => {
    const person = await console.addPerson();
    const browser = console.browser();
    await askForLink(browser, ` ${person.email.toUpperCase()} `);
    expect((await useLink(browser, await linkFor(console, person.email))).status).toBe(303);
  });

  it('the page of a link sends its form at once only in the browser that asked', async () => {
    const person = await console.addPerson();
    const browser = console.browser();
    await askForLink(browser, person.email);
    const link = await linkFor(console, person.email);
    expect((await browser.get(link)).text).toContain('data-send-at-once');
    const other = await console.browser().get(link);
    expect(other.text).not.toContain('data-send-at-once');
    expect(other.text).toContain('was not asked for in this browser');
    expect(other.text).toContain(person.email);
  });

  it('a mail scanner that opens a link does not use it up', async () => {
    const person = await console.addPerson();
    const browser = console.browser();
    await askForLink(browser, person.email);
    const link = await linkFor(console, person.email);
    for (const method of ['HEAD', 'GET', 'OPTIONS', 'GET']) {
      await fetch(`${console.origin}${link}`, { method, redirect: 'manual' });
    }
    expect((await useLink(browser, link)).status).toBe(303);
  });

  it('a link works once, and not from another browser either', async () => {
    const person = await console.addPerson();
    const browser = console.browser();
    await askForLink(browser, person.email);
    const link = await linkFor(console, person.email);
    await useLink(browser, link);
    for (const again of [browser, console.browser()]) {
      expect((await again.get(link)).status).toBe(410);
      expect((await again.post(link)).status).toBe(410);
    }
  });

  it('many browsers that use one link at once are not signed in but one', async () => {
    const person = await console.addPerson();
    await askForLink(console.browser(), person.email);
    const link = await linkFor(console, person.email);
    const browsers = Array.from({ length: 8 }, () => console.browser());
    await Promise.all(browsers.map((browser) => browser.get(link)));
    const replies = await Promise.all(browsers.map((browser) => browser.post(link)));
    expect(replies.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(410)]);
  });

  it('a link works for 15 minutes', async () => {
    const person = await console.addPerson();
    const browser = console.browser();
    await askForLink(browser, person.email);
    const link = await linkFor(console, person.email);
    pass(15 * minuteMs - 1);
    expect((await browser.get(link)).status).toBe(200);
    pass(1);
    expect((await browser.get(link)).status).toBe(410);
    expect((await browser.post(link)).status).toBe(410);
  });

  it('the token of a link and the value of a cookie are stored as hashes only', async () => {
    const person = await console.addPerson();
    const { browser } = await signIn(person.email);
    const token = browser.cookies.get('session') ?? '';
    const link = await linkFor(console, person.email);
    const dump = JSON.stringify([
      await console.database.db.selectFrom('session').selectAll().execute(),
      await console.database.db.selectFrom('sign_in_link').selectAll().execute(),
      await console.database.db.selectFrom('due_notice').selectAll().execute(),
    ]);
    expect(token).toHaveLength(43);
    expect(dump).not.toContain(token);
    expect(dump).not.toContain(link.split('/').at(-1));
    expect(dump).toContain(JSON.stringify(hashToken(token)));
  });

  it('a known and an unknown address get the same response, and neither request looks for the person', async () => {
    const person = await console.addPerson();
    const browsers = [console.browser(), console.browser()];
    await Promise.all(browsers.map((browser) => browser.get('/sign-in')));
    const replies = await console.database.db.transaction().execute(async (trx) => {
      // A request that reads the table would wait for this transaction.
      await sql`lock table person in access exclusive mode`.execute(trx);
      return Promise.all(
        browsers.map((browser, index) =>
          browser.post('/sign-in', { email: index === 0 ? person.email : `no-${person.email}` }),
        ),
      );
    });
    const shown = replies.map(({ status, location, text, headers }) => ({
      status,
      location,
      text,
      names: [...headers.keys()].sort(),
    }));
    expect(shown[0]).toEqual(shown[1]);
    expect(shown[0]).toMatchObject({ status: 303, location: '/sign-in/sent' });
    const pages = await Promise.all(browsers.map((browser) => browser.get('/sign-in/sent')));
    const bodies = pages.map(({ text }) => text.replaceAll(/value="[^"]*"/g, ''));
    expect(bodies[0]).toBe(bodies[1]);
    await linkFor(console, person.email);
    await eventually('both requests are processed', async () => {
      const rows = await console.database.db.selectFrom('due_notice').select('id').execute();
      return rows.length === 0;
    });
    expect(console.notices.map(({ recipient }) => recipient)).toEqual([person.email]);
  });

  it('a request does not wait for the mail', async () => {
    const person = await console.addPerson();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    console.sendNotice = async () => {
      await held;
      return { outcome: 'accepted', reason: null };
    };
    const reply = await askForLink(console.browser(), person.email);
    expect(reply.status).toBe(303);
    release();
    await linkFor(console, person.email);
  });

  it('a text that is no address is shown again with the reason next to its field', async () => {
    const reply = await askForLink(console.browser(), '"><script>alert(1)</script>');
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('aria-describedby="email-error"');
    expect(reply.text).not.toContain('<script>alert');
  });

  it('one network gets five links to an address in 15 minutes, known or not', async () => {
    const person = await console.addPerson();
    for (const email of [person.email, `no-${person.email}`]) {
      for (let count = 0; count < 6; count += 1) {
        const reply = await askForLink(console.browser(), email);
        expect([email, count, reply.status]).toEqual([email, count, count < 5 ? 303 : 429]);
        if (count === 5) {
          expect(reply.headers.get('retry-after')).toBe('900');
          expect(reply.text).toContain('Try again in 15 minutes');
        }
      }
    }
    pass(15 * minuteMs);
    expect((await askForLink(console.browser(), person.email)).status).toBe(303);
  });

  it('strangers who ask for links to an address keep its owner neither out nor from a proof', async () => {
    const person = await console.addPerson();
    const from = (network: number) => {
      const browser = console.browser();
      browser.headers['x-forwarded-for'] = `198.51.100.${network}`;
      return browser;
    };
    for (let network = 1; network <= 5; network += 1) {
      for (let count = 0; count < 4; count += 1) {
        expect((await askForLink(from(network), person.email)).status).toBe(303);
      }
    }
    // The mails of the address are used up: each network gets one more.
    expect((await askForLink(from(1), person.email)).status).toBe(303);
    expect((await askForLink(from(1), person.email)).status).toBe(429);
    const owner = console.browser();
    expect((await askForLink(owner, person.email)).status).toBe(303);
    expect((await useLink(owner, await linkFor(console, person.email, 22))).status).toBe(303);
    await owner.get('/prove');
    expect((await owner.post('/prove')).location).toBe('/prove/sent');
  });

  it('a signed-in person asks for so many proofs in 15 minutes', async () => {
    const browser = await console.signedIn(await console.addPerson());
    for (let count = 0; count < 10; count += 1) {
      expect((await browser.post('/prove')).status).toBe(303);
    }
    expect((await browser.post('/prove')).status).toBe(429);
  });

  it('one network asks for so many links in 15 minutes, an IPv6 network as a whole', async () => {
    const ask = async (address: string, count: number) => {
      const browser = console.browser();
      browser.headers['x-forwarded-for'] = address;
      return (await askForLink(browser, `n-${count}@example.com`)).status;
    };
    expect(await ask('2001:db8:1:2::1', 1)).toBe(303);
    const { db } = console.database;
    await db.updateTable('attempt_count').set({ attempts: 399 }).where('kind', '=', 'link_network').execute();
    expect(await ask('2001:db8:1:2::2', 2)).toBe(303);
    expect(await ask('2001:db8:1:2:ffff::1', 3)).toBe(429);
    expect(await ask('2001:db8:1:3::1', 4)).toBe(303);
  });

  it('a network that guesses links is refused after 30 wrong ones, and a right one is taken', async () => {
    const person = await console.addPerson();
    const browser = console.browser();
    await askForLink(browser, person.email);
    const link = await linkFor(console, person.email);
    const guess = (count: number) => `/sign-in/link/${String(count).padStart(43, 'x')}`;
    for (let count = 0; count < 30; count += 1) {
      expect((await browser.post(guess(count))).status).toBe(410);
    }
    const refused = await browser.post(guess(30));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBe(900);
    expect((await useLink(browser, link)).status).toBe(303);
  });

  it('opening wrong links counts nothing', async () => {
    for (let count = 0; count < 31; count += 1) {
      expect((await console.browser().get(`/sign-in/link/${'x'.repeat(43)}`)).status).toBe(410);
    }
    expect(await console.database.db.selectFrom('attempt_count').selectAll().execute()).toEqual([]);
  });

  it('the rows that count attempts are as many as there are buckets, and store no address', async () => {
    const browser = console.browser();
    await askForLink(browser, 'counted@example.com');
    await askForLink(browser, 'counted@example.com');
    const rows = await console.database.db.selectFrom('attempt_count').selectAll().execute();
    expect(rows.map(({ kind, attempts }) => [kind, attempts]).sort()).toEqual([
      ['link_address', 2],
      ['link_network', 2],
      ['link_source', 2],
    ]);
    expect(rows.every(({ bucket }) => bucket >= 0 && bucket < 1_000_000)).toBe(true);
    expect(JSON.stringify(rows)).not.toContain('counted');
  });

  it('a session that an attacker planted in a browser is not the one that signs in', async () => {
    const attacker = await console.addPerson();
    const planted = await console.signedIn(attacker);
    const fixed = planted.cookies.get('session') ?? '';
    const victim = await console.addPerson();
    await askForLink(console.browser(), victim.email);
    const link = await linkFor(console, victim.email);
    const browser = console.browser();
    browser.cookies.set('session', fixed);
    expect((await useLink(browser, link)).status).toBe(303);
    expect(browser.cookies.get('session')).not.toBe(fixed);
    expect((await browser.get('/account')).text).toContain(victim.email);
    // The session of before has ended, for the attacker as well.
    expect((await planted.get('/account')).location).toBe('/sign-in?next=%2Faccount');
  });

  it('a value for the session cookie that the console did not make signs no one in', async () => {
    const person = await console.addPerson();
    const browser = console.browser();
    browser.cookies.set('session', 'chosen-by-an-attacker');
    await askForLink(browser, person.email);
    await useLink(browser, await linkFor(console, person.email));
    expect(browser.cookies.get('session')).not.toBe('chosen-by-an-attacker');
    const thief = console.browser();
    thief.cookies.set('session', 'chosen-by-an-attacker');
    expect((await thief.get('/account')).status).toBe(303);
  });

  it('a token of a form from before signing in is not valid after it', async () => {
    const person = await console.addPerson();
    const browser = console.browser();
    await askForLink(browser, person.email);
    const before = browser.csrfToken;
    await useLink(browser, await linkFor(console, person.email));
    expect((await browser.post('/language', { _csrf: before, language: 'he' })).status).toBe(403);
  });

  it('a session ends two hours after its last use', async () => {
    const { browser } = await signIn((await console.addPerson()).email);
    for (let count = 0; count < 3; count += 1) {
      pass(119 * minuteMs);
      expect((await browser.get('/account')).status).toBe(200);
    }
    pass(120 * minuteMs);
    expect((await browser.get('/account')).status).toBe(303);
  });

  it('a session ends twelve hours after signing in, however it is used', async () => {
    const { browser } = await signIn((await console.addPerson()).email);
    for (let hour = 1; hour < 12; hour += 1) {
      pass(60 * minuteMs);
      expect((await browser.get('/account')).status).toBe(200);
    }
    pass(60 * minuteMs);
    expect((await browser.get('/account')).status).toBe(303);
  });

  it('the value of the cookie changes from time to time, and the former one ends after a minute', async () => {
    const { browser } = await signIn((await console.addPerson()).email);
    const first = browser.cookies.get('session') ?? '';
    await browser.get('/account');
    expect(browser.cookies.get('session')).toBe(first);
    pass(16 * minuteMs);
    await browser.get('/account');
    const second = browser.cookies.get('session') ?? '';
    expect(second).not.toBe(first);
    const former = console.browser();
    former.cookies.set('session', first);
    expect((await former.get('/account')).status).toBe(200);
    expect((await browser.get('/account')).status).toBe(200);
    former.cookies.set('session', first);
    expect((await former.get('/account')).status).toBe(200);
    pass(minuteMs);
    former.cookies.set('session', first);
    expect((await former.get('/account')).status).toBe(303);
    expect((await browser.get('/account')).status).toBe(200);
  });

  it('requests at the same time as a change of the cookie stay signed in, and so does a browser that missed it', async () => {
    const { browser } = await signIn((await console.addPerson()).email);
    const first = browser.cookies.get('session') ?? '';
    pass(16 * minuteMs);
    const others = Array.from({ length: 10 }, () => {
      const other = console.browser();
      other.cookies.set('session', first);
      return other;
    });
    const replies = await Promise.all(others.map((other) => other.get('/account')));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const changed = others.filter((other) => other.cookies.get('session') !== first);
    expect(changed).toHaveLength(1);
    // The response with the next value was lost: the browser gets another after a minute.
    pass(2 * minuteMs);
    expect((await browser.get('/account')).status).toBe(200);
    expect(browser.cookies.get('session')).not.toBe(first);
    expect((await browser.get('/account')).status).toBe(200);
  });

  it('a fresh proof is asked for before a sensitive page, and leads back to it with a new cookie', async () => {
    const business = console.addBusiness();
    const person = await console.addPerson({ [business.id]: 'owner' });
    const { browser } = await signIn(person.email);
    const path = `/b/${business.id}/people/invite`;
    expect((await browser.get(path)).status).toBe(200);
    pass(10 * minuteMs + 1);
    const asked = await browser.open(path);
    expect(asked.path).toBe(`/prove?next=${encodeURIComponent(path)}`);
    const form = await browser.post(path, { email: 'x@example.com', role: 'owner' });
    expect(form.location).toMatch(/^\/prove\?next=%2Fb%2F[0-9a-f-]+%2Fforms%2F/);
    await browser.get(asked.path);
    const before = browser.cookies.get('session');
    const sent = await browser.post('/prove', { next: path });
    expect(sent.location).toBe('/prove/sent');
    expect((await browser.get('/prove/sent')).status).toBe(200);
    const proved = await useLink(browser, await linkFor(console, person.email, 2));
    expect(proved.location).toBe(path);
    expect(browser.cookies.get('session')).not.toBe(before);
    expect((await browser.get(path)).status).toBe(200);
    const stolen = console.browser();
    stolen.cookies.set('session', before ?? '');
    expect((await stolen.get('/account')).status).toBe(303);
  });

  it('signing out ends the session on the server, and only by a form', async () => {
    const { browser } = await signIn((await console.addPerson()).email);
    await browser.get('/account');
    const value = browser.cookies.get('session') ?? '';
    expect((await browser.get('/sign-out')).status).toBe(404);
    const reply = await browser.post('/sign-out');
    expect(reply.location).toBe('/sign-in');
    expect(browser.cookies.has('session')).toBe(false);
    const stolen = console.browser();
    stolen.cookies.set('session', value);
    expect((await stolen.get('/account')).status).toBe(303);
  });

  it('a person sees their sessions in plain words, and ends one of them or all others', async () => {
    const person = await console.addPerson();
    const [here, phone, third] = [
      await console.signedIn(person),
      await console.signedIn(person),
      await console.signedIn(person),
    ];
    const shown = await here.get('/account');
    expect(shown.text.match(/Chrome on Windows/g)).toHaveLength(3);
    expect(shown.text.match(/This one/g)).toHaveLength(1);
    const [id] = /\/account\/sessions\/[0-9a-f-]{36}\/end/.exec(shown.text) ?? [];
    expect((await here.post(id ?? '')).location).toBe('/account');
    const alive = async () =>
      Promise.all([phone, third].map(async (browser) => (await browser.get('/account')).status));
    expect((await alive()).sort()).toEqual([200, 303]);
    await here.post('/account/sessions/end-others');
    expect(await alive()).toEqual([303, 303]);
    expect((await here.get('/account')).status).toBe(200);
  });

  it('a person cannot end the session of another person', async () => {
    const [a, b] = [await console.addPerson(), await console.addPerson()];
    const browser = await console.signedIn(a);
    const victim = await console.signedIn(b);
    const { id } = await console.database.db
      .selectFrom('session')
      .select('id')
      .where('person_id', '=', b.id)
      .executeTakeFirstOrThrow();
    await browser.post(`/account/sessions/${id}/end`);
    await browser.post('/account/sessions/end-others');
    expect((await victim.get('/account')).status).toBe(200);
  });

  it('a person chooses a language, which every browser of theirs then has', async () => {
    const person = await console.addPerson();
    const browser = await console.signedIn(person);
    await browser.post('/language', { language: 'he', next: '/account' });
    expect((await browser.get('/account')).text).toContain('<html lang="he" dir="rtl">');
    expect((await (await console.signedIn(person)).get('/account')).text).toContain('lang="he" dir="rtl"');
  });

  it('a link that cannot be sent is not sent any more when no one waits for it', async () => {
    const person = await console.addPerson();
    console.sendNotice = () => ({ outcome: 'failed', reason: '451' });
    await askForLink(console.browser(), person.email);
    await eventually('the request has expired', async () => {
      pass(2 * minuteMs);
      const rows = await console.database.db.selectFrom('due_notice').select('id').execute();
      return rows.length === 0;
    });
    expect(console.notices.length).toBeLessThan(8);
  });

  it('the purge deletes what has ended, and keeps what is valid', async () => {
    const person = await console.addPerson();
    await signIn(person.email);
    await console.browser().get('/sign-in');
    // A day after its end nothing is known of a session.
    pass((13 + 24) * 60 * minuteMs);
    const kept = await console.signedIn(person);
    await askForLink(console.browser(), person.email);
    await linkFor(console, person.email, 2);
    await console.service.app.get(SignInPurger, { strict: false }).tickNow();
    const count = async (table: 'session' | 'sign_in_link' | 'attempt_count' | 'ceremony') =>
      (await console.database.db.selectFrom(table).selectAll().execute()).length;
    expect(await count('session')).toBe(1);
    expect(await count('sign_in_link')).toBe(1);
    expect(await count('attempt_count')).toBe(3);
    expect(await count('ceremony')).toBe(0);
    expect((await kept.get('/account')).status).toBe(200);
  });

  it('a query that is longer than headers may be is not kept for after signing in', async () => {
    const nextFor = async (query: string) =>
      new URLSearchParams((await console.browser().get(`/account?${query}`)).location?.split('?')[1]).get(
        'next',
      );
    expect(await nextFor('a=1')).toBe('/account?a=1');
    expect(await nextFor(`a=${'%D7%90'.repeat(1_500)}`)).toBe('/account');
  });
});
