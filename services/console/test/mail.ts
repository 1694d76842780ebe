import { eventually } from '@pinkas/testkit';
import type { BrowserReply, ConsoleUnderTest, TestBrowser } from './console.js';

/** The path of the link in the last mail to an address. */
export async function linkFor(console: ConsoleUnderTest, email: string, count = 1): Promise<string> {
  return eventually(`mail ${count} to ${email}`, () => {
    const mails = console.notices.filter(({ recipient }) => recipient === email);
    return mails.length >= count ? linkIn(mails.at(-1)?.text ?? '') : undefined;
  });
}

/** Begins a test without mails, and without any that is still to be sent. */
export async function withoutMails(console: ConsoleUnderTest): Promise<void> {
  console.sendNotice = () => ({ outcome: 'accepted', reason: null });
  const { db } = console.database;
  await db.deleteFrom('due_notice').where('claimed_until', 'is', null).execute();
  await eventually('nothing is being sent', async () => {
    const rows = await db.selectFrom('due_notice').select('id').execute();
    return rows.length === 0;
  });
  console.notices.length = 0;
}

/** The path of the link in the text of a mail. */
export function linkIn(text: string): string | undefined {
  return /\/sign-in\/link\/[\w-]+/.exec(text)?.[0];
}

/** Asks for a link, as a person does on the page. */
export async function askForLink(browser: TestBrowser, email: string, next = ''): Promise<BrowserReply> {
  await browser.get(`/sign-in?${new URLSearchParams({ next })}`);
  return browser.post('/sign-in', { email, next });
}

/** Opens a link, and presses its button. */
export async function useLink(browser: TestBrowser, link: string): Promise<BrowserReply> {
  await browser.get(link);
  return browser.post(link);
}
