import { describe, expect, it } from '@jest/globals';
import type { DocumentDetail } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { desktop, phone } from '../../harness/console-visitor.js';
import { issueRefused, winHearing } from '../../harness/refused-number.js';
import { rejectAddress } from '../../harness/rejected-address.js';
import { invoice, sendsMail } from '../../harness/running-stack.js';
import type { ConsoleSystem } from '../console.system.spec.js';

/** Above the threshold for allocation numbers, before VAT. */
const large = 6_000;

export function attention(system: () => ConsoleSystem): void {
  describe('what needs attention', () => {
    const refusedInvoice = async () => {
      const { stack } = system();
      const issuer = await stack.newIssuer({ tax_authority_connected: true });
      const body = await issueRefused(stack, () => stack.issueUntilAnswered(issuer.key, invoice(large)));
      return { issuer, body };
    };

    it('a refused allocation number is shown with the words of the authority, and after a won hearing a request solves it', async () => {
      const { stack, visitorOf } = system();
      const { issuer, body } = await refusedInvoice();
      expect(body.allocation.status).toBe('failed');
      const visitor = await visitorOf(issuer, phone);
      await visitor.awaitElement('a[href$="#refusal"]');
      expect(await visitor.text()).toContain('460');
      expect(await visitor.page.locator('form[action$="/allocation"]').count()).toBe(0);
      await winHearing(stack, body.id);
      await visitor.awaitElement('form[action$="/allocation"]');
      await visitor.press('form[action$="/allocation"]');
      expect(await visitor.page.locator('form[action$="/allocation"]').count()).toBe(0);

      await visitor.visit(`/b/${issuer.business.id}/documents/${body.id}`);
      const { body: after } = await stack.call<DocumentDetail>(issuer.key, 'GET', `/documents/${body.id}`);
      expect(after.allocation_number).toMatch(/^\d{9}$/);
      expect(await visitor.text()).toContain(after.allocation_number);
    });

    it('a number is requested from the page of the document too', async () => {
      const { stack, visitorOf } = system();
      const { issuer, body } = await refusedInvoice();
      await winHearing(stack, body.id);
      const visitor = await visitorOf(issuer, desktop);
      await visitor.visit(`/b/${issuer.business.id}/documents/${body.id}`);
      await visitor.awaitElement('form[action$="/allocation"]');
      await visitor.press('form[action$="/allocation"]');
      expect(await visitor.done()).not.toBe('');

      // The number is printed: one more revision, next to the original.
      await visitor.awaitElement('.timeline li:has-text("allocation number") a[href*="revision="]');
      const { pdf_url: pdfUrl } = body;
      const links = visitor.page.locator('.timeline a[href*="revision="]');
      const paths = await Promise.all((await links.all()).map((link) => link.getAttribute('href')));
      const revisions = await Promise.all(paths.map((path) => visitor.download(path ?? '')));
      const latest = await visitor.download(pdfUrl);
      expect(revisions.length).toBeGreaterThan(1);
      expect(revisions.map(({ status, mediaType }) => [status, mediaType])).toEqual(
        revisions.map(() => [200, 'application/pdf']),
      );
      expect(new Set(revisions.map(({ sha256 }) => sha256)).size).toBe(revisions.length);
      expect(revisions.at(-1)?.sha256).toBe(latest.sha256);
    });

    it('a rejected address is allowed again, and its message is sent again', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer(sendsMail);
      const visitor = await visitorOf(issuer, desktop);
      const email = 'rejected@example.com';
      await rejectAddress(stack, email, () =>
        stack.issue(issuer.key, invoice(100, { customer: { name: 'לקוח לדוגמה', email } })),
      );
      await visitor.awaitElement('form[action$="/suppressions/remove"]');
      expect(await visitor.text()).toContain('no such mailbox here');
      expect(await visitor.page.locator('form[action$="/resend"]').count()).toBe(0);
      await visitor.press('form[action$="/suppressions/remove"]');
      expect(await visitor.page.locator('form[action$="/suppressions/remove"]').count()).toBe(0);
      await visitor.press('form[action$="/resend"]');
      const [mail] = await eventually('the mail arrives', async () => {
        const mails = await stack.mailsTo(email);
        return mails.length > 0 && mails;
      });
      expect(mail?.attachments).toHaveLength(1);
      await eventually('nothing needs attention', async () => {
        await visitor.page.reload();
        return (await visitor.page.locator('.attention').count()) === 0;
      });
    });

    it('a message that will not be sent is dismissed, stays on the page of its document, and is in the trail', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer(sendsMail);
      const visitor = await visitorOf(issuer, desktop);
      const email = 'gone@example.com';
      const customer = { name: 'לקוח לדוגמה', email };
      const { body } = await rejectAddress(stack, email, () =>
        stack.issue(issuer.key, invoice(100, { customer })),
      );
      const documentId = body.id;
      await visitor.awaitElement('form[action$="/attention/dismiss"]');
      await visitor.press('form[action$="/attention/dismiss"]');
      expect(await visitor.done()).not.toBe('');
      expect(await visitor.page.locator('.attention').count()).toBe(0);
      await visitor.visit(`/b/${issuer.business.id}/documents/${documentId}`);
      expect(await visitor.text()).toContain('no such mailbox here');
      await visitor.visit(`/b/${issuer.business.id}/trail?kind=messages`);
      expect(await visitor.page.locator(`a[href$="/documents/${documentId}"]`).count()).toBe(1);
    });
  });
}
