import { describe, expect, it } from '@jest/globals';
import { said, wording } from './wording.js';

describe('words that the law prescribes', () => {
  it('stand in Hebrew beside the English ones, and are told as Hebrew', () => {
    expect(said(wording.original, 'en').text).toBe('Original · <bdi lang="he">מקור</bdi>');
    expect(said(wording.vat, 'en').text).toBe('VAT (<bdi lang="he">מס ערך מוסף</bdi>)');
  });

  it('keep their order with the figures among them', () => {
    expect(said(wording.donationApproval, 'en').text).toMatch(
      / · <bdi lang="he">למוסד אישור מס הכנסה לענין תרומות לפי סעיף 46 לפקודה<\/bdi>$/,
    );
  });

  it('stand as they are in Hebrew', () => {
    expect(said(wording.vat, 'he').text).toBe('מע&quot;מ / מס ערך מוסף');
  });
});
