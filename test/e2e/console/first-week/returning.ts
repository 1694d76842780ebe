import { expect } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { signInWords } from '../../../../services/console/src/access/sign-in/sign-in-words.js';
import { words } from '../../../../services/console/src/frame/words.js';
import { type Diary, linkIn } from './diary.js';
import { typed } from './ledger.js';

/** Signs out, asks for a link on the sign-in page, and comes back by it. */
async function signOutAndIn(diary: Diary): Promise<void> {
  const { owner, page } = diary;
  await owner.press('form[action="/sign-out"]');
  await owner.visit(diary.at(''));
  expect(owner.path()).toMatch(/^\/sign-in\?/);
  await diary.look({ words: [signInWords.title] });
  await askForLink(diary);
  await page.waitForURL(`${owner.origin}${diary.at('')}`);
  await diary.look({ words: [words.today] });
}

/** Sends a link to the address of the owner, and opens it in this browser, where it signs in without another press. */
async function askForLink({ owner, ownerEmail, page, stack }: Diary): Promise<void> {
  const known = new Set((await stack.mailsTo(ownerEmail)).map(({ id }) => id));
  await page.fill('input[name=email]', ownerEmail);
  await owner.press('main form[action="/sign-in"]');
  const mail = await eventually('another link arrives', async () =>
    (await stack.mailsTo(ownerEmail)).find((each) => !known.has(each.id) && linkIn(each) !== ''),
  );
  await page.goto(linkIn(mail));
}

/** As after some hours in which the owner did something else. */
async function endSessions({ ownerEmail, stack }: Diary): Promise<void> {
  const db = await stack.database<{
    person: { id: string; email: string };
    session: { person_id: string; last_used_at: Date };
  }>('console');
  await db
    .updateTable('session')
    .set({ last_used_at: new Date(Date.now() - 24 * 60 * 60_000) })
    .where('person_id', 'in', (query) =>
      query.selectFrom('person').select('id').where('email', '=', ownerEmail),
    )
    .execute();
}

/** A session ends while a form is filled in: after signing in the form is there as it was typed, and nothing was issued. */
async function goOnWithForm(diary: Diary): Promise<void> {
  const { owner, page, stack } = diary;
  const price = 77_70n;
  const { body: before } = await stack.call<{ data: { id: string }[] }>(
    ...([diary.issuer.key, 'GET', '/documents?limit=1'] as const),
  );
  await owner.visit(diary.at('/issue/document?type=quote'));
  await page.fill('input[name="customer.name"]', 'לקוח של טיוטה');
  await page.fill('input[name="items.0.description"]', 'עבודה שהוקלדה');
  await page.fill('input[name="items.0.unit_price"]', typed(price));
  await page.locator('[data-saved]:visible').waitFor();
  await endSessions(diary);
  await page.locator('main form button[value="preview"]:visible').last().click();
  await page.waitForURL(/\/sign-in/);
  await diary.look({ words: [signInWords.endedForm] });
  await askForLink(diary);
  await page.waitForURL(/\/issue\/drafts\//);
  await diary.look({
    words: [{ he: 'שום דבר לא אבד', en: 'Nothing is lost' }],
  });
  expect([
    await page.inputValue('input[name="customer.name"]'),
    await page.inputValue('input[name="items.0.description"]'),
    await page.inputValue('input[name="items.0.unit_price"]'),
  ]).toEqual(['לקוח של טיוטה', 'עבודה שהוקלדה', typed(price)]);
  const { body: after } = await stack.call<{ data: { id: string }[] }>(
    ...([diary.issuer.key, 'GET', '/documents?limit=1'] as const),
  );
  expect(after.data[0]?.id).toBe(before.data[0]?.id);
  // The draft is left on the list.
  await diary.open('/issue', { words: [{ he: 'לקוח של טיוטה', en: 'לקוח של טיוטה' }] });
}

/** Signing out on purpose, and by a session that ends in the middle. */
export async function leaveAndReturn(diary: Diary): Promise<void> {
  await signOutAndIn(diary);
  await goOnWithForm(diary);
}
