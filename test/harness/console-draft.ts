import { randomUUID } from 'node:crypto';
import type { ConsoleVisitor } from './console-visitor.js';
import type { RunningStack } from './running-stack.js';

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

/** Keeps an invitation, as while its person proves who they are. @returns its id. */
export async function keepInvitation(
  stack: RunningStack,
  businessId: string,
  personId: string,
): Promise<string> {
  const db = await stack.database<{ draft: Record<string, unknown> }>('console');
  const id = randomUUID();
  const now = Date.now();
  const typed = { email: 'bookkeeper@example.com', role: 'bookkeeper' };
  await db
    .insertInto('draft')
    .values({
      business_id: businessId,
      person_id: personId,
      id,
      path: `/b/${businessId}/people/invite`,
      fields: JSON.stringify(Object.entries(typed)),
      saved_at: new Date(now),
      expires_at: new Date(now + 24 * 60 * 60 * 1000),
    })
    .execute();
  return id;
}
