import type { ConsoleVisitor } from './console-visitor.js';

/** Sends the quotes of a business from the list of its documents. @returns the id of the sending. */
export async function sendQuotes(owner: ConsoleVisitor, businessId: string): Promise<string> {
  await owner.visit(`/b/${businessId}/documents?type=quote`);
  await owner.press('main', 'button[formaction$="/documents/send"]');
  await owner.press('form[action$="/documents/send"]');
  await owner.page.waitForURL(/\/documents\/sending\//);
  return owner.path().split('/').at(-1) ?? '';
}

/** Has the files of each month sent to a person. */
export async function sendEachMonth(
  owner: ConsoleVisitor,
  businessId: string,
  personId: string,
): Promise<void> {
  await owner.visit(`/b/${businessId}/exports`);
  await owner.page.selectOption('select[name=recipient]', personId);
  await owner.press('form[action$="/exports/monthly"]');
  await owner.page.waitForSelector('.notice.done');
}
