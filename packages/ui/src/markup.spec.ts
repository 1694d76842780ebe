import { describe, expect, it } from '@jest/globals';
import { escapeHtml } from './escape-html.js';
import { compact, html, isolate, join, leftToRight, plainText } from './markup.js';

describe('markup', () => {
  it('the html tag escapes every text', () => {
    expect(html`<p title="${'"><script>'}">${"<b>&'"}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;&amp;&#39;</p>',
    );
  });

  it('the html tag inserts markup unchanged', () => {
    expect(html`<ul>${[html`<li>${1}</li>`, html`<li>${'2'}</li>`]}</ul>${null}${false}`.text).toBe(
      '<ul><li>1</li><li>2</li></ul>',
    );
  });

  it('the compact tag leaves out the line breaks and indentation of the source, and no character of a value', () => {
    expect(
      compact`
      <p>
        ${'a\n  b'} <b>c</b>${' '}
        d
      </p>`.text,
    ).toBe('<p>a\n  b <b>c</b> d</p>');
  });

  it('isolate and leftToRight isolate a text from the words around it', () => {
    expect(isolate('ABC <x>', 'he').text).toBe('<bdi dir="ltr" lang="en">ABC &lt;x&gt;</bdi>');
    expect(isolate('הנחה -5%', 'he').text).toBe('<bdi dir="rtl">הנחה <bdi dir="ltr">-5%</bdi></bdi>');
    expect(isolate('הנחה -5% off', 'en').text).toBe(
      '<bdi dir="ltr"><span lang="he">הנחה</span> -5% off</bdi>',
    );
    expect(leftToRight('+972-4').text).toBe('<bdi dir="ltr" class="whole">+972-4</bdi>');
    expect(leftToRight('12,345.00').text).toBe('<bdi dir="ltr">12,345.00</bdi>');
  });

  it('a text says which of its words are in the other language', () => {
    expect(isolate('IBM ישראל בע"מ (Zoom 5)', 'he').text).toBe(
      '<bdi dir="rtl"><span lang="en">IBM</span> ישראל בע&quot;מ (<span lang="en">Zoom</span> 5)</bdi>',
    );
    expect(isolate('Company בע"מ Ltd', 'en').text).toBe(
      '<bdi dir="ltr">Company <span lang="he">בע&quot;מ</span> Ltd</bdi>',
    );
    expect(isolate('חברה 5', 'en').text).toBe('<bdi dir="rtl" lang="he">חברה 5</bdi>');
    expect(isolate('חברה 5', 'he').text).toBe('<bdi dir="rtl">חברה 5</bdi>');
    expect(isolate('12/4', 'he').text).toBe('<bdi dir="ltr">12/4</bdi>');
    expect(leftToRight('office@example.com').text).toBe('<bdi dir="ltr" lang="en">office@example.com</bdi>');
  });

  it('plainText removes controls of direction, whether they override, embed or end an isolate', () => {
    const controls = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u206a\u206f';
    expect(isolate(`100${controls}שקל\u2028`, 'he').text).toBe('<bdi dir="rtl">100שקל</bdi>');
    // Marks, which reach no further than their own text, and joiners, which emoji are made with, stay.
    expect(plainText('\u200eא\u200f👩\u200d💻')).toBe('\u200eא\u200f👩\u200d💻');
  });

  it('plainText removes control characters, and keeps line breaks and emoji', () => {
    expect(plainText('a\u0000b\u0007\nc\ttail\ud800 😀\uffff')).toBe('ab\nc\ttail 😀');
  });

  it('join leaves out null parts', () => {
    expect(join([null, html`a`, null, html`b`], ' · ').text).toBe('a · b');
  });
});

describe('escapeHtml', () => {
  it('escapeHtml replaces every character that can end a text or a quoted attribute value', () => {
    expect(escapeHtml(`<a href="x" title='y'>R&D</a>`)).toBe(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;R&amp;D&lt;/a&gt;',
    );
  });
});
