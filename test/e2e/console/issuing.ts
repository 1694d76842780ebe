import { describe, expect, it } from '@jest/globals';
import type { DocumentDetail, DocumentPage } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { axeFindings } from '../../harness/axe.js';
import { type ConsoleVisitor, desktop, phone, type View } from '../../harness/console-visitor.js';
import { type Issuer, invoice, sendsMail } from '../../harness/running-stack.js';
import type { ConsoleSystem } from '../console.system.spec.js';

/** Issuing by hand, on the complete system: the form as it is typed into, and the same form by its buttons alone. */
export function issuingByHand(system: () => ConsoleSystem): void {
  describe('issuing by hand', () => {
    const newest = async ({ key }: Issuer): Promise<DocumentDetail> => {
      const { stack } = system();
      const { body } = await stack.call<DocumentPage>(key, 'GET', '/documents?limit=1');
      return (await stack.call<DocumentDetail>(key, 'GET', `/documents/${body.data[0]?.id}`)).body;
    };
    const pressStep = async (visitor: ConsoleVisitor, step: string) => {
      await visitor.page.locator(`main form button[value="${step}"]:visible`).last().click();
      await visitor.page.waitForLoadState('load');
    };

    it.each<View>([desktop, { ...phone, colorScheme: 'dark' }])(
      'the form computes while it is typed, shows the document and issues it, in $language',
      async (view) => {
        const { stack, visitorOf } = system();
        const issuer = await stack.newIssuer(sendsMail);
        const known = { name: 'Known customer', tax_id: '777777715', email: 'known@example.com' };
        const items = [{ description: 'Known article', quantity: 1, unit_price: 49.9, sku: 'A-1' }];
        const first = await stack.issueUntilAnswered(issuer.key, invoice(1, { customer: known, items }));
        const visitor = await visitorOf(issuer, view);
        const { page } = visitor;
        const root = `/b/${issuer.business.id}`;
        await visitor.visit(`${root}/issue/document?type=tax_invoice`);

        await page.fill('input[name="customer.name"]', 'know');
        await eventually(
          'the customer is offered',
          async () => (await page.locator('#customers [role="option"]').count()) === 1,
        );
        expect(await axeFindings(visitor.page)).toEqual([]);
        await page.press('input[name="customer.name"]', 'ArrowDown');
        const name = page.locator('input[name="customer.name"]');
        expect(await name.getAttribute('aria-activedescendant')).toBe('customer-0');
        await page.press('input[name="customer.name"]', 'Enter');
        expect([await name.inputValue(), await page.locator('#customers').isVisible()]).toEqual([
          known.name,
          false,
        ]);
        await page.fill('input[name="items.0.sku"]', 'A-1');
        await page.fill('input[name="items.0.quantity"]', '2');
        await page.press('input[name="items.0.quantity"]', 'Tab');
        expect(await page.inputValue('input[name="items.0.description"]')).toBe('Known article');
        await page.click('button[value="add_line"]');
        await page.fill('input[name="items.1.description"]', 'Work');
        await page.fill('input[name="items.1.unit_price"]', '100.20');
        await eventually('the total is shown', async () =>
          (await page.locator('[data-live]').innerText()).includes('236.00'),
        );
        expect(await page.locator('[data-live]').innerText()).toContain('777777715');
        expect([await axeFindings(visitor.page), await visitor.overflow()]).toEqual([[], 0]);

        await pressStep(visitor, 'preview');
        const frame = page.frameLocator('iframe[name="picture"]');
        await eventually(
          'the picture is shown',
          async () => (await frame.locator('article.sheet').count()) === 1,
        );
        expect(await frame.locator('article.sheet').innerText()).toMatch(/טיוטה|Draft/);
        expect(await frame.locator('.number').count()).toBe(0);
        const question = await visitor.text();
        expect(question).toContain('known@example.com');
        expect(question).toContain(String(first.number + 1));
        expect([await axeFindings(visitor.page), await visitor.overflow()]).toEqual([[], 0]);

        await page.locator('button[value="issue"]').dblclick();
        await page.waitForURL(/\/documents\//);
        expect(await visitor.done()).toMatch(/הופק|is issued/);
        expect(await newest(issuer)).toMatchObject({
          type: 'tax_invoice',
          number: first.number + 1,
          customer: { id: first.customer.id },
          totals: { total: 236 },
        });
        expect(visitor.problems).toEqual([]);
      },
    );

    it.each<View>([desktop, { ...phone, withoutScripts: true }])(
      'a form that is left is found again as a draft, and going back after the issue issues nothing, in $language',
      async (view) => {
        const { stack, visitorOf } = system();
        const issuer = await stack.newIssuer();
        const visitor = await visitorOf(issuer, view);
        const { page } = visitor;
        const root = `/b/${issuer.business.id}`;
        await visitor.visit(`${root}/issue/document?type=quote`);
        await page.fill('input[name="customer.name"]', 'Customer of a draft');
        await page.fill('input[name="items.0.description"]', 'Work');
        await page.fill('input[name="items.0.unit_price"]', '100');
        if (view.withoutScripts) {
          await pressStep(visitor, 'compute');
        }
        await visitor.visit(`${root}/customers`);
        await eventually('the draft is kept', async () => {
          await visitor.visit(`${root}/issue`);
          return (await page.locator('.drafts li').count()) === 1;
        });
        // The timers of axe do not run in a page without scripts.
        expect(view.withoutScripts ? [] : await axeFindings(visitor.page)).toEqual([]);
        expect(await visitor.overflow()).toBe(0);
        await page.click('.drafts a');
        await page.waitForURL(/\/issue\/drafts\//);
        expect(await page.inputValue('input[name="items.0.unit_price"]')).toBe('100');
        await pressStep(visitor, 'preview');
        await pressStep(visitor, 'issue');
        const { id } = await newest(issuer);
        expect(visitor.path()).toBe(`${root}/documents/${id}`);
        await page.goBack();
        await page.waitForURL(/\/documents\//);
        expect(await visitor.text()).toMatch(/Nothing was issued again|דבר לא הופק שוב/);
        expect((await newest(issuer)).id).toBe(id);
      },
    );

    it.each<View>([
      { ...desktop, withoutScripts: true },
      { ...phone, withoutScripts: true },
    ])('a quote becomes an invoice and the invoice a receipt without scripts, in $language', async (view) => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const visitor = await visitorOf(issuer, view);
      const { page } = visitor;
      const root = `/b/${issuer.business.id}`;
      await visitor.visit(`${root}/issue`);
      await page.click('a[href$="type=quote"]');
      await page.fill('input[name="customer.name"]', 'Customer of a quote');
      await page.fill('input[name="items.0.description"]', 'First');
      await page.fill('input[name="items.0.unit_price"]', '100');
      await pressStep(visitor, 'add_line');
      await page.fill('input[name="items.1.description"]', 'Second');
      await page.fill('input[name="items.1.unit_price"]', '200');
      await pressStep(visitor, 'compute');
      const { totals: summary } = { totals: await page.locator('[data-live]').innerText() };
      expect(summary).toMatch(/300\.00|354\.00/);
      await pressStep(visitor, 'preview');
      await page.click('[data-picture] button:not([formtarget])');
      const frame = page.frameLocator('iframe[name="picture"]');
      await eventually(
        'the picture is shown',
        async () => (await frame.locator('article.sheet').count()) === 1,
      );
      await pressStep(visitor, 'issue');
      expect(await visitor.done()).toMatch(/הופק|is issued/);
      const quote = await newest(issuer);

      await visitor.follow('a[href*="type=tax_invoice&from="]');
      await pressStep(visitor, 'preview');
      await pressStep(visitor, 'issue');
      const bill = await newest(issuer);
      expect(bill).toMatchObject({ type: 'tax_invoice', based_on: quote.id, totals: quote.totals });

      await visitor.follow('a[href*="type=receipt&from="]');
      await page.fill('input[name="payments.0.amount"]', '');
      await visitor.pressForStatus('main form.columns', 422, 'button[value="preview"]');
      expect(await page.locator('.error:not(.notice)').count()).toBe(1);
      await page.fill('input[name="payments.0.amount"]', bill.totals.total.toFixed(2));
      await pressStep(visitor, 'preview');
      await pressStep(visitor, 'issue');
      expect(await newest(issuer)).toMatchObject({
        type: 'receipt',
        based_on: bill.id,
        totals: { total: bill.totals.total, paid: bill.totals.total },
      });
    });
  });
}
