import { describe, expect, it } from '@jest/globals';
import { barChart } from './chart.js';
import { fieldErrors } from './field-errors.js';
import { choice, field, formSection, moneyField, radios, textarea } from './form.js';
import { lengthErrors, numberError, readField } from './form-values.js';
import { html } from './markup.js';
import { card, checklist, facts, notice, pageHead, pager, stats, withError } from './page.js';
import { table } from './table.js';

/** Markup without the white space between its elements. */
const dense = ({ text }: { readonly text: string }) => text.replaceAll(/\s*\n\s*/g, '');

describe('fields', () => {
  it('a field ties its hint and its error to its input', () => {
    const text = dense(
      field({ name: 'email', label: 'Email', value: 'a"b', hint: 'Work', error: 'Wrong', required: true }),
    );
    expect(text).toContain('<label for="field-email">Email</label>');
    expect(text).toContain('value="a&quot;b"');
    expect(text).toContain(
      'aria-describedby="field-email-hint field-email-error" aria-invalid="true" required',
    );
    expect(text).toContain('<p class="error" id="field-email-error">Wrong</p>');
  });

  it.each([
    ['textarea', textarea({ name: 'a', label: 'A', error: 'Wrong' })],
    ['choice', choice({ name: 'a', label: 'A', value: '', options: [], error: 'Wrong' })],
    ['moneyField', moneyField({ name: 'a', label: 'A', error: 'Wrong' })],
  ])('an error is tied to a %s', (_kind, markup) => {
    expect(markup.text).toContain('aria-describedby="field-a-error" aria-invalid="true"');
  });

  it('a page with an error says so in its title, and has the focus on the first wrong field, else on the sentence', () => {
    const wrong = (name: string) => field({ name, label: 'A', error: 'Wrong' });
    const first = field({ name: 'a', label: 'A', autofocus: true });
    const { title, body } = withError(
      'Form',
      html`${notice('error', 'No')}${first}${wrong('b')}${wrong('c')}`,
      'he',
    );
    expect(title).toBe('שגיאה: Form');
    expect(body.text.match(/<[^>]* autofocus[^>]*>/g)).toEqual([expect.stringContaining('id="field-b"')]);
    const refused = withError('Form', html`${notice('error', 'No')}${first}`, 'en').body.text;
    expect(refused.match(/<[^>]* autofocus[^>]*>/g)).toEqual([
      '<p class="notice error" role="alert" tabindex="-1" autofocus>',
    ]);
  });

  it('a textarea keeps the text that it is given', () => {
    expect(textarea({ name: 'a', label: 'A', value: '  x\n y' }).text).toContain('>  x\n y</textarea>');
  });

  it('the chosen value of a choice and of radios is the given one', () => {
    const options = [
      ['a', 'A'],
      ['b', 'B'],
    ] as const;
    expect(choice({ name: 'n', label: 'N', value: 'b', options }).text).toContain('value="b" selected');
    expect(radios({ name: 'n', label: 'N', value: 'b', options }).text).toContain('value="b" checked');
  });

  it('a number that may be meant in two ways is refused with both, and one with a comma before decimals with the right one', () => {
    const otherwise = { he: 'יש לכתוב סכום.', en: 'Write an amount.' };
    expect(numberError('0,500', otherwise, 'en')).toBe('This can be read in two ways: write 0.5 or 500.');
    expect(numberError('12,50', otherwise, 'he')).toBe('יש לכתוב 12.5: נקודה לפני השבר, פסיק רק בין אלפים.');
    expect(numberError('abc', otherwise, 'en')).toBe('Write an amount.');
  });

  it('a field of one line has a blank for a line break, one of several lines keeps them, and nothing is shortened', () => {
    const long = 'x'.repeat(2_000);
    const form = new URLSearchParams({
      line: ' a\r\nb ',
      text: ' a\r\nb ',
      long,
      email: 'A <a@example.com>',
    });
    expect(readField(form, 'line')).toBe('a b');
    expect(readField(form, 'text', 'text')).toBe('a\nb');
    expect(readField(form, 'long')).toBe(long);
    expect(readField(form, 'email', 'email')).toBe('a@example.com');
    expect(readField(form, 'none')).toBe('');
  });

  it('a text that is too long is counted in code points, and its error has both lengths', () => {
    const values = { at: '😀'.repeat(1_000), above: '😀'.repeat(1_001) };
    expect(lengthErrors(values, { at: 1_000, above: 1_000 }, 'en')).toEqual({
      above: 'At most 1,000 characters; this has 1,001.',
    });
  });

  it('a field has no attribute with which browsers shorten what is pasted, or refuse an address without a reason', () => {
    const { text } = field({ name: 'n', label: 'N', type: 'email', value: 'a' });
    expect(text).toContain('type="text"');
    expect(text).toContain('inputmode="email"');
    expect(text).not.toContain('maxlength');
  });

  it('a section that is only read has disabled fields and no button', () => {
    const given = { id: 's', title: 'S', action: '/', csrfToken: 't', content: html``, save: 'Save' };
    expect(formSection(given).text).toContain('<button class="primary">Save</button>');
    const readOnly = formSection({ ...given, readOnly: true }).text;
    expect(readOnly).toContain('<fieldset class="fields" disabled>');
    expect(readOnly).not.toContain('<button');
  });
});

describe('fieldErrors', () => {
  const details = {
    errors: [
      { path: '/body/items/3/unit_price', message: '…' },
      { path: '/body/customer/email', message: '…' },
      { path: '/body/customer/email', message: 'second' },
      { path: '/body/title', message: '…' },
      { path: '', message: '…' },
    ],
  };

  it('a path of a contract becomes the field of the form that a rule names', () => {
    const rules = [
      { path: '/customer/email', field: 'email', text: { he: 'ה', en: 'No address.' } },
      { path: '/items/*/unit_price', field: 'price_*', text: { he: 'ה', en: 'No price.' } },
    ];
    expect(fieldErrors(details, { language: 'en', below: '/body', rules })).toEqual({
      price_3: 'No price.',
      email: 'No address.',
      title: 'This value is not valid.',
      form: 'This value is not valid.',
    });
  });

  it('a field without a rule has the name of its path', () => {
    expect(Object.keys(fieldErrors(details, { language: 'he', below: '/body' })).toSorted()).toEqual([
      'customer.email',
      'form',
      'items.3.unit_price',
      'title',
    ]);
  });

  it('an error without details has no fields', () => {
    expect(fieldErrors(undefined, { language: 'en' })).toEqual({});
  });
});

describe('table', () => {
  interface Row {
    readonly name: string;
    readonly total: number | null;
  }
  const rows: Row[] = [
    { name: '<b>', total: 1234.5 },
    { name: 'חברה', total: null },
  ];
  const text = dense(
    table<Row>({
      caption: 'Sums',
      language: 'en',
      rows,
      columns: [
        { head: 'Name', value: ({ name }) => name, foot: 'All' },
        { head: 'Total', kind: 'money', value: ({ total }) => total, foot: 1234.5 },
      ],
    }),
  );

  it('the first cell names its row, and amounts are figures with the label of their column', () => {
    expect(text).toContain('<th scope="row"><bdi dir="ltr">&lt;b&gt;</bdi></th>');
    expect(text).toContain('<td class="figure" data-label="Total"><span class="amount">');
    expect(text).toContain('<td class="figure none" data-label="Total"></td>');
  });

  it('the sums are in a row of the foot', () => {
    expect(text).toMatch(/<tfoot><tr><th scope="row">All<\/th><td class="figure"[^>]*><span class="amount">/);
  });
});

describe('parts of a page', () => {
  it('a heading has the primary act first', () => {
    const text = dense(
      pageHead({ title: 'T', language: 'en', primary: html`<b>1</b>`, secondary: [null, html`<i>2</i>`] }),
    );
    expect(text).toContain('<div class="actions"><b>1</b><i>2</i></div>');
  });

  it('facts leave out what has no value', () => {
    expect(
      dense(
        facts(
          [
            ['A', null],
            ['B', ''],
            ['C', 'c'],
          ],
          'en',
        ),
      ),
    ).toBe('<dl class="facts"><div><dt>C</dt><dd><bdi dir="ltr">c</bdi></dd></div></dl>');
  });

  it('a card is labelled by its heading', () => {
    const text = dense(card({ id: 'a', title: 'A', content: html`` }));
    expect(text).toContain('<section class="card" id="a" aria-labelledby="a-title">');
    expect(text).toContain('<h2 id="a-title">A</h2>');
  });

  it('a stat shows its figure and its detail', () => {
    const text = dense(stats([{ label: 'Income', value: '1', detail: '+3%', tone: 'good' }]));
    expect(text).toContain('<dd class="value">1</dd><dd class="detail good">+3%</dd>');
  });

  it('a checklist counts its steps and names the next one', () => {
    const text = dense(
      checklist(
        [
          { text: 'A', isDone: true },
          { text: 'B', isDone: false },
          { text: 'C', isDone: false },
        ],
        'en',
      ),
    );
    expect(text).toContain('<progress max="3" value="1" aria-label="1 of 3">');
    expect(text.match(/aria-current="step"/g)).toHaveLength(1);
  });

  it('a list of one page has no pager', () => {
    expect(pager({ first: null, next: null }, 'en', 'List')).toBeNull();
  });
});

describe('barChart', () => {
  const chart = (language: 'he' | 'en') =>
    dense(
      barChart({
        title: 'Income by month',
        legend: { value: '2026', before: '2025' },
        pairHead: 'Month',
        language,
        pairs: [
          { label: '1', name: 'January', value: 100, before: 50 },
          { label: '2', name: 'February', value: null, before: -25 },
        ],
      }),
    );
  const bars = (text: string) =>
    [...text.matchAll(/<rect class="(\w+)" x="([\d.]+)" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/g)].map(
      ([, kind, x, y, height]) => ({ kind, x: Number(x), y: Number(y), height: Number(height) }),
    );

  it('bars are as high as their amounts, and negative ones are below the line of zero', () => {
    const [before, value, negative] = bars(chart('en'));
    expect(value?.height).toBeCloseTo((before?.height ?? 0) * 2, 0);
    expect(negative?.y).toBeCloseTo((value?.y ?? 0) + (value?.height ?? 0), 0);
    expect(negative?.height).toBeCloseTo((before?.height ?? 0) / 2, 0);
  });

  it('time runs from right to left in Hebrew', () => {
    const english = bars(chart('en'));
    const hebrew = bars(chart('he'));
    expect(english[0]?.x).toBeLessThan(english[2]?.x ?? 0);
    expect(hebrew[0]?.x).toBeGreaterThan(hebrew[2]?.x ?? 0);
    expect(hebrew.map(({ height }) => height)).toEqual(english.map(({ height }) => height));
  });

  it('a month that has not come has no bar, and the figures are in a table', () => {
    expect(bars(chart('en'))).toHaveLength(3);
    expect(chart('en')).toMatch(/<th scope="row">.*January.*<td class="figure" data-label="2026">.*100\.00/);
  });
});
