import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CreatedDocument } from '@pinkas/contracts';
import { documentTypeRules, documentTypes } from '@pinkas/domain';
import { eventually } from '@pinkas/testkit';
import { documentOf, newName, quote } from '../example-bodies.js';
import { textOfPdf } from '../pdf-text.js';
import type { Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';

/** Section 2.4, view_url and pdf_url, and the decisions on pages and documents. */
export function pages(suite: Suite): void {
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  describe('2.4 view_url and pdf_url', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await suite.newIssuer({ auto_send: { enabled: true, channel: 'email', quiet_hours: null } });
    });
    const opened = answersTo(documentTypes, async (type) => {
      const source =
        type === 'credit_note' ? await suite.issued(issuer.key, documentOf('tax_invoice')) : undefined;
      const document = await suite.issued(
        issuer.key,
        documentOf(type, source ? { based_on: source.id } : {}),
      );
      // At once: from the moment of the 201 both work.
      const [page, pdf] = await Promise.all([suite.visit(document.view_url), suite.visit(document.pdf_url)]);
      return { document, page, pdf, text: await textOfPdf(pdf.bytes) };
    });

    it.each(documentTypes)(
      'decisions, Pages: the page of a %s opens without a key, from the moment of the 201',
      (type) => {
        const { document, page } = opened(type);
        expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
        expect(page.text).toContain(documentTypeRules[type].nameHe);
        expect(page.text).toContain(document.pdf_url);
      },
    );

    it.each(documentTypes)(
      'decisions, Pages: so does the signed PDF of a %s, computerized, and the original where the law wants one',
      (type) => {
        const { document, pdf, text } = opened(type);
        expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);
        expect(pdf.bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-');
        expect(pdf.bytes.toString('latin1')).toContain('/ByteRange');
        for (const word of documentTypeRules[type].nameHe.split(' / ')) {
          expect(text).toContain(word);
        }
        expect(text).toContain(String(document.number));
        expect(text).toContain('100.00');
        expect(text).toContain('מסמך ממוחשב');
        const hasOriginal = !['quote', 'order', 'return_note'].includes(type);
        expect(text.includes('מקור | מסמך ממוחשב')).toBe(hasOriginal);
      },
    );

    it('decisions, Pages: they are not indexed, and the page runs nothing', () => {
      const { page, pdf } = opened('quote');
      for (const { headers } of [page, pdf]) {
        expect(headers['x-robots-tag']).toContain('noindex');
      }
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      expect(page.text).not.toContain('<script');
    });

    it('decisions, Settled, Requests: pages have no RateLimit headers', () => {
      const { page, pdf } = opened('order');
      for (const { headers } of [page, pdf]) {
        expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
      }
    });

    it('decisions, Pages: pdf_url serves the same bytes each time', async () => {
      const { document, pdf } = opened('tax_invoice');
      const again = await suite.visit(document.pdf_url);
      expect(sha256(again.bytes)).toBe(sha256(pdf.bytes));
    });

    it('decisions, Pages: no one guesses an address', async () => {
      const { document } = opened('receipt');
      for (const url of [document.view_url, document.pdf_url]) {
        const other = url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A');
        expect((await suite.visit(other)).status).toBe(404);
        expect((await suite.visit(url.replace(document.public_id, document.id))).status).toBe(404);
        expect(
          (await suite.visit(url.replace(document.public_id, document.public_id.toLowerCase()))).status,
        ).toBe(404);
      }
    });

    it('markup in texts of a caller is on the page as text', async () => {
      const hostile = '<script>alert(1)</script>&"\'';
      const { view_url } = await suite.issued(
        issuer.key,
        quote({ customer: { name: `${newName()} ${hostile}` }, notes: hostile, title: hostile }),
      );
      const { text } = await suite.visit(view_url);
      expect(text).not.toContain('<script>alert');
      expect(text).toContain('&lt;script&gt;alert');
    });

    it('2.6 title and notes are printed', async () => {
      const { pdf_url } = await suite.issued(
        issuer.key,
        quote({ title: 'כותרת ראשית', notes: 'הערה בתחתית' }),
      );
      const text = await textOfPdf((await suite.visit(pdf_url)).bytes);
      expect(text).toContain('כותרת ראשית');
      expect(text).toContain('הערה בתחתית');
    });

    describe('of a cancelled document', () => {
      let document: CreatedDocument;
      let original: Buffer;
      beforeAll(async () => {
        document = await suite.issued(issuer.key, quote());
        original = (await suite.visit(document.pdf_url)).bytes;
        await suite.cancel(issuer.key, document.id);
      });

      it('the page states it at once', async () => {
        expect((await suite.visit(document.view_url)).text).toContain('מבוטל');
      });

      it('the PDF states it', async () => {
        const text = await eventually('the PDF says that it is cancelled', async () => {
          const actual = await textOfPdf((await suite.visit(document.pdf_url)).bytes);
          return actual.includes('מבוטל') ? actual : undefined;
        });
        expect(text).toContain('מסמך ממוחשב');
        expect(await textOfPdf(original)).not.toContain('מבוטל');
      });
    });

    it('decisions, Pages: the page shows the state of now', async () => {
      const invoice = await suite.issued(issuer.key, documentOf('tax_invoice'));
      expect((await suite.visit(invoice.view_url)).text).toMatch(/class="status open">לתשלום עד/);
      await suite.issued(issuer.key, documentOf('receipt', { based_on: invoice.id }));
      expect((await suite.visit(invoice.view_url)).text).toMatch(/class="status closed">שולם</);
    });

    it('a language of the business is the language of its documents', async () => {
      const english = await suite.newIssuer({ language: 'en' });
      const { pdf_url } = await suite.issued(english.key, quote());
      expect(await textOfPdf((await suite.visit(pdf_url)).bytes)).toContain('Quote');
    });

    it('decisions, Requests: the five wallets are printed by their labels', async () => {
      const wallets = ['ביט', 'פייבוקס', 'פייפאל', 'גוגל פיי', 'אפל פיי'];
      const { pdf_url } = await suite.issued(
        issuer.key,
        documentOf('receipt', {
          payments: wallets.map((_, index) => ({
            method: `wallet_method_${index + 1}` as 'cash',
            amount: 20,
          })),
        }),
      );
      const text = await textOfPdf((await suite.visit(pdf_url)).bytes);
      for (const label of wallets) {
        expect(text).toContain(label);
      }
    });
  });
}
