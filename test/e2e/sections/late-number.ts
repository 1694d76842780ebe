import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BusinessChange, CreatedDocument } from '@pinkas/contracts';
import { demoCustomer, eventually } from '@pinkas/testkit';
import { expectVerified } from '../../harness/book.js';
import { invoice, type MailSummary, type RunningStack, sendsMail } from '../../harness/running-stack.js';

const run = promisify(execFile);
const pendingWords = 'בתהליך קבלה מרשות המסים';

export function lateNumber(system: () => RunningStack): void {
  describe('a late allocation number', () => {
    let stack: RunningStack;
    let folder: string;
    beforeAll(async () => {
      stack = system();
      folder = await mkdtemp(join(tmpdir(), 'pinkas-late-'));
    });
    afterEach(() => stack.setMode('tax_authority', { mode: 'ok', reset: true }));
    afterAll(() => rm(folder, { recursive: true, force: true }));

    /** Issues a document while the authority fails; it is sent to an address of its own and to an accountant. */
    const issueWhileDown = async (settings: BusinessChange) => {
      const [to, accountant] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
      const issuer = await stack.newIssuer({
        ...sendsMail,
        tax_authority_connected: true,
        accountant_copy: { enabled: true, email: accountant },
        ...settings,
      });
      await stack.setMode('tax_authority', { mode: 'error' });
      const { status, body } = await stack.issue(
        issuer.key,
        invoice(6000, { customer: { ...demoCustomer, email: to } }),
      );
      expect([status, body.allocation.status]).toEqual([201, 'failed']);
      expect(body.delivery).toEqual({ status: 'queued', channel: 'email', scheduled_for: null });
      return { issuer, to, accountant, document: body };
    };
    const textOf = async (url: string) => {
      const file = join(folder, `${randomUUID()}.pdf`);
      await writeFile(file, Buffer.from(await (await fetch(url)).arrayBuffer()));
      return (await run('pdftotext', [file, '-'])).stdout;
    };
    const attachmentOf = async (mail: MailSummary | undefined) =>
      textOf(`${(await stack.file()).mailbox_url}/messages/${mail?.id}/attachments/0`);
    const pageOf = async ({ view_url }: CreatedDocument) => (await fetch(view_url)).text();
    const numberOf = (key: string, { id }: CreatedDocument) =>
      eventually(
        'the number is there',
        async () =>
          (await stack.call<CreatedDocument>(key, 'GET', `/documents/${id}`)).body.allocation_number,
      );
    const mailsTo = (address: string, count: number) =>
      eventually(`${count} mails have arrived`, async () => {
        const mails = (await stack.mailsTo(address)).reverse();
        return mails.length === count && mails;
      });

    it('a message waits for the number, and page and PDF say that it is being obtained', async () => {
      const { issuer, to, accountant, document } = await issueWhileDown({});
      expect(await textOf(document.pdf_url)).toContain(pendingWords);
      expect(await pageOf(document)).toContain(pendingWords);
      // While the authority fails, the message waits, and this is no finding.
      await expectVerified(stack, issuer);
      expect([...(await stack.mailsTo(to)), ...(await stack.mailsTo(accountant))]).toEqual([]);
      await stack.setMode('tax_authority', { mode: 'ok', reset: true });
      const number = await numberOf(issuer.key, document);
      for (const address of [to, accountant]) {
        const [mail] = await mailsTo(address, 1);
        expect(mail?.text).toContain(number);
        expect(await attachmentOf(mail)).toContain(number);
      }
      const text = await textOf(document.pdf_url);
      expect(text).toContain(number);
      expect(text).not.toContain(pendingWords);
      expect(await pageOf(document)).not.toContain(pendingWords);
      await expectVerified(stack, issuer);
      await mailsTo(to, 1);
      await mailsTo(accountant, 1);
    });

    it('a number that comes after the message brings one follow-up to customer and accountant', async () => {
      const { issuer, to, accountant, document } = await issueWhileDown({ allocation_hold_minutes: 0 });
      for (const address of [to, accountant]) {
        const [mail] = await mailsTo(address, 1);
        expect(await attachmentOf(mail)).toContain(pendingWords);
      }
      await stack.setMode('tax_authority', { mode: 'ok', reset: true });
      const number = await numberOf(issuer.key, document);
      for (const address of [to, accountant]) {
        const [first, followUp] = await mailsTo(address, 2);
        expect(first?.text).not.toContain(number);
        expect(followUp?.subject).toContain('התקבל מספר הקצאה');
        expect(followUp?.text).toContain(number);
        expect(await attachmentOf(followUp)).toContain(number);
      }
      await expectVerified(stack, issuer);
      await mailsTo(to, 2);
      await mailsTo(accountant, 2);
    });

    it('a refusal during the hold sends the message at once, and nothing states that a number is being obtained', async () => {
      const { issuer, to, document } = await issueWhileDown({});
      await stack.setMode('tax_authority', { mode: 'refuse' });
      const [mail] = await mailsTo(to, 1);
      for (const text of [
        await attachmentOf(mail),
        await textOf(document.pdf_url),
        await pageOf(document),
        mail?.text,
      ]) {
        expect(text).not.toContain('הקצאה');
        expect(text).not.toContain(pendingWords);
      }
      await expectVerified(stack, issuer);
    });
  });
}
