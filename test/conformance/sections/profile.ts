import { beforeAll, describe, expect, it } from '@jest/globals';
import { documentTypes } from '@pinkas/domain';
import { faultPathsOf } from '../error-table.js';
import { quote } from '../example-bodies.js';
import type { Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';

/** Which types each legal type of business may issue (interface 2.1), and what it is called in Hebrew. */
const exempt = ['quote', 'order', 'delivery_note', 'return_note', 'proforma', 'receipt', 'donation_receipt'];
const legalTypes = [
  { legalType: 'osek_murshe', he: 'עוסק מורשה', rate: 18, may: documentTypes },
  { legalType: 'hevra_baam', he: 'חברה בע"מ', rate: 18, may: documentTypes },
  { legalType: 'osek_patur', he: 'עוסק פטור', rate: 0, may: exempt },
  { legalType: 'amuta', he: 'עמותה', rate: 0, may: exempt },
  { legalType: 'public_institution', he: 'מוסד ציבורי', rate: 0, may: exempt },
] as const;

/** Sections 2.2 and 4.1: GET /me. */
export function profile(suite: Suite): void {
  describe('4.1 GET /me (2.2)', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await suite.newIssuer(
        {
          name: 'עסק לדוגמה לפרופיל',
          tax_id: '514713288',
          vat_rate: 17,
          prices_include_vat: true,
          tax_authority_connected: true,
          allocation_threshold_net: 7000.5,
          auto_send: { enabled: true, channel: 'both', quiet_hours: '22:00-07:30' },
        },
        {
          name: 'example shop',
          scopes: ['documents:write', 'customers:read'],
          per_minute: 777,
          daily_documents: 42,
        },
      );
    });

    it('2.2 returns the business, its settings, its limits and the key', async () => {
      const actual = await suite.me(issuer.key);
      expect(actual).toEqual({
        business: {
          id: issuer.business.id,
          name: 'עסק לדוגמה לפרופיל',
          legal_type: 'hevra_baam',
          legal_type_he: 'חברה בע"מ',
          tax_id: '514713288',
          vat_rate: 17,
          prices_include_vat: true,
        },
        allowed_document_types: documentTypes,
        tax_authority_connected: true,
        allocation_threshold_net: 7000.5,
        auto_send: { enabled: true, channel: 'both', quiet_hours: '22:00-07:30' },
        limits: { per_minute: 777, daily_documents: 42, used_today: 0 },
        key: {
          name: 'example shop',
          prefix: actual.key.prefix,
          scopes: ['documents:write', 'customers:read'],
          created_at: actual.key.created_at,
        },
        mode: 'live',
      });
      expect(Date.parse(actual.key.created_at)).toBeLessThanOrEqual(Date.now() + 1_000);
    });

    it('2.2 key.prefix is how the key begins, and too short to be guessed from', async () => {
      const { prefix } = (await suite.me(issuer.key)).key;
      expect(prefix.length).toBeGreaterThan(3);
      expect(issuer.key.startsWith(prefix)).toBe(true);
      expect(issuer.key.length - prefix.length).toBeGreaterThanOrEqual(20);
    });

    it('2.2 limits.used_today counts the documents that this key issued, one each', async () => {
      const other = await suite.newKey(issuer.business.id);
      await suite.issued(issuer.key, quote());
      await suite.issued(issuer.key, quote());
      await suite.issued(other.key, quote());
      expect((await suite.me(issuer.key)).limits.used_today).toBe(2);
      expect((await suite.me(other.key)).limits.used_today).toBe(1);
    });

    it('decisions, Fields: what the business does not have is null', async () => {
      const bare = await suite.newIssuer({ tax_id: null });
      const actual = await suite.me(bare.key);
      expect([actual.business.tax_id, actual.auto_send.quiet_hours]).toEqual([null, null]);
    });

    it('2.2 the allocation threshold is 5000 ILS net unless the business has its own', async () => {
      expect((await suite.me((await suite.newIssuer()).key)).allocation_threshold_net).toBe(5000);
    });

    it('5.4 a default key has all three scopes; 8 it may send 60 requests a minute and issue 300 documents a day', async () => {
      const { key } = await suite.newKey(issuer.business.id, {
        per_minute: undefined,
        daily_documents: undefined,
      });
      const actual = await suite.me(key);
      expect([...actual.key.scopes].sort()).toEqual(['customers:read', 'documents:read', 'documents:write']);
      expect(actual.limits).toEqual({ per_minute: 60, daily_documents: 300, used_today: 0 });
    });

    it('4.1 takes no parameters', async () => {
      expect(faultPathsOf(await suite.get(issuer.key, '/me?verbose=1'))).toEqual(['/query/verbose']);
    });

    it('decisions, Settled, Rules: a change of the business shows in the very next answer', async () => {
      const own = await suite.newIssuer();
      await suite.change(own, { name: 'עסק לדוגמה אחרי שינוי', vat_rate: 16.5 });
      expect((await suite.me(own.key)).business).toMatchObject({
        name: 'עסק לדוגמה אחרי שינוי',
        vat_rate: 16.5,
      });
    });

    describe('2.2 and decisions, Documents: each legal type of business', () => {
      const actual = answersTo(legalTypes, async ({ legalType }) =>
        suite.me((await suite.newIssuer({ legal_type: legalType })).key),
      );
      it.each(legalTypes.map((entry) => [entry.legalType, entry] as const))(
        '%s has its Hebrew label, its types of document and its rate',
        (legalType, entry) => {
          const { business, allowed_document_types } = actual(entry);
          expect([business.legal_type, business.legal_type_he]).toEqual([legalType, entry.he]);
          expect([...allowed_document_types].sort()).toEqual([...entry.may].sort());
          expect(business.vat_rate).toBe(entry.rate);
        },
      );
    });
  });
}
