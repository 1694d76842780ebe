import { expect } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { refusalWords } from '../../../../services/console/src/frame/refusal-words.js';
import { listWords } from '../../../../services/console/src/list/list-words.js';
import { todayWords } from '../../../../services/console/src/today/today-words.js';
import { axeFindings } from '../../../harness/axe.js';
import { issueRefused } from '../../../harness/refused-number.js';
import { rejectAddress } from '../../../harness/rejected-address.js';
import { payment } from './beginning.js';
import { customers, type Diary, nameOf, narrow, wide } from './diary.js';
import { type Agorot, ofGross, ofNet, typed } from './ledger.js';

const vat = { he: 'מע"מ', en: 'VAT' };

/** An invoice of last month, which is late by now: the first of its series, since dates do not go back. */
async function invoiceOfLastMonth(diary: Diary, day: string): Promise<void> {
  const lines = [{ quantity: 1n, price: 118_50n }];
  const sums = ofNet(lines);
  const fill = async () => {
    await diary.page.fill('input[name=date]', day);
    await diary.page.fill('input[name=due_date]', day);
  };
  const { id } = await diary.issueLines('late', 'tax_invoice', 'occasional', { lines, sums, fill });
  diary.ledger.invoice('occasional', id, sums, true);
}

/** A quote becomes an invoice, which is paid in two parts: the form of the second has what is left. */
async function quoteToReceipts(diary: Diary): Promise<void> {
  const { ledger, owner, page } = diary;
  const lines = [
    { quantity: 3n, price: 1_250_50n },
    { quantity: 1n, price: 412_35n },
  ];
  const sums = ofNet(lines, 5n);
  const fill = async () => {
    await page.selectOption('select[name="discount.type"]', 'percent');
    await page.fill('input[name="discount.value"]', '5');
    await page.fill('textarea[name=notes]', 'ההצעה בתוקף ל־30 יום');
  };
  await diary.issueLines('quote', 'quote', 'regular', { lines, sums, fill });
  await owner.follow('main a[href*="type=tax_invoice&from="]');
  await page.waitForURL(/type=tax_invoice/);
  expect(await page.inputValue('textarea[name=notes]')).toBe('');
  const bill = await diary.issue('sold', {
    words: [nameOf('tax_invoice')],
    amounts: [sums.net, sums.vat, sums.total],
  });
  ledger.invoice('regular', bill.id, sums);
  await diary.look({ words: [nameOf('quote')], amounts: [sums.total] });

  const part = 1_000_00n;
  await pay(diary, 'part', { of: 'sold', proposed: sums.total, paid: part });
  await diary.open(`/documents/${bill.id}`, {
    words: [listWords.partly_paid],
    amounts: [sums.total, part, ledger.left(bill.id)],
  });
  await pay(diary, 'rest', { of: 'sold', proposed: sums.total - part, paid: sums.total - part });
  expect(ledger.left(bill.id)).toBe(0n);
  await diary.open(`/documents/${bill.id}`, { amounts: [sums.total, 0n], absent: [listWords.partly_paid] });
}

/** The receipt of an invoice, from its page. It has no VAT: that is in the invoice. */
async function pay(
  diary: Diary,
  name: string,
  given: { readonly of: string; readonly proposed: Agorot; readonly paid: Agorot },
): Promise<void> {
  const { id } = diary.document(given.of);
  await diary.owner.visit(diary.at(`/documents/${id}`));
  await diary.owner.follow(`main a[href*="type=receipt&from=${id}"]`);
  const amount = 'input[name="payments.0.amount"]';
  expect(await diary.page.inputValue(amount)).toBe(typed(given.proposed));
  await diary.page.fill(amount, typed(given.paid));
  await diary.issue(name, { words: [nameOf('receipt')], amounts: [given.paid], absent: [vat] });
  diary.ledger.receipt('regular', given.paid, [[id, given.paid]]);
}

/** Above the threshold: the number is on the page, in the list, on the hosted page and in the email, and so is how to pay. */
async function invoiceWithNumber(diary: Diary): Promise<void> {
  const { owner, page, stack } = diary;
  const lines = [{ quantity: 1n, price: 9_500_00n }];
  const sums = ofNet(lines);
  const { id } = await diary.issueLines('large', 'tax_invoice', 'regular', { lines, sums });
  diary.ledger.invoice('regular', id, sums);
  const numbered = await eventually('the number arrives', async () => {
    const { body } = await stack.call<{ allocation_number: string | null; view_url: string }>(
      ...([diary.issuer.key, 'GET', `/documents/${id}`] as const),
    );
    return body.allocation_number === null ? null : body;
  });
  const number = { he: numbered.allocation_number ?? '', en: numbered.allocation_number ?? '' };
  await diary.open(`/documents/${id}`, { words: [listWords.number, number], amounts: [sums.total] });
  await owner.visit(diary.at(`/documents?q=${number.he}`));
  expect(await page.locator('.documents tbody tr').count()).toBe(1);
  const mail = await diary.mail(customers.regular.email, number.he);
  expect(mail.text).toContain(payment.pay_account);
  expect(mail.text).toContain(payment.pay_link);
  await hostedPage(diary, numbered.view_url, number.he);
}

/** The page of the customer has the number, the code to scan, and the account on one line, on a phone too. */
async function hostedPage({ page }: Diary, url: string, number: string): Promise<void> {
  for (const { width, height } of [narrow, wide]) {
    await page.setViewportSize({ width, height });
    await page.goto(url);
    const text = await page.locator('main').innerText();
    expect(text).toContain(number);
    expect(text).toContain(payment.pay_link);
    expect(await page.locator('.pay img, .pay svg').count()).toBe(1);
    const account = page.locator('.pay dd bdi', { hasText: payment.pay_account });
    // In its characters, so that a break between two of them is seen.
    const lines = await account.evaluate(
      (element: { getClientRects(): { length: number } }) => element.getClientRects().length,
    );
    expect({ width, lines }).toEqual({ width, lines: 1 });
    expect([width, await axeFindings(page)]).toEqual([width, []]);
  }
}

/** What the authority refuses does not look healthy: on the page of the document, in the list, and on the first page. */
async function refusal(diary: Diary): Promise<void> {
  const lines = [{ quantity: 1n, price: 7_000_00n }];
  const sums = ofNet(lines);
  const { id } = await issueRefused(diary.stack, () =>
    diary.issueLines('refused', 'tax_invoice', 'regular', { lines, sums }),
  );
  diary.ledger.invoice('regular', id, sums);
  await diary.open(`/documents/${id}`, {
    words: [refusalWords.banner, refusalWords.fact, refusalWords.ways],
    amounts: [sums.total, sums.vat],
  });
  await diary.open('', {
    words: [todayWords.needs, todayWords.refused],
    amounts: [sums.total],
    // The words of the authority begin with its code.
    absent: [{ he: '(460)', en: '(460)' }],
  });
  await diary.open('/documents?number=missing', { words: [refusalWords.badge], amounts: [sums.total] });
}

/** A part of an invoice is credited; what is left of it is that much less. */
async function credit(diary: Diary): Promise<void> {
  const { ledger, owner, page } = diary;
  // The VAT of 250.25 is 45.045.
  const lines = [{ quantity: 1n, price: 250_25n }];
  const sums = ofNet(lines);
  const { id } = await diary.issueLines('credited', 'tax_invoice', 'regular', { lines, sums });
  ledger.invoice('regular', id, sums);
  await owner.follow('main a[href$="/credit"]');
  await page.waitForURL('**/credit');
  const back = ofGross(100_00n);
  await page.check('#field-extent-part');
  await page.fill('input[name=amount]', typed(back.total));
  await page.fill('input[name=description]', 'החזרה');
  await diary.look({ words: [nameOf('credit_note')], amounts: [sums.total] });
  await owner.press('form[action$="/credit"]');
  await diary.look({ words: [nameOf('credit_note')], amounts: [back.net, back.vat, back.total] });
  await owner.press('form[action$="/credit"]');
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}(\?|$)/);
  ledger.credit('regular', id, back);
  await diary.look({ words: [nameOf('credit_note')], amounts: [back.net, back.vat, back.total] });
  await diary.open(`/documents/${id}`, { amounts: [sums.total, back.total, ledger.left(id)] });
}

/** What was delivered is invoiced from its delivery note. */
async function deliver(diary: Diary): Promise<void> {
  const lines = [{ quantity: 2n, price: 49_98n }];
  const sums = ofNet(lines);
  await diary.issueLines('delivery', 'delivery_note', 'regular', { lines, sums });
  await diary.owner.follow('main a[href*="type=tax_invoice&from="]');
  await diary.page.waitForURL(/type=tax_invoice/);
  const { id } = await diary.issue('delivered', { amounts: [sums.net, sums.vat, sums.total] });
  diary.ledger.invoice('regular', id, sums);
  await diary.look({ words: [nameOf('delivery_note')], amounts: [sums.total] });
}

/** An email that bounces is seen on the first page, and its row leaves once the document arrived elsewhere: what is left, a blocked address, is dismissed. */
async function bounce(diary: Diary): Promise<void> {
  const { owner, page, stack } = diary;
  // 0.15 and 0.027 of VAT: nothing in complete shekels.
  const lines = [{ quantity: 3n, price: 5n }];
  const sums = ofNet(lines);
  const typo = 'typo@first-week.example.com';
  const right = 'right@first-week.example.com';
  const fill = async () => {
    const details = page.locator('#customer details');
    if ((await details.getAttribute('open')) === null) {
      await details.locator('summary').click();
    }
    await page.fill('input[name="customer.email"]', typo);
  };
  const issued = await rejectAddress(stack, typo, () =>
    diary.issueLines('small', 'tax_invoice', 'occasional', { lines, sums, fill }),
  );
  diary.ledger.invoice('occasional', issued.id, sums);
  await owner.visit(diary.at(''));
  await owner.awaitElement(`.attention:has-text("${typo}")`);
  await diary.look({ words: [todayWords.needs, todayWords.failedMessage, todayWords.otherAddress] });
  const { id } = diary.document('small');
  await page.click(`.attention a[href$="/documents/${id}#send"]`);
  await page.waitForURL('**/documents/**');
  const form = `form[action$="/documents/${id}/send"]`;
  await page.fill(`${form} input[name=recipient]`, right);
  await owner.press(form);
  await diary.mail(right, '0.18');
  await eventually('its row has left', async () => {
    await owner.visit(diary.at(''));
    return !(await owner.text()).includes(todayWords.failedMessage.he);
  });
  await diary.look({ words: [todayWords.suppressed], absent: [todayWords.failedMessage] });
  await owner.press('.attention form[action$="/attention/dismiss"]');
  await diary.look({ words: [todayWords.dismissed], absent: [todayWords.suppressed] });
}

/** All that is sold. @param lastMonth a day of the month before, YYYY-MM-DD. */
export async function sell(diary: Diary, lastMonth: string): Promise<void> {
  await invoiceOfLastMonth(diary, lastMonth);
  await quoteToReceipts(diary);
  await invoiceWithNumber(diary);
  await refusal(diary);
  await credit(diary);
  await deliver(diary);
  await bounce(diary);
}
