import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type BusinessChange,
  type CreatedDocument,
  type DocumentPage,
  reportDonation,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { faultPathsOf } from '../error-table.js';
import { documentOf, newName, newTaxId } from '../example-bodies.js';
import { textOfPdf } from '../pdf-text.js';
import type { Issuer, Suite } from '../suite.js';

const institution: BusinessChange = {
  legal_type: 'amuta',
  tax_authority_connected: true,
  donation_approval: { number: '46-123', valid_until: null },
};

/** What a receipt states whose donation gives no credit, since no one reports it. */
const unreported = 'לא דווחה';

interface Reported {
  donations: { invoice_id: string; confirmation_number: string }[];
}

/** Rule 4.8 of section 4.4, and section 3.4. */
export function donations(suite: Suite): void {
  describe('4.4 rule 4.8 donations', () => {
    let issuer: Issuer;
    let receipt: CreatedDocument;
    const donation = () =>
      documentOf('donation_receipt', { customer: { name: newName(), tax_id: newTaxId() } });
    const listed = async (id: string) => {
      const { body } = await suite.get<DocumentPage>(issuer.key, '/documents');
      return body.data.find((document) => document.id === id);
    };
    const isReported = (id: string) =>
      eventually('the donation is reported', async () => {
        const document = await listed(id);
        return document?.donation?.status === 'reported' && document;
      });
    const numbersOf = async (id: string) =>
      (await suite.stack.calls<Reported>('tax_authority')).donations
        .filter(({ invoice_id }) => invoice_id.startsWith(id))
        .map(({ confirmation_number }) => confirmation_number);
    beforeAll(async () => {
      issuer = await suite.newIssuer(institution);
      receipt = await suite.issued(issuer.key, donation());
    });

    it('3.4 a donation of an approved and connected institution is reported after issuing, once', async () => {
      expect(['reported', 'pending']).toContain(receipt.donation?.status);
      const { donation: known, allocation_number } = await isReported(receipt.id);
      expect(known).toEqual({ status: 'reported', number: (await numbersOf(receipt.id))[0], reason: null });
      expect(await numbersOf(receipt.id)).toHaveLength(1);
      expect(allocation_number).toBeNull();
    });

    it('4.4 the page and the PDF of a reported donation have its number', async () => {
      const { donation: known } = await isReported(receipt.id);
      const [page, pdf] = await Promise.all([suite.visit(receipt.view_url), suite.visit(receipt.pdf_url)]);
      expect(page.text).toContain(known?.number);
      expect(await textOfPdf(pdf.bytes)).toContain(known?.number);
    });

    it('4.4 a donation by two means of payment is reported once for each, with both numbers on the receipt', async () => {
      const { id } = await suite.issued(issuer.key, {
        ...donation(),
        payments: [
          { method: 'cash', amount: 40 },
          { method: 'bank_transfer', amount: 60 },
        ],
      });
      const { donation: known } = await isReported(id);
      const numbers = await numbersOf(id);
      expect(numbers).toHaveLength(2);
      expect(known?.number).toBe(numbers.join(', '));
    });

    it('2.4 only a donation receipt has the member donation, also when it is read by its id', async () => {
      const { id } = await suite.issued(issuer.key, documentOf('receipt'));
      expect(await suite.read(issuer.key, id)).not.toHaveProperty('donation');
      expect(await suite.read(issuer.key, receipt.id)).toHaveProperty('donation.status', 'reported');
    });

    it('3.4 a donation of an institution without an approval is not reported: not_required', async () => {
      const { key } = await suite.newIssuer({ legal_type: 'amuta', tax_authority_connected: true });
      const { donation: known, id } = await suite.issued(key, donation());
      expect(known).toEqual({ status: 'not_required', number: null, reason: expect.stringMatching(/\S/) });
      expect(await numbersOf(id)).toEqual([]);
    });

    it('4.4 a donation that was issued before its institution was connected is reported on request, and its page has the number', async () => {
      const early = await suite.newIssuer({ ...institution, tax_authority_connected: false });
      const { id, view_url, donation: known } = await suite.issued(early.key, donation());
      expect(known).toMatchObject({
        status: 'not_required',
        reason: expect.stringContaining('not connected'),
      });
      expect((await suite.visit(view_url)).text).toContain(unreported);
      const business = { ...early.business, tax_authority_connected: true };
      const request = { business, document_id: id };
      expect((await suite.callContract(reportDonation, request)).donation.status).toBe('pending');
      const [number] = await eventually('the donation is reported', async () => {
        const { body } = await suite.get<DocumentPage>(early.key, '/documents');
        return body.data[0]?.donation?.status === 'reported' && numbersOf(id);
      });
      const page = await eventually('the page has the number', async () => {
        const { text } = await suite.visit(view_url);
        return number !== undefined && text.includes(number) && text;
      });
      expect(page).not.toContain(unreported);
      expect((await suite.callContract(reportDonation, request)).donation.status).toBe('reported');
      expect(await numbersOf(id)).toHaveLength(1);
    });

    it('2.6 foreign_donor belongs to a donation_receipt without customer.tax_id', async () => {
      const foreign_donor = { country: 'FR', passport: '12AB34567' };
      const named = { customer: { name: newName() }, foreign_donor };
      const { id } = await suite.issued(issuer.key, { ...donation(), ...named });
      await isReported(id);
      const faults = async (body: object) => faultPathsOf(await suite.issue(issuer.key, body));
      expect(await faults({ ...donation(), foreign_donor })).toEqual(['/foreign_donor']);
      expect(await faults({ ...documentOf('receipt'), ...named })).toEqual(['/foreign_donor']);
      expect(await faults({ ...donation(), ...named, foreign_donor: { country: 'fr' } })).toEqual([
        '/foreign_donor/country',
      ]);
    });
  });
}
