import { describe, expect, it } from '@jest/globals';
import { type Business, type IssuedDocument } from '@pinkas/contracts';
import { sampleBusiness, sampleDocument } from '../../test/sample-documents.js';
import { textOfSheet } from '../../test/sheet-text.js';
import type { Sheet } from './sheet.js';

describe('a donation receipt on paper', () => {
  it('a donation receipt states donation, and names the approval of an institution', () => {
    const approved = (donation_approval: Business['donation_approval'], date = '2026-03-08') => {
      const business = sampleBusiness({
        legal_type: 'amuta',
        ...(donation_approval && { donation_approval }),
      });
      return textOfSheet({ business, document: sampleDocument('donation_receipt', business, { date }) });
    };
    const sentence = 'למוסד אישור מס הכנסה לענין תרומות לפי סעיף 46 לפקודה';
    expect(approved({ number: '46-123', valid_until: '2026-03-08' })).toContain(
      `תרומה ${sentence} (אישור מס׳ 46-123 , בתוקף עד 08/03/2026 )`,
    );
    expect(approved({ number: '46-123', valid_until: null })).toContain(`${sentence} (אישור מס׳ 46-123 )`);
    expect(approved({ number: '46-123', valid_until: '2026-03-07' })).not.toContain('סעיף 46');
  });

  it('a donation receipt of an institution that is not approved names no approval, whatever its legal type', () => {
    for (const legal_type of ['amuta', 'public_institution'] as const) {
      const business = sampleBusiness({ legal_type });
      const text = textOfSheet({ business, document: sampleDocument('donation_receipt', business) });
      expect(text).toContain('תרומה');
      expect(text).not.toContain('סעיף 46');
    }
  });

  describe('a donation receipt of an institution that reports', () => {
    const business = sampleBusiness({
      legal_type: 'amuta',
      tax_authority_connected: true,
      donation_approval: { number: '46-123', valid_until: null },
    });
    const sheetText = (
      change: Partial<Sheet>,
      document: Partial<IssuedDocument> = {},
      own: Partial<Business> = {},
    ) => {
      const issuer = { ...business, ...own };
      return textOfSheet({
        business: issuer,
        document: sampleDocument('donation_receipt', issuer, document),
        ...change,
      });
    };

    it('a receipt shows the number of its report, and until then that it is being obtained', () => {
      expect(sheetText({ allocationNumber: '405123456789' })).toContain(
        'מספר דיווח לרשות המסים 405123456789',
      );
      expect(sheetText({ numberPending: true })).toContain('מספר דיווח לרשות המסים בתהליך קבלה מרשות המסים');
      expect(sheetText({ numberPending: true })).not.toContain('מספר הקצאה');
    });

    it('a receipt states that it is not reported where no number is obtained any more', () => {
      expect(sheetText({})).toContain('דיווח לרשות המסים לא דווח');
    });

    it('a receipt states that its report is cancelled, with the number that it had', () => {
      const text = sheetText({ allocationNumber: '405123456789', reportCancelled: true });
      expect(text).toContain('דיווח בוטל');
      expect(text).toContain('אינה מזכה בזיכוי ממס');
      expect(text).toContain('405123456789');
    });

    it('a receipt states that it is anonymous where its donor has no id, and names the country of one who lives abroad', () => {
      const { customer } = sampleDocument('donation_receipt', business);
      const unknown = { ...customer, tax_id: null };
      expect(sheetText({}, { customer: unknown })).toContain('תרומה בעילום שם');
      expect(sheetText({})).not.toContain('תרומה בעילום שם');
      const foreign = sheetText(
        {},
        { customer: unknown, foreign_donor: { country: 'FR', passport: '12AB' } },
      );
      expect(foreign).toContain('תושב חוץ ( FR ), דרכון 12AB');
      expect(foreign).not.toContain('תרומה בעילום שם');
    });

    it('a receipt claims no credit where its institution is not connected, from 2026 on', () => {
      const unconnected = { tax_authority_connected: false };
      expect(sheetText({}, {}, unconnected)).toContain('זיכוי ממס מותנה בדיווח');
      expect(sheetText({}, { date: '2025-12-31' }, unconnected)).not.toContain('מותנה בדיווח');
      expect(sheetText({})).not.toContain('מותנה בדיווח');
    });

    it('a receipt that has a number claims a credit, also where its institution was not connected at its issue', () => {
      const { customer } = sampleDocument('donation_receipt', business);
      const donor = { customer: { ...customer, tax_id: null } };
      const text = sheetText({ allocationNumber: '405123456789' }, donor, { tax_authority_connected: false });
      expect(text).toContain('405123456789');
      expect(text).toContain('תרומה בעילום שם');
      expect(text).not.toContain('מותנה בדיווח');
    });
  });
});
