import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findBinary } from '@pinkas/local-stack/servers';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type ConsoleUnderTest, startConsole } from './console.js';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The findings of axe, without those of color and size: the style is tested with the whole system. */
async function findingsOf(page: Page): Promise<unknown> {
  await page.addScriptTag({ path: axe }).catch(() => undefined);
  return page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'color-contrast': { enabled: false }, 'target-size': { enabled: false } },
  }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`);
}

describe('the pages about people, for everybody', () => {
  let console: ConsoleUnderTest;
  let browser: Browser;
  beforeAll(async () => {
    console = await startConsole();
    browser = await chromium.launch({
      executablePath: findBinary('chromium-headless-shell') ?? '',
      args: ['--no-sandbox'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await console?.stop();
  });

  it.each(['he-IL', 'en-GB'])('axe finds nothing wrong with the pages in %s', async (locale) => {
    const business = console.addBusiness();
    const person = await console.addPerson({ [business.id]: 'owner' });
    await console.database.db
      .insertInto('passkey')
      .values({
        id: randomUUID(),
        person_id: person.id,
        credential_id: randomUUID(),
        public_key: Buffer.alloc(1),
        counter: 0,
        transports: [],
        name: '',
        created_at: console.clock.now,
        last_used_at: null,
      })
      .execute();
    await console.signedIn(person);
    const signedIn = await console.signedIn(person);
    // The policy of the pages would refuse the script of axe.
    const context = await browser.newContext({
      locale,
      bypassCSP: true,
      viewport: { width: 320, height: 640 },
    });
    const page = await context.newPage();
    const visit = async (path: string) => {
      await page.goto(`${console.origin}${path}`);
      expect([path, await findingsOf(page)]).toEqual([path, []]);
    };
    await visit('/sign-in');
    await visit('/sign-in/sent');
    await visit('/sign-in/link/wrong');
    await page.goto(`${console.origin}/sign-in`);
    await page.evaluate(`document.querySelector('form[action="/sign-in"]').noValidate = true`);
    await page.fill('#email', 'no address');
    await page.click('form[action="/sign-in"] button');
    await page.waitForSelector('#email-error');
    expect(await findingsOf(page)).toEqual([]);
    await context.addCookies(
      [...signedIn.cookies].map(([name, value]) => ({ name, value, url: console.origin })),
    );
    const root = `/b/${business.id}/people`;
    for (const path of [
      '/account',
      '/prove',
      '/prove/sent',
      '/account/passkeys/new',
      root,
      `${root}/invite`,
    ]) {
      await visit(path);
    }
    await visit(`${root}/${person.id}`);
    await context.close();
  });
});
