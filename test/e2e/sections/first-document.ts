import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compile, DocumentDetail, ErrorBody, NewDocument, serviceNames } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { expectVerified } from '../../harness/book.js';
import { type Issuer, invoice, type RunningStack, sendsMail } from '../../harness/running-stack.js';

const run = promisify(execFile);

export function firstDocument(system: () => RunningStack): void {
  describe('first document', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    let folder: string;
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
      folder = await mkdtemp(join(tmpdir(), 'pinkas-pdf-'));
    });
    afterAll(async () => {
      await rm(folder, { recursive: true, force: true });
    });

    const fetchPdf = async (url: string, name: string) => {
      const response = await fetch(url);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/pdf');
      const file = join(folder, name);
      await writeFile(file, Buffer.from(await response.arrayBuffer()));
      return file;
    };
    const textOf = async (file: string) => (await run('pdftotext', [file, '-'])).stdout;

    it('pinkas doctor finds every process and no failure in a system that works', async () => {
      type Report = { ok: boolean; checks: { subject: string; state: string; processes: string[] }[] };
      // A process may be without processor time for longer than the command waits.
      const { checks } = await eventually('a report without a failure', async () => {
        const report = await stack.pinkas<Report>('doctor');
        return report.ok && report;
      });
      const stateOf = (name: string) => checks.find(({ subject }) => subject === name)?.state;
      expect(serviceNames.map(stateOf)).toEqual(serviceNames.map(() => 'ok'));
      // It is a system for trying out, and states that.
      expect(['public addresses', 'TAX_AUTHORITY_URL'].map(stateOf)).toEqual(['warning', 'warning']);
    });

    it('POST /documents returns number, totals and allocation number, and page, signed PDF and email follow', async () => {
      const answer = await stack.issue(
        issuer.key,
        invoice(6000, { external_ref: 'order-1', notes: 'תודה על הקנייה' }),
      );
      expect(answer.status).toBe(201);
      expect(compile(NewDocument)(answer.body)).toMatchObject({ ok: true });
      const document = answer.body;
      expect(document).toMatchObject({
        type: 'tax_invoice',
        number: 1,
        status: 'open',
        external_ref: 'order-1',
        totals: {
          subtotal: 6000,
          discount: 0,
          vat: 1080,
          vat_rate: 18,
          total: 7080,
          paid: 0,
          currency: 'ILS',
        },
        allocation: { status: 'issued', reason: null },
        delivery: { status: 'queued', channel: 'email', scheduled_for: null },
      });
      expect(document.allocation_number).toMatch(/^\d{9}$/);
      expect(document.allocation.number).toBe(document.allocation_number);

      const pdf = await eventually('the PDF has the allocation number', async () => {
        const file = await fetchPdf(document.pdf_url, 'allocated.pdf');
        return (await textOf(file)).includes(document.allocation_number ?? '-') ? file : undefined;
      });
      const text = await textOf(pdf);
      expect(text).toContain('7,080.00');
      expect(text).toContain('חשבונית מס');
      expect(text).toContain('שירות לדוגמה');

      const page = await fetch(document.view_url);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      const html = await page.text();
      expect(html).toContain('שירות לדוגמה');
      expect(html).toContain(document.allocation_number);

      const [mail] = await eventually('the mail has arrived', async () => {
        const mails = (await stack.mailsTo('customer@example.com')).filter((mail) =>
          mail.text.includes(document.view_url),
        );
        return mails.length > 0 ? mails : undefined;
      });
      expect(mail?.text).toContain(document.view_url);
      expect(mail?.attachments).toMatchObject([{ contentType: 'application/pdf' }]);
      const { mailbox_url } = await stack.file();
      const attached = await fetch(`${mailbox_url}/messages/${mail?.id}/attachments/0`);
      const file = join(folder, 'attached.pdf');
      await writeFile(file, Buffer.from(await attached.arrayBuffer()));
      expect(await textOf(file)).toContain(document.allocation_number);

      const read = await stack.call<DocumentDetail>(issuer.key, 'GET', `/documents/${document.id}`);
      expect(read.status).toBe(200);
      expect(compile(DocumentDetail)(read.body)).toMatchObject({ ok: true });
      expect(read.body).toMatchObject({
        id: document.id,
        number: document.number,
        totals: document.totals,
        allocation_number: document.allocation_number,
        notes: 'תודה על הקנייה',
        items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 6000, line_total: 6000, sku: null }],
      });
    });

    it('the customer gets one email and one WhatsApp message with the address of the page', async () => {
      const both = await stack.newIssuer({
        auto_send: { enabled: true, channel: 'both', quiet_hours: null },
      });
      const email = `${randomUUID()}@example.com`;
      const { body: document } = await stack.issue(
        both.key,
        invoice(100, { customer: { name: 'לקוח לדוגמה', email, phone: '050-123-4567' } }),
      );
      expect(document.delivery).toEqual({ status: 'queued', channel: 'both', scheduled_for: null });
      const accepted = () =>
        stack
          .calls<{ accepted: { to: string; body: unknown }[] }>('whatsapp')
          .then((calls) => calls.accepted.filter((item) => item.to.endsWith('972501234567')));
      const [message] = await eventually('the message was taken', async () => {
        const messages = await accepted();
        return messages.length > 0 ? messages : undefined;
      });
      const publicId = new URL(document.view_url).pathname.split('/').at(-1);
      expect(JSON.stringify(message?.body)).toContain(`"${publicId}"`);
      await eventually('the mail has arrived', async () => (await stack.mailsTo(email)).length > 0);
      await expectVerified(stack);
      expect(await accepted()).toHaveLength(1);
      expect(await stack.mailsTo(email)).toHaveLength(1);
    });

    it('pdfsig, pdftotext and pdffonts find the PDF signed, readable and with embedded fonts', async () => {
      const { body } = await stack.issue(
        issuer.key,
        invoice(1234.5, { customer: { name: 'חברת הדוגמה הגדולה בע"מ' } }),
      );
      const file = await fetchPdf(body.pdf_url, 'golden.pdf');
      const { stdout: signature } = await run('pdfsig', ['-nocert', file]);
      expect(signature).toContain('Signature Validation: Signature is Valid.');
      expect(signature).toContain('Total document signed');
      const text = await textOf(file);
      expect(text).toContain('1,456.71');
      expect(text).toMatch(new RegExp(`\\b${body.number}\\b`));
      // Reading order: whole Hebrew phrases, letters and words not reversed.
      expect(text).toContain('חברת הדוגמה הגדולה');
      expect(text).toContain('שירות לדוגמה');
      const { stdout: fonts } = await run('pdffonts', [file]);
      const rows = fonts.trim().split('\n').slice(2);
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) {
        expect(row).toMatch(/\byes\s+(yes|no)\s+(yes|no)\s+\d+\s+\d+$/);
      }
      const { stdout: first } = await run('sha256sum', [file]);
      const { stdout: again } = await run('sha256sum', [await fetchPdf(body.pdf_url, 'golden-again.pdf')]);
      expect(again.split(' ')[0]).toBe(first.split(' ')[0]);
    });

    it('all ten document types are issued with PDF and page', async () => {
      const payments = [{ method: 'cash' as const, amount: 118 }];
      const { body: source } = await stack.issue(issuer.key, invoice(100));
      for (const [type, extra] of [
        ['quote', {}],
        ['order', {}],
        ['delivery_note', {}],
        ['return_note', {}],
        ['proforma', {}],
        ['tax_invoice', {}],
        ['tax_invoice_receipt', { payments }],
        ['receipt', { payments, based_on: source.id }],
        ['credit_note', { based_on: source.id }],
        ['donation_receipt', { payments }],
      ] as const) {
        const answer = await stack.issue(issuer.key, invoice(100, { type, ...extra }));
        expect([type, answer.status]).toEqual([type, 201]);
        expect(await textOf(await fetchPdf(answer.body.pdf_url, `${type}.pdf`))).toContain('118.00');
        expect((await fetch(answer.body.view_url)).status).toBe(200);
      }
    });

    it('GET /documents/{id} answers 404 for a document of another business', async () => {
      const other = await stack.newIssuer();
      const { body } = await stack.issue(issuer.key, invoice(100));
      const answer = await stack.call<ErrorBody>(other.key, 'GET', `/documents/${body.id}`);
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
    });

    it('a revoked key is rejected on the next request', async () => {
      const { id, key } = await stack.newKey(issuer.business.id);
      expect((await stack.call(key, 'GET', '/me')).status).toBe(200);
      await stack.pinkas('key', 'revoke', id);
      const answer = await stack.call<ErrorBody>(key, 'GET', '/me');
      expect([answer.status, answer.body.error.code]).toEqual([401, 'key_revoked']);
    });

    it('the database server refuses a service that connects to the database of another', async () => {
      const { postgres } = await stack.file();
      for (const service of serviceNames) {
        const own = await stack.database<unknown>(service);
        await expect(sql`select 1`.execute(own)).resolves.toBeDefined();
        await expect(sql`create table taken (id int)`.execute(own)).rejects.toThrow('permission denied');
        for (const neighbour of serviceNames.filter((name) => name !== service)) {
          const url = new URL(postgres[service]);
          url.pathname = new URL(postgres[neighbour]).pathname;
          const db = stack.databaseAt<unknown>(url.toString());
          await expect(sql`select 1`.execute(db)).rejects.toThrow('permission denied for database');
          await db.destroy();
        }
      }
    });
  });
}
