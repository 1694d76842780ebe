import { describe, expect, it } from '@jest/globals';
import { html, isolate, Markup } from '@pinkas/ui';
import { sourceTexts } from './source-texts.js';
import { phrase, wording } from './wording.js';

describe('sourceTexts', () => {
  it('the texts come in their order, as a browser shows them, with the language around them', () => {
    const markup = html`<p lang="he">${isolate('IBM בע"מ <\n 5>', 'he')} סוף</p><img alt="x"><p>end &amp; <br>more</p>`;
    expect(sourceTexts(markup, 'en')).toEqual([
      { text: 'IBM', language: 'en' },
      { text: ' בע"מ < 5>', language: 'he' },
      { text: ' סוף', language: 'he' },
      { text: 'end & ', language: 'en' },
      { text: 'more', language: 'en' },
    ]);
  });

  it('an attribute is no text', () => {
    expect(sourceTexts(new Markup('<p title="a &lt;b&gt; c">d</p>'), 'he')).toEqual([
      { text: 'd', language: 'he' },
    ]);
  });
});

describe('phrase', () => {
  it('a statutory phrase has its Hebrew words next to the English ones, marked as Hebrew', () => {
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
