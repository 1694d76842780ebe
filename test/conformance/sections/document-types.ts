import { describe, expect, it } from '@jest/globals';
import { type DocumentTypeEntry } from '@pinkas/contracts';
import { type BusinessLegalType, type DocumentType, documentTypes } from '@pinkas/domain';
import { faultPathsOf } from '../error-table.js';
import { typesWithPayments } from '../example-bodies.js';
import { type Issuer, type Suite } from '../suite.js';
import { answersTo } from '../tables.js';
import { expectedSources, forbiddenToExempt } from '../type-tables.js';

const legalTypes = ['osek_murshe', 'hevra_baam', 'osek_patur', 'amuta', 'public_institution'] as const;

interface Actual {
  issuer: Issuer;
  entries: DocumentTypeEntry[];
}

/** Sections 2.1, 2.3 and 4.2: GET /document-types. */
export function documentTypeList(suite: Suite): void {
  describe('4.2 GET /document-types (2.1, 2.3)', () => {
    const of = answersTo(legalTypes, async (legalType): Promise<Actual> => {
      const issuer = await suite.newIssuer({ legal_type: legalType });
      const answer = await suite.get<{ data: DocumentTypeEntry[] }>(issuer.key, '/document-types');
      return { issuer, entries: answer.body.data };
    });
    const entry = (legalType: BusinessLegalType, type: DocumentType) =>
      of(legalType).entries.find((entry) => entry.type === type);

    it.each(legalTypes)(
      '4.2 lists for a business of type %s the types that it may issue, and no others',
      (legalType) => {
        const isExempt = legalType !== 'osek_murshe' && legalType !== 'hevra_baam';
        const expected = documentTypes.filter((type) => !isExempt || !forbiddenToExempt.includes(type));
        expect(
          of(legalType)
            .entries.map(({ type }) => type)
            .sort(),
        ).toEqual([...expected].sort());
      },
    );

    it('4.2 lists the same types as the profile', async () => {
      for (const legalType of legalTypes) {
        const { issuer, entries } = of(legalType);
        const { allowed_document_types: allowed } = await suite.me(issuer.key);
        expect([...allowed].sort()).toEqual(entries.map(({ type }) => type).sort());
      }
    });

    it.each(documentTypes)('2.1 %s: payments, discount and sources are those of the tables', (type) => {
      const actual = entry('hevra_baam', type);
      expect(actual).toMatchObject({
        requires_payments: typesWithPayments.includes(type),
        allows_discount: type !== 'receipt' && type !== 'donation_receipt',
        based_on_required: type === 'credit_note',
      });
      expect([...(actual?.based_on_types ?? [])].sort()).toEqual([...expectedSources[type]].sort());
    });

    it('2.3 every type has a name in English and one in Hebrew', () => {
      for (const { name, name_he } of of('osek_murshe').entries) {
        expect(name).toMatch(/^[A-Z][A-Za-z/ ]+$/);
        expect(name_he).toMatch(/^[\u05d0-\u05ea /]+$/);
      }
    });

    it('4.2 takes no parameters', async () => {
      const answer = await suite.get(of('amuta').issuer.key, '/document-types?type=quote');
      expect(faultPathsOf(answer)).toEqual(['/query/type']);
    });
  });
}
