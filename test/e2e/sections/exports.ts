import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreateDocument } from '@pinkas/contracts';
import { type Issuer, invoice, type RunningStack } from '../../harness/running-stack.js';
import { readByPaper, textOf, wholeOf } from '../../uniform/paper-reader.js';
import { variedBook } from '../../uniform/varied-book.js';

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

    /** A business with the varied book, which is issued once. */
    let varied: Promise<VariedBook> | undefined;
    const variedIssuer = () => {
      varied ??= issueVariedBook(stack);
      return varied;
    };

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

    it.each(['iso-8859-8', 'cp862'])(
      'the files of a varied book are valid by the instructions of the authority alone, in %s',
      async (charset) => {
        const own = await variedIssuer();
        const year = new Date().getFullYear();
        const { folder } = await stack.pinkas<{ folder: string }>(
          ...['export', 'uniform', '--business', own.business, '--charset', charset, '--drive', 'F'],
          ...['--from', `${year - 1}-01-01`, '--to', `${year}-12-31`, '--out', home],
        );
        const { findings, documents, ini } = await readByPaper(folder);
        expect(findings).toEqual([]);
        expect(textOf(ini, 1012)).toMatch(/^F:\\OPENFRMT\\/);
        const expected = own.issued.filter(({ type }) => type !== 'quote');
        expect(
          documents
            .map(({ type, number, header }) => [
              type,
              number,
              Number(wholeOf(header, 1223)) / 100,
              textOf(header, 1228),
            ])
            .sort(),
        ).toEqual(
          expected
            .map(({ type, number, total, isCancelled }) => [
              codes[type],
              String(number),
              total,
              isCancelled ? '1' : '',
            ])
            .sort(),
        );
        const bases = documents.flatMap(({ type, lines }) =>
          type === '400' ? [lines.map((line) => [line.get(1256), textOf(line, 1257)])] : [],
        );
        expect(bases).toEqual([[['305', '1']], [['300', '1']], []]);
        expect(documents.find(({ type }) => type === '405')?.header.get(1213)).toBe('US');
        expect(await stack.pinkas('export', 'check', folder, '--against', own.business)).toMatchObject({
          ok: true,
          findings: [],
        });
      },
    );

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

/** The types by their codes in appendix 1. */
const codes: Readonly<Record<string, string>> = {
  ...{ order: '100', delivery_note: '200', return_note: '210', proforma: '300', tax_invoice: '305' },
  ...{ tax_invoice_receipt: '320', credit_note: '330', receipt: '400', donation_receipt: '405' },
};

interface VariedBook {
  readonly business: string;
  readonly issued: readonly { type: string; number: number; total: number; isCancelled: boolean }[];
}

async function issueVariedBook(stack: RunningStack): Promise<VariedBook> {
  const { key, business } = await stack.newIssuer();
  const ids: string[] = [];
  const issued: VariedBook['issued'][number][] = [];
  for (const { body, base, cancel } of variedBook) {
    const based = base === undefined ? {} : { based_on: ids[base] ?? '' };
    const { id, type, number, totals } = await stack.issueUntilAnswered(key, { ...body, ...based });
    ids.push(id);
    issued.push({ type, number, total: totals.total, isCancelled: cancel === true });
    if (cancel) {
      const { status } = await stack.call(key, 'POST', `/documents/${id}/cancel`, { body: {} });
      expect(status).toBe(200);
    }
  }
  return { business: business.id, issued };
}
