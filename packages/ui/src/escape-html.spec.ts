import { describe, expect, it } from '@jest/globals';
import { escapeHtml } from './escape-html.js';

describe('escapeHtml', () => {
  it('escapeHtml replaces every character that can end a text or a quoted attribute value', () => {
    expect(escapeHtml(`<a href="x" title='y'>R&D</a>`)).toBe(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;R&amp;D&lt;/a&gt;',
    );
  });
});
