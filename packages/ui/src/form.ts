import { formatDay, isCalendarDate } from '@pinkas/domain';
import { button } from './buttons.js';
import type { Language } from './language.js';
import { attributes, html, leftToRight, type Markup } from './markup.js';

/** What every field has. */
interface Given {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is wrong with the value that was sent. */
  readonly error?: string | undefined;
  readonly required?: boolean;
}

/**
 * A field of one line. It takes a text of any length, since a browser shortens what is pasted without a word: the form that is sent
 * is checked (`lengthErrors`).
 */
export interface FormField extends Given {
  readonly type?:
    | 'text'
    | 'email'
    | 'tel'
    | 'date'
    | 'number'
    | 'search'
    | 'password'
    | 'color'
    | 'time'
    | 'url'
    | 'file';
  readonly value?: string | null;
  readonly autocomplete?: string;
  /** For figures and addresses, which are written from left to right. */
  readonly ltr?: boolean;
  /** The keyboard of a phone. */
  readonly inputMode?: 'decimal' | 'numeric';
  /** What the value is counted in, at the end of the field: `₪`, `%`, days. */
  readonly unit?: string;
  /** What can be chosen as well as typed. */
  readonly suggestions?: readonly string[];
  readonly placeholder?: string;
  readonly min?: string;
  readonly max?: string;
  readonly step?: string;
  readonly accept?: string;
  readonly autofocus?: boolean;
  /** In which the day of a date is read. */
  readonly language?: Language;
}

const idOf = (name: string) => `field-${name}`;

/** The attributes that tie an input to its hint and its error, which screen readers read with it. */
function described({ name, hint, error }: Given) {
  const ids = [hint && `${idOf(name)}-hint`, error && `${idOf(name)}-error`].filter(Boolean);
  return {
    'aria-describedby': ids.length === 0 ? null : ids.join(' '),
    'aria-invalid': error ? 'true' : null,
  };
}

/** A label, its input, its hint and its error. */
function labelled(given: Given, input: Markup): Markup {
  const { name, label, hint, error } = given;
  const id = idOf(name);
  return html`<div class="field">
  <label for="${id}">${label}</label>
  ${input}
  ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : null}
  ${error ? html`<p class="error" id="${id}-error">${error}</p>` : null}
</div>`;
}

/** A label with its input, and with its hint and its error. */
export function field(given: FormField): Markup {
  const { name, unit, suggestions } = given;
  const id = idOf(name);
  const isFile = given.type === 'file';
  const isEmail = given.type === 'email';
  const input = html`<input${attributes({
    id,
    name,
    // Browsers refuse pasted marks and names without saying so, and rewrite domains: the form's reader knows them.
    type: isEmail ? 'text' : (given.type ?? 'text'),
    autocapitalize: isEmail ? 'none' : null,
    spellcheck: isEmail ? 'false' : null,
    value: isFile ? null : (given.value ?? ''),
    autocomplete: isFile ? null : (given.autocomplete ?? 'off'),
    dir: given.ltr ? 'ltr' : null,
    inputmode: isEmail ? 'email' : given.inputMode,
    placeholder: given.placeholder,
    min: given.min,
    max: given.max,
    step: given.step,
    accept: given.accept,
    list: suggestions && `${id}-list`,
    ...described(given),
    required: given.required === true,
    autofocus: given.autofocus === true,
  })}>`;
  const withUnit = html`<span class="with-unit">
    ${input}
    <span class="unit" aria-hidden="true">${unit ?? ''}</span>
  </span>`;
  return labelled(given, html`${unit ? withUnit : input}${belowInput(given)}`);
}

/** What belongs to an input and is not its label: what can be chosen as well, and a day as it is read. */
function belowInput({ name, type, value, suggestions, language = 'he' }: FormField): Markup | null {
  if (suggestions) {
    return optionList(`${idOf(name)}-list`, suggestions);
  }
  return type === 'date' ? readDate(value ?? '', language) : null;
}

/** A day as it is read here: browsers show a date field in an order of their own, such as month before day. */
function readDate(value: string, language: Language): Markup {
  return html`
  <span class="hint read-date">${isCalendarDate(value) ? leftToRight(formatDay(value, language)) : null}</span>`;
}

function optionList(id: string, values: readonly string[]): Markup {
  return html`
  <datalist id="${id}">
    ${values.map((value) => html`<option value="${value}"></option>`)}
  </datalist>`;
}

/** An amount in ILS. What was typed may have separators of thousands: read it with `readMoney`. */
export function moneyField(given: Omit<FormField, 'type' | 'ltr' | 'inputMode' | 'unit'>): Markup {
  return field({ ...given, ltr: true, inputMode: 'decimal', unit: '₪' });
}

/** A field of several lines. */
export function textarea(given: Given & { readonly value?: string | null; readonly rows?: number }): Markup {
  const { name, value, rows = 3 } = given;
  const area = attributes({
    id: idOf(name),
    name,
    rows,
    // What is typed may be in the other language.
    dir: 'auto',
    ...described(given),
    required: given.required === true,
  });
  return labelled(given, html`<textarea${area}>${value ?? ''}</textarea>`);
}

/** A choice of one of several values. */
export function choice(
  given: Given & {
    readonly value: string;
    readonly options: readonly (readonly [value: string, text: string])[];
  },
): Markup {
  const { name, value, options } = given;
  const select = attributes({ id: idOf(name), name, ...described(given), required: given.required === true });
  return labelled(
    given,
    html`<select${select}>
    ${options.map(
      ([each, text]) => html`<option value="${each}"${each === value && html` selected`}>${text}</option>
    `,
    )}
  </select>`,
  );
}

interface BoxGiven {
  readonly name: string;
  readonly label: string;
  readonly checked: boolean;
  readonly value?: string;
  readonly hint?: string;
}

function box(type: 'checkbox' | 'radio', { name, label, checked, value = 'yes', hint }: BoxGiven): Markup {
  const id = `${idOf(name)}-${value.replaceAll(/[^a-z0-9]/gi, '-')}`;
  const input = attributes({ type, id, name, value, 'aria-describedby': hint && `${id}-hint`, checked });
  return html`<div class="field check">
  <input${input}>
  <label for="${id}">${label}</label>
  ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : null}
</div>`;
}

/** A box to tick. */
export function checkbox(given: BoxGiven): Markup {
  return box('checkbox', given);
}

/** A choice of one of a few values, all of which are seen. */
export function radios(
  given: Pick<Given, 'name' | 'label' | 'error'> & {
    readonly value: string;
    readonly options: readonly (readonly [value: string, text: string, hint?: string])[];
  },
): Markup {
  const { name, label, value, options, error } = given;
  const boxes = options.map(([each, text, hint]) =>
    box('radio', { name, label: text, value: each, checked: each === value, ...(hint && { hint }) }),
  );
  return html`<fieldset class="choices">
  <legend>${label}</legend>
  ${boxes}
  ${error ? html`<p class="error">${error}</p>` : null}
</fieldset>`;
}

/** A field that a person does not see. */
export function hidden(name: string, value: string): Markup {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/** The hidden field that every form that changes something has. */
export function csrfField(csrfToken: string): Markup {
  return hidden('_csrf', csrfToken);
}

/** A group of fields with a name. */
export function fieldGroup(title: string, content: Markup, hint?: string): Markup {
  return html`<fieldset class="group">
  <legend>${title}</legend>
  ${hint ? html`<p class="hint">${hint}</p>` : null}
  <div class="fields">
    ${content}
  </div>
</fieldset>`;
}

/** A form that changes something. */
export function form(given: {
  readonly action: string;
  readonly csrfToken: string;
  readonly content: Markup;
  /** The buttons: the one that sends the form first. */
  readonly acts: Markup;
  readonly multipart?: boolean;
  readonly id?: string;
  /** Attributes for the script of the page. */
  readonly data?: Readonly<Record<`data-${string}`, string | true>>;
}): Markup {
  const start = attributes({
    method: 'post',
    action: given.action,
    id: given.id,
    enctype: given.multipart ? 'multipart/form-data' : null,
    ...given.data,
  });
  return html`<form${start}>
  ${csrfField(given.csrfToken)}
  <div class="fields">
    ${given.content}
  </div>
  <div class="buttons">
    ${given.acts}
  </div>
</form>`;
}

/** A form without visible fields: a button that sends something. */
export function postForm(action: string, csrfToken: string, content: Markup, className?: string): Markup {
  return html`<form${attributes({ method: 'post', action, class: className })}>
  ${csrfField(csrfToken)}
  ${content}
</form>`;
}

/**
 * A section of settings with its own button: name and explanation on one side, fields on the other. A reader sees the values
 * without a button.
 */
export function formSection(given: {
  /** What links lead to, and what the section is labelled with. */
  readonly id: string;
  readonly title: string;
  readonly hint?: string;
  readonly action: string;
  readonly csrfToken: string;
  readonly content: Markup;
  readonly save: string;
  /** Other buttons, after that which saves. */
  readonly more?: Markup | null;
  readonly notice?: Markup | null;
  readonly multipart?: boolean;
  readonly readOnly?: boolean;
  readonly data?: Readonly<Record<`data-${string}`, string | true>>;
}): Markup {
  const { id, title, hint, content, notice = null, readOnly = false } = given;
  const acts = html`<div class="buttons">
      ${button({ text: given.save, kind: 'primary' })}
      ${given.more ?? null}
    </div>`;
  const start = attributes({
    method: 'post',
    action: given.action,
    enctype: given.multipart ? 'multipart/form-data' : null,
    ...given.data,
  });
  return html`<section class="setting" id="${id}" aria-labelledby="${id}-title">
  <div class="about">
    <h2 id="${id}-title">${title}</h2>
    ${hint ? html`<p class="hint">${hint}</p>` : null}
  </div>
  <form${start}>
    ${notice}
    ${csrfField(given.csrfToken)}
    ${hidden('section', id)}
    <fieldset class="fields"${readOnly && html` disabled`}>
      <legend class="visually-hidden">${title}</legend>
      ${content}
    </fieldset>
    ${readOnly ? null : acts}
  </form>
</section>`;
}

/** A form that filters a list: its values are in the address of the page. */
export function filterForm(given: {
  readonly action: string;
  /** The fields that are always seen. */
  readonly content: Markup;
  /** Those that open on request; open from the start where one of them has a value. */
  readonly more?: { readonly text: string; readonly content: Markup; readonly isOpen: boolean };
  readonly acts: Markup;
}): Markup {
  const { action, content, more, acts } = given;
  const further = more
    ? html`<details${more.isOpen && html` open`}>
    <summary>${more.text}</summary>
    <div class="fields">
      ${more.content}
    </div>
  </details>`
    : null;
  return html`<form method="get" action="${action}" class="filters" role="search">
  <div class="fields">
    ${content}
    <div class="buttons">
      ${acts}
    </div>
  </div>
  ${further}
</form>`;
}
