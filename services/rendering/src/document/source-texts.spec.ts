import { describe, expect, it } from '@jest/globals';
import { html, isolate, Markup } from '@pinkas/design';
import { sourceTexts } from './source-texts.js';

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
