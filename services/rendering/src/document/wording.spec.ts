import { describe, expect, it } from '@jest/globals';
import { phrase, wording } from './wording.js';

describe('phrase', () => {
  it('a statutory phrase has its Hebrew words beside the English ones, marked as Hebrew', () => {
    expect(phrase(wording.original, 'en').text).toBe('Original · <bdi lang="he">מקור</bdi>');
    expect(phrase(wording.vat, 'en').text).toBe('VAT (<bdi lang="he">מס ערך מוסף</bdi>)');
  });

  it('Hebrew words keep their order with the figures among them', () => {
    expect(phrase(wording.donationApproval, 'en').text).toMatch(
      / · <bdi lang="he">למוסד אישור מס הכנסה לענין תרומות לפי סעיף 46 לפקודה<\/bdi>$/,
    );
  });

  it('a phrase in Hebrew has no marks', () => {
    expect(phrase(wording.vat, 'he').text).toBe('מס ערך מוסף (מע&quot;מ)');
  });
});
