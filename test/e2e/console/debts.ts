import { describe, expect, it } from '@jest/globals';
import { addDays, dayInIsrael } from '@pinkas/domain';
import { eventually } from '@pinkas/testkit';
import { desktop, phone } from '../../harness/console-visitor.js';
import { invoice, sendsMail } from '../../harness/running-stack.js';
import type { ConsoleSystem } from '../console.system.spec.js';

export function debts(system: () => ConsoleSystem): void {
  describe('debts, statements and reports', () => {
    it.each([{ ...phone, withoutScripts: true }, { ...desktop, withoutScripts: true }, desktop])(
      'an owner sees what is late, reminds of it once and finds it in statement and report, in $language',
      async (view) => {
        const { stack, visitorOf } = system();
        const issuer = await stack.newIssuer(sendsMail);
        const today = dayInIsrael(new Date());
        const issued = (body: Parameters<typeof stack.issueUntilAnswered>[1]) =>
          stack.issueUntilAnswered(issuer.key, body);
        const email = `late-${view.language}-${view.withoutScripts ? 'plain' : 'script'}@example.com`;
        const customer = { name: 'לקוח מאחר', email };
        const dates = { date: addDays(today, -50), due_date: addDays(today, -45) };
        const late = await issued(invoice(1_000, { customer, ...dates, send: false }));
        const others = { customer: { id: late.customer.id ?? '' }, send: false };
        await issued(invoice(100, { ...others, date: today }));
        const gross = { prices_include_vat: true, based_on: late.id };
        const payments = [{ method: 'bank_transfer', amount: 180, reference: '77' }] as const;
        await issued(invoice(180, { ...others, ...gross, type: 'receipt', payments: [...payments] }));

        const visitor = await visitorOf(issuer, view);
        const at = `/b/${issuer.business.id}`;
        await visitor.visit(`${at}/debts`);
        // 1,180 − 180, and 118 that is not due yet.
        expect(await visitor.page.locator('.stats').innerText()).toMatch(/1,118\.00[\s\S]*1,000\.00/);
        await visitor.page.click('a[href$="age=days_31_60"]');
        await visitor.page.waitForURL('**age=days_31_60');
        const rows = await visitor.page.locator('main tbody tr').allInnerTexts();
        expect(rows).toEqual([expect.stringMatching(/45[\s\S]*1,180\.00[\s\S]*1,000\.00/)]);

        await visitor.visit(`${at}/debts`);
        await visitor.page.click('main a[href$="/statement"]');
        await visitor.page.waitForURL('**/statement');
        const from = 'input[name=from]';
        await visitor.page.fill(from, dates.date);
        await visitor.press('form[role=search]');
        const entries = await visitor.page.locator('main tbody tr').allInnerTexts();
        expect(entries).toHaveLength(4);
        expect(await visitor.page.locator('main tfoot').innerText()).toMatch(
          /1,298\.00[\s\S]*180\.00[\s\S]*1,118\.00/,
        );
        const statement = `${at}/customers/${late.customer.id}/statement`;
        const pdf = await visitor.context.request.get(new URL(`${statement}/pdf?from=`, visitor.origin).href);
        expect([pdf.status(), (await pdf.body()).subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
        const csv = await visitor.context.request.get(new URL(`${statement}/csv?from=`, visitor.origin).href);
        const lines = (await csv.text()).trim().split('\r\n');
        expect(lines).toHaveLength(5);
        expect(lines.at(-1)).toContain('1118.00');

        await visitor.visit(`${at}/debts/${late.customer.id}/reminder`);
        const form = 'form[action$="/reminder"]';
        // What is late is chosen; the other document is not.
        expect(await visitor.page.locator(`${form} input[type=checkbox]:checked`).count()).toBe(1);
        expect(await visitor.page.inputValue('input[name=recipient]')).toBe(email);
        await visitor.page.fill('textarea', 'A text of my own.');
        await visitor.press(form);
        expect(await visitor.done()).toMatch(/התזכורת בדרך|is on its way/);
        const [mail] = await eventually('the reminder arrives', async () => {
          const mails = await stack.mailsTo(email);
          return mails.length > 0 && mails;
        });
        expect(mail?.text).toMatch(/A text of my own\.[\s\S]*1,000\.00/);
        await visitor.visit(`${at}/debts/${late.customer.id}/reminder`);
        expect(await visitor.page.locator('.notice.warn').count()).toBe(1);
        expect(await visitor.page.locator(form).count()).toBe(0);
        await visitor.visit(`${at}/trail`);
        expect(await visitor.text()).toMatch(/תזכורת תשלום נשלחה|was reminded/);

        const year = today.slice(0, 4);
        await visitor.visit(`${at}/reports?period=${year}`);
        const report = await visitor.text();
        expect(report).toContain('180.00');
        await visitor.page.click('main a[href*="/reports/receipts"]');
        await visitor.page.waitForURL('**/reports/receipts**');
        expect(await visitor.text()).toMatch(/77[\s\S]*180\.00/);
        const printed = await visitor.context.request.get(
          new URL(`${at}/reports/pdf?period=${year}`, visitor.origin).href,
        );
        expect([printed.status(), (await printed.body()).subarray(0, 5).toString()]).toEqual([200, '%PDF-']);

        const reader = await visitorOf(issuer, view, 'bookkeeper');
        await reader.visit(`${at}/debts`);
        expect(await reader.page.locator('a[href$="/reminder"]').count()).toBe(0);
        await reader.visit(`${at}/debts/${late.customer.id}/reminder`, 403);
      },
    );
  });
}
