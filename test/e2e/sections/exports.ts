import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreateDocument } from '@pinkas/contracts';
import { type Issuer, invoice, type RunningStack } from '../../harness/running-stack.js';

const run = promisify(execFile);
const cash = (amount: number): NonNullable<CreateDocument['payments']> => [{ method: 'cash', amount }];

export function exports(system: () => RunningStack): void {
  describe('pinkas export', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    let home: string;
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer();
      home = await mkdtemp(join(tmpdir(), 'pinkas-exports-'));
      const gross = { prices_include_vat: true, discount: { type: 'percent', value: 5 } } as const;
      await stack.issueUntilAnswered(issuer.key, invoice(10, { type: 'quote' }));
      const { id } = await stack.issueUntilAnswered(issuer.key, invoice(99.9, gross));
      await stack.issueUntilAnswered(issuer.key, invoice(50, { type: 'credit_note', based_on: id }));
      await stack.issueUntilAnswered(issuer.key, invoice(100, { type: 'receipt', payments: cash(118) }));
    });
    afterAll(() => rm(home, { recursive: true, force: true }));

    it('the uniform files of a book are valid and as in the book, and their reports are printed', async () => {
      const year = new Date().getFullYear();
      const exported = await stack.pinkas<{ folder: string; records: object; left_out: object }>(
        ...['export', 'uniform', '--business', issuer.business.id],
        ...['--from', `${year - 1}-01-01`, '--to', `${year}-12-31`, '--out', home],
      );
      expect(exported).toMatchObject({
        records: { A100: 1, C100: 3, D110: 2, D120: 1, Z900: 1 },
        left_out: { documents: 1, receipt_lines: 1 },
      });
      expect(
        await stack.pinkas('export', 'check', exported.folder, '--against', issuer.business.id),
      ).toMatchObject({ ok: true, documents: 3, findings: [] });
      const { stdout } = await run('pdftotext', [join(exported.folder, 'totals-by-type.pdf'), '-']);
      expect(stdout).toContain('305');
      expect(stdout).toContain('118.00');
    });

    it('a line of an export as JSON is the answer of the HTTP API for its document, with further members behind it', async () => {
      const year = new Date().getFullYear();
      const out = join(home, 'jsonl');
      await stack.pinkas(
        ...['export', 'documents', '--business', issuer.business.id, '--format', 'jsonl'],
        ...['--from', `${year - 1}-01-01`, '--to', `${year}-12-31`, '--out', out],
      );
      const lines = (await readFile(join(out, 'documents-00001.jsonl'), 'utf8')).trimEnd().split('\n');
      expect(lines).toHaveLength(4);
      for (const line of lines) {
        const { pdf_sha256, hash, series_position, ...document } = JSON.parse(line);
        const { body } = await stack.call(issuer.key, 'GET', `/documents/${document.id}`);
        expect(document).toEqual(body);
        const further = { pdf_sha256, hash, series_position };
        expect(line).toBe(JSON.stringify({ ...body, ...further }));
        expect(series_position).toBe(document.number);
      }
    });

    it('the PDFs of a book are exported as they are stored', async () => {
      const year = new Date().getFullYear();
      const out = join(home, 'pdfs');
      const exported = await stack.pinkas<{ documents: number; missing_pdfs: string[] }>(
        ...['export', 'documents', '--business', issuer.business.id, '--format', 'pdf-zip'],
        ...['--from', `${year - 1}-01-01`, '--to', `${year}-12-31`, '--out', out],
      );
      expect(exported).toMatchObject({ documents: 4, missing_pdfs: [] });
      await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: out });
      const zip = await readFile(join(out, 'documents-00001.zip'), 'latin1');
      expect(zip).toContain('tax_invoice-1.pdf');
    });
  });
}
