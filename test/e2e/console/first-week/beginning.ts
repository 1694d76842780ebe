import { expect } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { signInWords } from '../../../../services/console/src/access/sign-in/sign-in-words.js';
import { words } from '../../../../services/console/src/frame/words.js';
import { checkWords } from '../../../../services/console/src/today/book-check.js';
import { firstStepWords } from '../../../../services/console/src/today/first-steps.js';
import { todayWords } from '../../../../services/console/src/today/today-words.js';
import { type Diary, linkIn } from './diary.js';

/** How the customers pay; each is on the document, its page and its emails. */
export const payment = {
  pay_bank: 'בנק לדוגמה (99)',
  pay_branch: '123',
  pay_account: '456789',
  pay_holder: 'עסק לדוגמה בע"מ',
  pay_link: 'https://pay.example.com/first-week',
} as const;

/** The invitation arrives, and its link signs the owner in. */
async function acceptInvitation(diary: Diary): Promise<void> {
  const { stack, owner, ownerEmail, issuer } = diary;
  await stack.pinkas(
    ...['person', 'invite', ownerEmail, '--business', issuer.business.id, '--role', 'owner'],
  );
  stack.recordPersonalData({ email: ownerEmail });
  const mail = await diary.mail(ownerEmail, '/sign-in/link/');
  expect(mail.text).toContain(issuer.business.name);
  await diary.page.goto(linkIn(mail));
  await diary.look({ words: [signInWords.invitationTitle, signInWords.invitationMore] });
  await owner.press('main form[action^="/sign-in/link/"]');
  expect(owner.path()).toBe(diary.at(''));
}

/** The first page has the steps, with sending among them, and the book is not checked yet. */
async function readFirstSteps(diary: Diary): Promise<void> {
  const { title, details, sending, sendingMore, connect, connectMore, first } = firstStepWords;
  await diary.open('', {
    words: [words.today, title, details, sending, sendingMore, connect, connectMore, first],
    absent: [todayWords.nothing, checkWords.noGap],
  });
}

async function save(diary: Diary, section: string): Promise<void> {
  const path = diary.at('/business');
  await diary.owner.press(`form[action="${path}"]:has(input[name=section][value=${section}])`);
  expect([section, diary.owner.path(), await diary.owner.done()]).toEqual([
    section,
    path,
    expect.stringContaining('נשמרו'),
  ]);
}

/** Address, how to pay, and sending: each section is saved on its own. */
async function fillInBusiness(diary: Diary): Promise<void> {
  await diary.open('/business', { words: [words.business] });
  await diary.page.fill('input[name=address]', 'רחוב הדוגמה 1');
  await diary.page.fill('input[name=city]', 'תל אביב-יפו');
  await save(diary, 'details');
  for (const [name, value] of Object.entries(payment)) {
    await diary.page.fill(`input[name=${name}]`, value);
  }
  await save(diary, 'payment');
  await diary.page.check('input[name=auto_send]');
  await save(diary, 'sending');
  await diary.look({ words: [words.business] });
}

/** One click leads to the authority, and back to a business that is connected. */
async function connect(diary: Diary): Promise<void> {
  const path = diary.at('/authority');
  await diary.open('/authority', { words: [words.authority] });
  await diary.page.fill('input[name=person]', 'אדם לדוגמה');
  await diary.owner.press(`form[action="${path}/connect"]`);
  await diary.page.click('main a.button');
  await eventually('the business is connected', async () => {
    await diary.owner.visit(path);
    return (await diary.page.locator('[data-state=connected]').count()) === 1;
  });
  await diary.look({ words: [words.authority] });
}

/** What is done is ticked, and the steps stay until all of them are done or an owner dismisses them. */
export async function dismissSteps(diary: Diary): Promise<void> {
  await diary.open('', { words: [firstStepWords.title, firstStepWords.logo] });
  await diary.owner.press('form[action$="/first-steps/dismiss"]');
  await diary.open('', { absent: [firstStepWords.title] });
}

/** From the invitation to a business that can issue. */
export async function begin(diary: Diary): Promise<void> {
  await acceptInvitation(diary);
  await readFirstSteps(diary);
  await fillInBusiness(diary);
  await connect(diary);
}
