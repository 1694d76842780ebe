import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findBinary } from '@pinkas/local-stack/servers';
import { chromium } from 'playwright-core';
import allPages from '../src/pages/guide-pages.json' with { type: 'json' };
import { type GatewayUnderTest, startGateway } from './gateway.js';

const guidePages = allPages.filter(({ name }) => !name.startsWith('examples/'));

describe('the documentation in a browser', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  it('axe finds nothing in the documentation, on wide and narrow screens, and it loads nothing from other hosts', async () => {
    const browser = await chromium.launch({
      executablePath: findBinary('chromium-headless-shell') ?? '',
      args: ['--no-sandbox'],
    });
    try {
      const page = await browser.newPage();
      const browserErrors: string[] = [];
      const requestedUrls: string[] = [];
      page.on('console', (line) => {
        if (['error', 'warning'].includes(line.type())) {
          browserErrors.push(line.text());
        }
      });
      page.on('pageerror', (error) => browserErrors.push(error.message));
      page.on('request', (request) => requestedUrls.push(request.url()));
      const overflow = () =>
        page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      const [wide, narrow] = [
        { width: 1360, height: 900 },
        { width: 320, height: 640 },
      ];
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      const violations = async () => {
        await page.evaluate(axe);
        const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
        return page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] })
          .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html, nodes[0].failureSummary]))`);
      };

      const [guidePage = '', ...linked] = guidePages.map(({ name }) => `/docs/${name}`);
      for (const path of ['/docs', '/docs/errors', guidePage, ...linked]) {
        await page.setViewportSize(wide);
        await page.goto(`${gateway.origin}${path}`);
        expect(await page.locator('input, textarea').count()).toBe(0);
        expect([path, await overflow()]).toEqual([path, 0]);
        expect([path, await violations()]).toEqual([path, []]);
        await page.setViewportSize(narrow);
        expect([path, await overflow()]).toEqual([path, 0]);
        // The pages that the guide links are made of its parts.
        if (!linked.includes(path)) {
          expect([path, await violations()]).toEqual([path, []]);
        }
      }
      expect(browserErrors).toEqual([]);
      const others = requestedUrls.filter(
        (address) => !address.startsWith('data:') && !address.startsWith(`${gateway.origin}/docs`),
      );
      expect(others).toEqual([]);
    } finally {
      await browser.close();
    }
    // Twelve runs of axe.
  }, 180_000);
});
