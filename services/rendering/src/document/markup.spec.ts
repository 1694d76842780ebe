import { describe, expect, it } from '@jest/globals';
import { escapeHtml, figures, given, html, joined } from './markup.js';

describe('markup', () => {
  it('lets no given text become markup', () => {
    expect(html`<p title="${'"><script>'}">${"<b>&'"}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;&amp;&#39;</p>',
    );
  });

  it('keeps markup that was made here', () => {
    expect(html`<ul>${[html`<li>${1}</li>`, html`<li>${'2'}</li>`]}</ul>${null}${false}`.text).toBe(
      '<ul><li>1</li><li>2</li></ul>',
    );
  });

  it('isolates what a person typed', () => {
    expect(given('ABC <x>').text).toBe('<bdi>ABC &lt;x&gt;</bdi>');
    expect(figures('+972-4').text).toBe('<bdi dir="ltr">+972-4</bdi>');
  });

  it('lets no control of direction out of a text, whether it overrides, embeds or ends an isolate', () => {
    const controls = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u206a\u206f';
    expect(given(`100${controls}שקל\u2028`).text).toBe('<bdi>100שקל</bdi>');
    // Marks, which reach no further than their own text, and joiners, which emoji are made with, stay.
    expect(escapeHtml('\u200eא\u200f👩\u200d💻')).toBe('\u200eא\u200f👩\u200d💻');
  });

  it('drops what has no picture, and keeps line breaks and emoji', () => {
    expect(escapeHtml('a\u0000b\u0007\nc\ttail\ud800 😀\uffff')).toBe('ab\nc\ttail 😀');
  });

  it('joins only what is there', () => {
    expect(joined([null, html`a`, null, html`b`], ' · ').text).toBe('a · b');
  });
});
