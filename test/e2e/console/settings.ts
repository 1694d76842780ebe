import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { CreatedDocument, ErrorBody } from '@pinkas/contracts';
import { demoCustomer, eventually } from '@pinkas/testkit';
import { timeInIsrael } from '../../conformance/israel-time.js';
import { desktop, phone } from '../../harness/console-visitor.js';
import { invoice } from '../../harness/running-stack.js';
import type { ConsoleSystem } from '../console.system.spec.js';

const run = promisify(execFile);

/** Issues what the line beside a new key issues, as a developer does. */
async function runLine(line: string): Promise<CreatedDocument & ErrorBody> {
  const { stdout } = await run('/bin/sh', ['-c', line], { timeout: 60_000 });
  return JSON.parse(stdout) as CreatedDocument & ErrorBody;
}

/** A red square. */
const logo = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#c00"/></svg>',
);
const accent = '#7a1f5c';

/** The form of one section of the settings. */
const formOf = (path: string, section: string) =>
  `form[action="${path}"]:has(input[name=section][value=${section}])`;

export function settings(system: () => ConsoleSystem): void {
  describe('settings', () => {
    it('a new key is shown once with a line that works, and is rejected after it was revoked', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const visitor = await visitorOf(issuer, desktop);
      const path = `/b/${issuer.business.id}/connection`;
      await visitor.visit(path);
      await visitor.page.click(`a[href="${path}/new"]`);
      await visitor.page.waitForURL(`**${path}/new`);
      await visitor.page.fill('input[name=name]', 'web shop');
      await visitor.press(`form[action="${path}/new"]`);
      const key = await visitor.page.inputValue('#key-value');
      const line = await visitor.page.inputValue('#curl-line');
      stack.recordPersonalData({ key });
      expect(key).toMatch(/^pk_live_/);
      expect(await runLine(line)).toMatchObject({ type: 'quote', number: 1 });

      await visitor.visit(path);
      expect((await visitor.page.content()).includes(key)).toBe(false);
      const card = visitor.page.locator('.key', { hasText: 'web shop' });
      await eventually('the last use is shown', async () => {
        await visitor.page.reload();
        return !(await card.innerText()).includes('Not yet');
      });
      await card.locator('a.danger').click();
      await visitor.page.waitForURL('**/revoke');
      await visitor.press('main form');
      expect([visitor.path(), await visitor.done()]).toEqual([path, 'The key is revoked.']);
      expect((await runLine(line)).error.code).toBe('key_revoked');

      await visitor.visit(`/b/${issuer.business.id}/trail`);
      for (const action of ['An API key was created', 'An API key was revoked']) {
        const entry = visitor.page.locator('.trail > li', { hasText: action }).first();
        expect(await entry.innerText()).toContain(visitor.email);
      }
    });

    it('a test key issues into the test book, which has pages of its own', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const visitor = await visitorOf(issuer, phone);
      await visitor.visit(`/b/${issuer.business.id}/connection/new`);
      await visitor.page.fill('input[name=name]', 'ניסיון');
      await visitor.page.selectOption('select[name=mode]', 'test');
      await visitor.press('main form');
      stack.recordPersonalData({ key: await visitor.page.inputValue('#key-value') });
      const { id } = await runLine(await visitor.page.inputValue('#curl-line'));

      await visitor.visit(`/t/${issuer.business.id}/documents`);
      expect(await visitor.page.locator('.test-banner').count()).toBe(1);
      expect(await visitor.page.locator(`a[href="/t/${issuer.business.id}/documents/${id}"]`).count()).toBe(
        1,
      );
      await visitor.visit(`/t/${issuer.business.id}/documents/${id}`);
      await visitor.visit(`/b/${issuer.business.id}/documents/${id}`, 404);
      await visitor.visit(`/b/${issuer.business.id}/documents`);
      expect(await visitor.page.locator('.test-banner, .documents').count()).toBe(0);
    });

    it('profile, color, logo and notes are previewed while they are typed, and are on the next document', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const visitor = await visitorOf(issuer, desktop);
      const path = `/b/${issuer.business.id}/business`;
      await visitor.visit(path);
      const previewed = (text: string) =>
        eventually(`the preview has ${text}`, async () => {
          const frame = visitor.page.frames().find((found) => found.url().includes('/business/preview'));
          return (await frame?.content().catch(() => ''))?.includes(text) ?? false;
        });
      await visitor.page.fill('input[name=name]', 'בית הדוגמה');
      await visitor.page.fill('textarea[name=default_notes]', 'תודה על הקנייה');
      await visitor.page.fill('input[name=accent_color]', accent);
      await previewed('בית הדוגמה');
      await previewed('תודה על הקנייה');
      await previewed(accent);
      // Half typed and emptied fields leave the frame what it was.
      await visitor.page.fill('textarea[name=default_notes]', '');
      await visitor.page.fill('input[name=email]', 'shop@');
      await visitor.page.fill('input[name=city]', 'עכו');
      await previewed('עכו');
      await visitor.page.fill('input[name=email]', '');
      await visitor.page.fill('textarea[name=default_notes]', 'תודה על הקנייה');
      await visitor.page.setInputFiles('input[name=logo]', {
        name: 'logo.svg',
        mimeType: 'image/svg+xml',
        buffer: logo,
      });
      await previewed('data:image/');
      // Nothing is saved yet.
      const unchanged = await stack.issueUntilAnswered(issuer.key, invoice(1));
      const before = await (await fetch(unchanged.view_url)).text();
      expect([before.includes('עסק לדוגמה'), before.includes('בית הדוגמה')]).toEqual([true, false]);

      // Each section is saved on its own; the page after it shows what is stored.
      const saved = async (section: string) => {
        await visitor.press(formOf(path, section));
        expect([section, visitor.path()]).toEqual([section, path]);
        expect(await visitor.done()).toMatch(/נשמרו|are saved/);
      };
      await saved('details');
      await visitor.page.fill('input[name=accent_color]', accent);
      await visitor.page.setInputFiles('input[name=logo]', {
        name: 'logo.svg',
        mimeType: 'image/svg+xml',
        buffer: logo,
      });
      await saved('look');
      await visitor.page.fill('textarea[name=default_notes]', 'תודה על הקנייה');
      await saved('terms');
      const document = await stack.issueUntilAnswered(issuer.key, invoice(100));
      const html = await (await fetch(document.view_url)).text();
      expect(html).toContain('בית הדוגמה');
      expect(html).toContain('תודה על הקנייה');
      expect(html).toContain(accent);
      expect(html).toContain('data:image/');

      const details = formOf(path, 'details');
      await visitor.page.locator(details).evaluate((form) => form.setAttribute('novalidate', ''));
      await visitor.page.fill('input[name=name]', '');
      await visitor.pressForStatus(details, 422);
      expect(await visitor.page.locator('#field-name-error').count()).toBe(1);
      await visitor.visit(`/b/${issuer.business.id}/trail`);
      const entry = visitor.page.locator('.trail > li', { hasText: 'The settings were changed' }).first();
      expect(await entry.innerText()).toContain(visitor.email);
    });

    it('quiet hours and the copy for the accountant hold from the next document', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const visitor = await visitorOf(issuer, phone);
      const path = `/b/${issuer.business.id}/business`;
      const accountant = 'accountant@example.com';
      await visitor.visit(path);
      await visitor.page.check('input[name=auto_send]');
      await visitor.page.fill('input[name=quiet_from]', timeInIsrael(-60));
      await visitor.page.fill('input[name=quiet_to]', timeInIsrael(120));
      await visitor.press(formOf(path, 'sending'));
      await visitor.page.check('input[name=accountant_copy]');
      await visitor.page.fill('input[name=accountant_email]', accountant);
      await visitor.press(formOf(path, 'accountant'));
      expect(visitor.path()).toBe(path);
      expect(await visitor.done()).toMatch(/נשמרו|are saved/);
      const { body } = await stack.issue(issuer.key, invoice(100));
      expect(body.delivery.status).toBe('deferred_quiet_hours');
      await eventually('the copy arrives', async () => (await stack.mailsTo(accountant)).length > 0);
      expect(
        await stack
          .mailsTo(demoCustomer.email)
          .then((mails) => mails.filter(({ text }) => text.includes(body.view_url))),
      ).toEqual([]);
    });

    it('an owner connects the business at the authority, and disconnects it', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const visitor = await visitorOf(issuer, desktop);
      const path = `/b/${issuer.business.id}/authority`;
      await visitor.visit(path);
      expect(await visitor.text()).toContain('Not connected');
      await visitor.page.fill('input[name=person]', 'Demo Person');
      await visitor.press(`form[action="${path}/connect"]`);
      const { tax_authority: authority } = (await stack.file()).simulators;
      const link = visitor.page.locator('main a.button');
      expect(await link.getAttribute('href')).toContain(authority);
      const other = await visitorOf(await stack.newIssuer(), desktop);
      const refused = await other.context.request.get((await link.getAttribute('href')) ?? '');
      expect([new URL(refused.url()).origin, refused.status()]).toEqual([visitor.origin, 403]);
      expect(await refused.text()).toMatch(/את החיבור משלים רק|Only the person who began/);
      await link.click();
      await eventually('the business is connected', async () => {
        await visitor.visit(path);
        return (await visitor.page.locator('[data-state=connected]').count()) === 1;
      });
      const { body } = await stack.issue(issuer.key, invoice(6_000));
      expect(body.allocation.status).toBe('issued');

      await visitor.page.click(`a[href="${path}/disconnect"]`);
      await visitor.page.waitForURL('**/disconnect');
      await visitor.press('main form');
      expect(visitor.path()).toBe(path);
      expect(await visitor.done()).toMatch(/נותק|is disconnected/);
      expect((await stack.issue(issuer.key, invoice(6_000))).body.allocation.status).toBe('not_required');
    });
  });
}
