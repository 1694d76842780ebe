import { describe, expect, it } from '@jest/globals';
import type { CreateDocument, CreatedDocument, DocumentDetail } from '@pinkas/contracts';
import { demoCustomer, eventually } from '@pinkas/testkit';
import type { ConsoleVisitor } from '../../harness/console-visitor.js';
import { desktop, phone } from '../../harness/console-visitor.js';
import { type Issuer, invoice, type RunningStack } from '../../harness/running-stack.js';
import type { ConsoleSystem } from '../console.system.spec.js';

/** More than a page of the list. */
const listed = 53;
const atOnce = 8;

const hrefs = (visitor: ConsoleVisitor) =>
  visitor.page
    .locator('.documents tbody th a')
    .evaluateAll((links) =>
      links.map((link) => (link as unknown as { getAttribute(name: string): string }).getAttribute('href')),
    );

async function issued(stack: RunningStack, { key }: Issuer, body: CreateDocument): Promise<CreatedDocument> {
  const answer = await stack.issue(key, body);
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  return answer.body;
}

const detail = async (stack: RunningStack, { key }: Issuer, id: string): Promise<DocumentDetail> =>
  (await stack.call<DocumentDetail>(key, 'GET', `/documents/${id}`)).body;

export function documents(system: () => ConsoleSystem): void {
  describe('documents', () => {
    it('the list is searched by number, reference, customer and tax id, filtered, and read page by page', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const quote = (index: number): CreateDocument => ({
        ...invoice(100 + index, { type: 'quote', external_ref: `order-${index}` }),
        customer: index === 7 ? { name: 'מאפיית הדוגמה', tax_id: '514713288' } : demoCustomer,
      });
      const all: CreatedDocument[] = [];
      for (let from = 0; from < listed; from += atOnce) {
        const part = Array.from({ length: Math.min(atOnce, listed - from) }, (_, index) => from + index);
        all.push(...(await Promise.all(part.map((index) => issued(stack, issuer, quote(index))))));
      }
      const bill = await issued(stack, issuer, invoice(5));
      const found = all.find(({ customer }) => customer.name === 'מאפיית הדוגמה');
      const root = `/b/${issuer.business.id}/documents`;
      const visitor = await visitorOf(issuer, desktop);
      await visitor.visit(root);
      const first = await hrefs(visitor);
      expect(first[0]).toBe(`${root}/${bill.id}`);
      await visitor.page.locator('.pager a').click();
      await visitor.page.waitForLoadState();
      const second = await hrefs(visitor);
      expect([first.length, second.length]).toEqual([50, listed + 1 - 50]);
      expect(new Set([...first, ...second]).size).toBe(listed + 1);

      const search = async (text: string) => {
        await visitor.visit(root);
        await visitor.page.fill('input[name=q]', text);
        await visitor.press('form[role=search]');
        return hrefs(visitor);
      };
      for (const text of ['order-7', '514713288', 'מאפיית']) {
        expect([text, await search(text)]).toEqual([text, [`${root}/${found?.id}`]]);
      }
      const byNumber = await search(String(found?.number));
      expect(byNumber).toContain(`${root}/${found?.id}`);
      expect(await search('nothing-like-this')).toEqual([]);

      await visitor.visit(root);
      await visitor.page.click('form[role=search] summary');
      await visitor.page.selectOption('select[name=type]', 'tax_invoice');
      await visitor.press('form[role=search]');
      expect(await hrefs(visitor)).toEqual([`${root}/${bill.id}`]);
      await visitor.visit(`${root}?to=2020-01-01`);
      expect(await hrefs(visitor)).toEqual([]);
    });

    it.each(['he', 'en'] as const)(
      'the decimals of amounts stand under each other (%s)',
      async (language) => {
        const { stack, visitorOf } = system();
        const issuer = await stack.newIssuer({ prices_include_vat: false });
        const items = [5, 12_345.67].map((unit_price) => ({ description: 'x', quantity: 1, unit_price }));
        const bill = await issued(stack, issuer, invoice(1, { items }));
        await issued(stack, issuer, invoice(5, { type: 'quote' }));
        const visitor = await visitorOf(issuer, { ...desktop, language });
        for (const path of ['', '/documents', `/documents/${bill.id}`]) {
          await visitor.visit(`/b/${issuer.business.id}${path}`);
          // Of each column of a table and of the sums: how many amounts it has, and where their numbers end.
          const columns = (await visitor.page.evaluate(`(() => {
          const edges = {};
          for (const figure of document.querySelectorAll('td.figure bdi, .sums dd bdi')) {
            const table = [...document.querySelectorAll('table')].indexOf(figure.closest('table'));
            const column = [table, figure.closest('td')?.cellIndex].join();
            (edges[column] ??= []).push(Math.round(figure.getBoundingClientRect().right));
          }
          return Object.values(edges).map((ends) => [ends.length, new Set(ends).size]);
        })()`)) as [number, number][];
          expect(columns.some(([amounts]) => amounts > 1)).toBe(true);
          expect([path, columns.filter(([, edges]) => edges > 1)]).toEqual([path, []]);
        }
      },
    );

    it('a document that is sent to another address arrives once, though its form is sent twice', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const { id } = await issued(stack, issuer, invoice(100));
      const visitor = await visitorOf(issuer, phone);
      const email = 'another-address@example.com';
      await visitor.visit(`/b/${issuer.business.id}/documents/${id}`);
      const form = `form[action$="/documents/${id}/send"]`;
      await visitor.page.fill(`${form} input[name=recipient]`, email);
      expect(await visitor.sendTwice(form)).toEqual([200, 200]);
      await eventually('the mail arrives', async () => (await stack.mailsTo(email)).length > 0);
      await visitor.awaitElement('.timeline li.done:has-text("another-address@example.com")');
      // A second message would be in the timeline as soon as the first.
      expect(await visitor.page.locator('.timeline li:has-text("another-address@example.com")').count()).toBe(
        1,
      );
      expect(await stack.mailsTo(email)).toHaveLength(1);

      await visitor.page.fill(`${form} input[name=recipient]`, 'no address');
      await visitor.pressForStatus(form, 422);
      expect(await visitor.page.inputValue(`${form} input[name=recipient]`)).toBe('no address');
      expect(await visitor.page.locator(`${form} .error`).count()).toBe(1);
    });

    it('a quote is cancelled after a page that says what happens, with its reason on the document', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const quote = await issued(stack, issuer, invoice(100, { type: 'quote' }));
      const visitor = await visitorOf(issuer, phone);
      const at = `/b/${issuer.business.id}/documents/${quote.id}`;
      await visitor.visit(at);
      await visitor.follow(`a[href="${at}/cancel"]`);
      await visitor.page.waitForURL(`**${at}/cancel`);
      expect((await detail(stack, issuer, quote.id)).status).toBe('open');
      await visitor.page.fill('input[name=reason]', 'הוזמן בטעות');
      await visitor.press(`form[action="${at}/cancel"]`);
      expect([visitor.path(), await visitor.done()]).toEqual([at, 'המסמך בוטל.']);
      expect(await visitor.text()).toContain('הוזמן בטעות');
      expect((await detail(stack, issuer, quote.id)).status).toBe('cancelled');
      const { status, sha256 } = await visitor.download(`${at}/pdf`);
      expect([status, sha256]).toEqual([200, (await visitor.download(quote.pdf_url)).sha256]);
    });

    it('a part of an invoice and then the rest are credited after a preview, and the invoice is closed', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const bill = await issued(stack, issuer, invoice(100));
      const visitor = await visitorOf(issuer, desktop);
      const at = `/b/${issuer.business.id}/documents/${bill.id}`;
      const form = `form[action="${at}/credit"]`;
      const credit = async (amount: string) => {
        await visitor.visit(`${at}/credit`);
        await visitor.page.check('#field-extent-part');
        await visitor.page.fill('input[name=amount]', amount);
        await visitor.page.fill('input[name=description]', 'החזרה');
      };
      await credit('118.01');
      await visitor.pressForStatus(form, 422);
      expect(await visitor.page.locator('#field-amount-error').count()).toBe(1);

      await credit('18');
      await visitor.press(form);
      const preview = await visitor.text();
      expect(preview).toMatch(/next number[^\n]*\n+1\n/i);
      expect(preview).toContain('18.00');
      expect(preview).not.toContain('The invoice is closed');
      expect((await detail(stack, issuer, bill.id)).status).toBe('open');
      // Twice, as an impatient person does: one credit note.
      expect(await visitor.sendTwice(form)).toEqual([200, 200]);
      await visitor.visit(`/b/${issuer.business.id}/documents?type=credit_note`);
      expect(await hrefs(visitor)).toHaveLength(1);

      // What was credited is no longer left.
      await credit('100.01');
      await visitor.pressForStatus(form, 422);
      await credit('100');
      await visitor.press(form);
      expect(await visitor.text()).toMatch(/next number[^\n]*\n+2\n/i);
      expect(await visitor.text()).toContain('The invoice is closed');
      await visitor.press(form);
      expect(await visitor.done()).toBe('The credit note is issued.');
      expect(await visitor.text()).toContain('Credit note 2');
      expect((await detail(stack, issuer, bill.id)).status).toBe('closed');
      await visitor.visit(`${at}/credit`);
      expect(await visitor.page.locator(form).count()).toBe(0);
    });

    it('a correction of a customer is in the next document, and in no issued one', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      const before = await issued(stack, issuer, invoice(100));
      const pageBefore = await (await fetch(before.view_url)).text();
      const visitor = await visitorOf(issuer, phone);
      const at = `/b/${issuer.business.id}/customers/${before.customer.id}`;
      await visitor.visit(`/b/${issuer.business.id}/customers`);
      await visitor.page.fill('input[name=q]', demoCustomer.tax_id);
      await visitor.press('form[role=search]');
      await visitor.page.click(`a[href="${at}"]`);
      await visitor.page.waitForURL(`**${at}`);
      await visitor.page.fill('input[name=email]', 'no address');
      await visitor.page.evaluate(`document.querySelector('form[action$="${at}"]').noValidate = true`);
      await visitor.pressForStatus(`form[action="${at}"]`, 422);
      expect(await visitor.page.locator('#field-email-error').count()).toBe(1);
      await visitor.page.fill('input[name=email]', 'corrected@example.com');
      await visitor.page.fill('input[name=city]', 'באר שבע');
      await visitor.press(`form[action="${at}"]`);
      expect([visitor.path(), await visitor.done()]).toEqual([at, 'הפרטים נשמרו.']);

      const after = await issued(stack, issuer, invoice(100, { customer: { id: before.customer.id ?? '' } }));
      expect(await (await fetch(after.view_url)).text()).toContain('באר שבע');
      for (const [id, email] of [
        [before.id, demoCustomer.email],
        [after.id, 'corrected@example.com'],
      ] as const) {
        await visitor.visit(`/b/${issuer.business.id}/documents/${id}`);
        expect(await visitor.page.inputValue('input[name=recipient]')).toBe(email);
      }
      expect(await (await fetch(before.view_url)).text()).toBe(pageBefore);
    });
  });
}
