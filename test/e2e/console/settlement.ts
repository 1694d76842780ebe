import { describe, expect, it } from '@jest/globals';
import type { CreateDocument } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { desktop } from '../../harness/console-visitor.js';
import { invoice, type Verification } from '../../harness/running-stack.js';
import type { ConsoleSystem } from '../console.system.spec.js';

export function settlement(system: () => ConsoleSystem): void {
  describe('how far documents are settled', () => {
    it('the hosted page, the email, the list, the document, Today and verify agree to the agora on an invoice that is paid in part', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer({ tax_authority_connected: false });
      const issued = async (body: CreateDocument) => {
        const answer = await stack.issue(issuer.key, body);
        expect([answer.status, answer.body.error]).toEqual([201, undefined]);
        return answer.body;
      };
      const based = { prices_include_vat: true, expected_total: 5_000.01 };
      const bill = await issued(invoice(12_345.67));
      expect(bill.totals.total).toBe(14_567.89);
      const payments = [{ method: 'cash', amount: 5_000.01 }] as const;
      await issued(
        invoice(5_000.01, { ...based, type: 'receipt', based_on: bill.id, payments: [...payments] }),
      );
      const credited = { ...based, expected_total: 0.02 };
      await issued(invoice(0.02, { ...credited, type: 'credit_note', based_on: bill.id }));
      const balance = '9,567.86';

      const hosted = await (await fetch(bill.view_url)).text();
      expect(hosted.match(/<tr class="total">.*?<\/tr>/)?.[0]).toContain(balance);
      expect(hosted.match(/<p class="status closed">.*?<\/p>/)?.[0]).toContain(balance);

      const visitor = await visitorOf(issuer, desktop);
      const at = `/b/${issuer.business.id}`;
      await visitor.visit(at);
      const attention = await visitor.page.locator('.attention').innerText();
      expect(attention).toMatch(/One document is partly paid\s+Balance due: .*9,567\.86/);
      // 18% of 12,345.67, without the credit note of an agora of VAT or less.
      expect(attention).toMatch(/One invoice above the threshold .*\s+.* cannot deduct VAT of .*2,222\.2\d/);
      await visitor.page.click(`.attention a[href="${at}/documents?note=partly_paid"]`);
      await visitor.page.waitForURL('**note=partly_paid');
      const rows = await visitor.page.locator('.documents tbody tr').allInnerTexts();
      expect(rows).toEqual([expect.stringMatching(/Tax invoice.*14,567\.89.*9,567\.86.*Partly paid/s)]);
      await visitor.page.click('.documents tbody a');
      await visitor.page.waitForURL(`**/documents/${bill.id}`);
      expect(await visitor.text()).toMatch(/Balance due\s+.*9,567\.86/);

      const email = 'paid-in-part@example.com';
      const form = `form[action$="/documents/${bill.id}/send"]`;
      await visitor.page.fill(`${form} input[name=recipient]`, email);
      await visitor.press(form);
      const [mail] = await eventually('the email arrives', async () => {
        const mails = await stack.mailsTo(email);
        return mails.length > 0 && mails;
      });
      expect(mail?.text).toMatch(/יתרה לתשלום: .*9,567\.86/);

      const verified = await stack.pinkas<Verification>('verify', '--business', issuer.business.id);
      expect([verified.ok, verified.businesses[0]?.notes]).toMatchObject([
        true,
        [
          { note: 'partly_paid', document_id: bill.id, message: expect.stringContaining(balance) },
          { note: 'number_missing', document_id: bill.id },
        ],
      ]);
    });
  });
}
