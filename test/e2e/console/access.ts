import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { desktop, phone } from '../../harness/console-visitor.js';
import { type Issuer, invoice } from '../../harness/running-stack.js';
import type { ConsoleSystem } from '../console.system.spec.js';

export function access(system: () => ConsoleSystem): void {
  describe('who may see what', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await system().stack.newIssuer();
    });

    it('an invited person signs in by the link in the mail, on a phone', async () => {
      const { stack, stranger } = system();
      const email = 'invited-person@pinkas.localhost';
      await stack.pinkas('person', 'invite', email, '--business', issuer.business.id, '--role', 'owner');
      const invitations = await eventually('the invitation arrives', async () => {
        const mails = await stack.mailsTo(email);
        return mails.length > 0 && mails;
      });
      expect(invitations).toHaveLength(1);
      const visitor = await stranger(phone);
      await visitor.visit('/');
      expect(visitor.path()).toBe('/sign-in?next=%2F');
      await visitor.page.fill('input[name=email]', email.toUpperCase());
      await visitor.press('main form[action="/sign-in"]');
      expect(visitor.path()).toBe('/sign-in/sent');
      const mail = await eventually('the link arrives', async () => {
        const mails = await stack.mailsTo(email);
        return mails.length > 1 && mails[0];
      });
      const link = /http\S+\/sign-in\/link\/[\w-]+/.exec(mail.text)?.[0] ?? '';
      // In the browser that asked for it, the link signs in automatically.
      await visitor.page.goto(link);
      await visitor.page.waitForURL(`${visitor.origin}/b/${issuer.business.id}`);
      expect(await visitor.page.locator('html').getAttribute('dir')).toBe('rtl');
      // Once.
      await visitor.press('form[action="/sign-out"]');
      await visitor.visit(new URL(link).pathname, 410);
    });

    it('a bookkeeper sees every page of the business, and no form that changes something', async () => {
      const { stack, visitorOf } = system();
      const { body } = await stack.issue(issuer.key, invoice(100, { type: 'quote' }));
      const visitor = await visitorOf(issuer, desktop, 'bookkeeper');
      const root = `/b/${issuer.business.id}`;
      const paths = ['', '/documents', `/documents/${body.id}`, '/customers', '/connection', '/business'];
      for (const path of [...paths, '/authority', '/people', '/exports', '/trail']) {
        await visitor.visit(`${root}${path}`);
        const actions = await visitor.page
          .locator('main form[method=post]:not(:has(fieldset[disabled]))')
          .all();
        const targets = await Promise.all(actions.map((form) => form.getAttribute('action')));
        // A file of what they may read is no change.
        const files: Readonly<Record<string, readonly string[]>> = {
          '/exports': [`${root}/exports`],
          '/documents': [`${root}/documents/selection`],
        };
        expect([path, targets]).toEqual([path, files[path] ?? []]);
      }
    });
  });
}
