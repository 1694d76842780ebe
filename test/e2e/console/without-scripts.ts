import { describe, expect, it } from '@jest/globals';
import { desktop, phone } from '../../harness/console-visitor.js';
import { invoice } from '../../harness/running-stack.js';
import type { ConsoleSystem } from '../console.system.spec.js';

export function withoutScripts(system: () => ConsoleSystem): void {
  describe('a browser without JavaScript', () => {
    it.each([
      { ...phone, withoutScripts: true },
      { ...desktop, withoutScripts: true },
    ])('signing in, searching, cancelling, crediting, keys and settings work in $language', async (view) => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const bill = await stack.issueUntilAnswered(issuer.key, invoice(100));
      const quote = await stack.issueUntilAnswered(issuer.key, invoice(100, { type: 'quote' }));
      const visitor = await visitorOf(issuer, view);
      const root = `/b/${issuer.business.id}`;
      expect(visitor.path()).toBe(root);

      const link = `nav a[href="${root}/documents"]`;
      // A wide page shows its menu; a narrow one has a button for it.
      expect(await visitor.page.isVisible(link)).toBe(view.width === desktop.width);
      expect(await visitor.page.isVisible('nav summary')).toBe(view.width === phone.width);
      await visitor.follow(link);
      await visitor.page.fill('input[name=q]', '1');
      await visitor.press('form[role=search]');
      await visitor.page.click(`a[href="${root}/documents/${quote.id}"]`);
      await visitor.follow('a[href$="/cancel"]');
      await visitor.press('form[action$="/cancel"]');
      expect(await visitor.done()).toMatch(/המסמך בוטל|is cancelled/);

      await visitor.visit(`${root}/documents/${bill.id}`);
      await visitor.follow('a[href$="/credit"]');
      await visitor.press('form[action$="/credit"]');
      await visitor.press('form[action$="/credit"]');
      expect(await visitor.done()).toMatch(/הופקה|is issued/);

      await visitor.visit(`${root}/connection/new`);
      await visitor.page.fill('input[name=name]', 'shop');
      await visitor.press('main form');
      stack.recordPersonalData({ key: await visitor.page.inputValue('#key-value') });
      expect(await visitor.page.inputValue('#curl-line')).toContain('curl ');

      await visitor.visit(`${root}/business`);
      await visitor.page.fill('input[name=name]', 'שם אחר');
      await visitor.press(`form[action="${root}/business"]`, 'button[name=step]');
      const frame = await visitor.page.locator('iframe').getAttribute('src');
      expect(new URL(frame ?? '', visitor.origin).searchParams.get('name')).toBe('שם אחר');
      expect(await visitor.page.inputValue('input[name=name]')).toBe('שם אחר');
      await visitor.press(`form[action="${root}/business"]`);
      expect(await visitor.done()).toMatch(/נשמרו|are saved/);
      await visitor.press('form[action="/sign-out"]');
      await visitor.visit(root);
      expect(visitor.path()).toMatch(/^\/sign-in\?/);
    });
  });
}
