import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds on a page: each rule with the elements that break it. @param rules all that WCAG 2.2 AA has, unless some are named. */
export async function axeFindings(page: Page, rules: readonly string[] = allRules): Promise<unknown[]> {
  await page.evaluate(await source);
  const options = { runOnly: rules, iframes: false, resultTypes: ['violations'], selectors: false };
  return (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => html.slice(0, 300) + failureSummary)]))`,
  )) as unknown[];
}
