import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CreateDocument } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { desktop } from '../../harness/console-visitor.js';
import { invoice } from '../../harness/running-stack.js';
import { readByPaper, wholeOf } from '../../uniform/paper-reader.js';
import type { ConsoleSystem } from '../console.system.spec.js';

export function withheld(system: () => ConsoleSystem): void {
  describe('tax withheld at source', () => {
    it('tax that a customer withholds is asked for nowhere, a receipt states it, and callers of the HTTP API neither see nor send it', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer({ tax_authority_connected: false });
      const issued = async (body: CreateDocument) => {
        const answer = await stack.issue(issuer.key, body);
        expect([answer.status, answer.body.error]).toEqual([201, undefined]);
        return answer.body;
      };
      const payments = [{ method: 'cash', amount: 1_140 }] as const;
      const [first, second] = [await issued(invoice(1_000)), await issued(invoice(1_000))];
      const received = { type: 'receipt', based_on: first.id, prices_include_vat: true } as const;
      await issued(invoice(1_140, { ...received, payments: [...payments] }));
      const shown = async () => (await stack.call(issuer.key, 'GET', `/documents/${first.id}`)).body;
      const before = await shown();
      expect(await (await fetch(first.view_url)).text()).toMatch(/<tr class="total">.*?40\.00.*?<\/tr>/);

      const visitor = await visitorOf(issuer, desktop);
      const at = `/b/${issuer.business.id}`;
      await visitor.visit(`${at}/documents/${first.id}`);
      await visitor.page.click(`a[href$="/documents/${first.id}/withheld"]`);
      await visitor.page.waitForURL('**/withheld');
      expect(await visitor.page.inputValue('input[name=amount]')).toBe('40.00');
      await visitor.press('form[action$="/withheld"]');
      const page = await (await fetch(first.view_url)).text();
      expect(page).toMatch(/<tr class="total">.*?>0\.00<.*?<\/tr>/);
      expect(page).toContain('ניכוי מס במקור');
      expect(await shown()).toEqual(before);

      await visitor.visit(`${at}/issue/document?type=receipt&from=${second.id}`);
      await visitor.page.fill('[name="payments.0.amount"]', '1140');
      await visitor.press('form[data-issue]', 'button[value=withhold]');
      expect(await visitor.page.inputValue('[name="withheld.amount"]')).toBe('40.00');
      await visitor.press('form[data-issue]', 'button[value=preview]');
      const frame = visitor.page.frameLocator('iframe').locator('table.totals');
      expect(await frame.innerText()).toMatch(/1,140\.00[\s\S]*40\.00[\s\S]*1,180\.00/);
      await visitor.press('form[action$="/issue/document"]', 'button[value=issue]');
      expect(await visitor.text()).toMatch(/Tax withheld at source\s+.*40\.00/);

      await visitor.visit(at);
      expect(await visitor.text()).not.toContain('partly paid');
      await visitor.visit(`${at}/debts`);
      expect(await visitor.page.locator('main tbody tr').count()).toBe(0);
      const year = dayInIsrael(new Date()).slice(0, 4);
      await visitor.visit(`${at}/reports?period=${year}`);
      expect(await visitor.page.locator('#withheld').innerText()).toMatch(/80\.00/);

      const refused = await stack.issue(issuer.key, {
        ...invoice(40, { ...received, based_on: second.id, payments: [{ method: 'cash', amount: 40 }] }),
        withheld: { amounts: [{ document_id: second.id, amount: 1 }] },
      } as CreateDocument);
      expect([refused.status, refused.body.error]).toMatchObject([400, { code: 'validation_error' }]);
      const verified = await stack.verify(issuer);
      expect([verified.ok, verified.businesses[0]?.notes]).toEqual([true, []]);
      const list = await stack.pinkas<{ amount: number }[]>(
        ...['withholding', 'list', '--business', issuer.business.id, '--year', year],
      );
      expect(list.map(({ amount }) => amount)).toEqual([40, 40]);

      const out = await mkdtemp(join(tmpdir(), 'pinkas-withheld-'));
      const { folder } = await stack.pinkas<{ folder: string }>(
        ...['export', 'uniform', '--business', issuer.business.id, '--year', year, '--out', out],
      );
      const { findings, documents } = await readByPaper(folder);
      expect(findings).toEqual([]);
      const amounts = documents
        .filter(({ type }) => type === '400')
        .map(({ header }) => [1219, 1221, 1223, 1224].map((field) => Number(wholeOf(header, field)) / 100));
      // What was withheld by an act of its own is stated by no receipt.
      expect(amounts).toEqual([
        [1_140, 1_140, 1_140, 0],
        [1_140, 1_140, 1_140, 40],
      ]);
      const check = await stack.pinkas('export', 'check', folder, '--against', issuer.business.id);
      expect(check).toMatchObject({ ok: true, findings: [] });
      await rm(out, { recursive: true });
    });
  });
}
