import type { ConsoleVisitor } from './console-visitor.js';

/** Saves the draft of a quote by its form. @returns its id. */
export async function saveDraft(visitor: ConsoleVisitor, businessId: string, name: string): Promise<string> {
  const { page } = visitor;
  await visitor.visit(`/b/${businessId}/issue/document?type=quote`);
  await page.fill('input[name="customer.name"]', name);
  await page.fill('input[name="items.0.description"]', name);
  await page.fill('input[name="items.0.unit_price"]', '100');
  await page.click('button[value="save"]');
  await page.waitForURL(/\/issue\/drafts\//);
  return page.url().split('/').at(-1) ?? '';
}
