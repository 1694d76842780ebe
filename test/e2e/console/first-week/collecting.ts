import { expect } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { words } from '../../../../services/console/src/frame/words.js';
import { issueWords } from '../../../../services/console/src/issue/issue-words.js';
import { customers, type Diary, nameOf } from './diary.js';
import { type Agorot, shown, typed } from './ledger.js';

/** Money on account: a receipt for no document. */
async function receiveOnAccount(diary: Diary): Promise<void> {
  const amount = 200_00n;
  const card = diary.cards.get('regular');
  await diary.owner.visit(diary.at(`/issue/document?type=receipt&customer=${card}`));
  await diary.page.fill('input[name="items.0.description"]', 'תשלום על חשבון');
  await diary.page.fill('input[name="payments.0.amount"]', typed(amount));
  await diary.issue('on account', { words: [nameOf('receipt')], amounts: [amount] });
  diary.ledger.receipt('regular', amount, []);
  await diary.open('/debts', {
    words: [words.debts],
    amounts: [diary.ledger.due(), diary.ledger.due('regular'), amount],
  });
}

/** A reminder states what is on account, and asks for what is left after it. */
async function remind(diary: Diary): Promise<void> {
  const { ledger, owner } = diary;
  const card = diary.cards.get('regular');
  await diary.open(`/debts/${card}/reminder`, {
    amounts: [ledger.onAccount('regular'), ledger.left(diary.document('large').id)],
  });
  await owner.press('form[action$="/reminder"]');
  expect(await owner.done()).not.toBe('');
  const mail = await diary.mail(customers.regular.email, /תזכורת לתשלום/);
  const asked = ledger.due('regular') - ledger.onAccount('regular');
  expect(mail.text).toContain(shown(ledger.onAccount('regular')));
  expect(mail.text).toContain(shown(asked));
}

/** What is on account is set against two invoices: the balances fall, the account stays. */
async function setOff(diary: Diary): Promise<void> {
  const { ledger, owner, page } = diary;
  const card = diary.cards.get('regular');
  const delivered = diary.document('delivered').id;
  const credited = diary.document('credited').id;
  const amounts = new Map<string, Agorot>([
    [delivered, ledger.left(delivered)],
    [credited, ledger.onAccount('regular') - ledger.left(delivered)],
  ]);
  const before = ledger.account('regular').closing;
  await diary.open(`/customers/${card}/set-off`, { amounts: [ledger.onAccount('regular')] });
  for (const field of await page.locator('input[name^="document."]').all()) {
    const place = (await field.getAttribute('name'))?.split('.')[1];
    const amount = amounts.get(await field.inputValue());
    await page.fill(`input[name="amount.${place}"]`, amount === undefined ? '' : typed(amount));
  }
  await owner.press('form[action$="/set-off"]');
  expect(owner.path()).toContain('/statement');
  for (const [id, amount] of amounts) {
    ledger.setOff('regular', id, amount);
  }
  expect([ledger.onAccount('regular'), ledger.account('regular').closing]).toEqual([0n, before]);
  await diary.look({ words: [words.statement], amounts: [before, ledger.due('regular')] });
  await diary.open(`/documents/${credited}`, { amounts: [ledger.left(credited)] });
  await diary.open(`/documents/${delivered}/set-offs`, { amounts: [amounts.get(delivered) ?? 0n] });
}

/** The money of one transfer: one receipt for two invoices, and what is beyond them stays on account. */
async function receiveForSeveral(diary: Diary): Promise<void> {
  const { ledger, page } = diary;
  const card = diary.cards.get('regular');
  const chosen = [diary.document('credited').id, diary.document('large').id];
  const beyond = 76_75n;
  const paid = chosen.map((id) => [id, ledger.left(id)] as const);
  const amount = paid.reduce((sum, [, left]) => sum + left, beyond);
  await diary.open(`/issue/document?type=receipt&account=${card}`, {
    words: [issueWords.setOffs, issueWords.setOffsHint],
    amounts: paid.map(([, left]) => left),
  });
  for (const box of await page.locator('#set-offs input[type=checkbox]').all()) {
    await box.setChecked(chosen.includes((await box.getAttribute('value')) ?? ''));
  }
  await page.fill('input[name="payments.0.amount"]', typed(amount));
  await diary.issue('several', {
    words: [nameOf('receipt')],
    amounts: [amount, ...paid.map(([, left]) => left), beyond],
  });
  ledger.receipt('regular', amount, paid);
  for (const [id] of paid) {
    await diary.open(`/documents/${id}`, { amounts: [0n] });
  }
}

/** The statement leaves in one act, with the balance in the email and the PDF attached. */
async function sendStatement(diary: Diary): Promise<void> {
  const { ledger, owner } = diary;
  const at = `/customers/${diary.cards.get('regular')}/statement`;
  const { debit, credit, closing } = ledger.account('regular');
  await diary.open(at, {
    words: [words.statement],
    amounts: [debit, credit, closing, ledger.due('regular')],
  });
  await owner.follow('main a[href*="/statement/email"]');
  await diary.page.waitForURL('**/statement/email**');
  await diary.look({ words: [{ he: customers.regular.name, en: customers.regular.name }] });
  await owner.press('form[action*="/statement/email"]');
  expect(await owner.done()).not.toBe('');
  const mail = await diary.mail(customers.regular.email, /כרטסת ליום/);
  expect(mail.text).toContain(shown(closing));
  expect(mail.attachments.map(({ contentType }) => contentType)).toEqual(['application/pdf']);
  const csv = await owner.context.request.get(new URL(diary.at(`${at}/csv`), owner.origin).href);
  expect((await csv.text()).trim().split('\r\n').at(-1)).toContain(typed(closing));
}

/** All that comes in, and who is asked for it. */
export async function collect(diary: Diary): Promise<void> {
  await receiveOnAccount(diary);
  await remind(diary);
  await setOff(diary);
  await receiveForSeveral(diary);
  await sendStatement(diary);
  await eventually(
    'no balance differs from the book',
    async () => (await diary.stack.verify(diary.issuer)).ok,
  );
}
