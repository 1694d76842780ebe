import type { Language, Words } from './language.js';
import { attributes, html, isolate, Markup } from './markup.js';

/** A text as it is, or markup. */
export type Content = Markup | string;

/** Where a page is: the way back to what is above it. */
export interface Crumb {
  readonly text: Content;
  readonly href: string;
}

const words = {
  trail: { he: 'מיקום הדף', en: 'Where this page is' },
  next: { he: 'לדף הבא', en: 'Next page' },
  first: { he: 'לדף הראשון', en: 'First page' },
  done: { he: 'בוצע', en: 'Done' },
  toDo: { he: 'לביצוע', en: 'To do' },
  of: { he: 'מתוך', en: 'of' },
  error: { he: 'שגיאה', en: 'Error' },
} as const satisfies Record<string, Words>;

/** The way back to the pages above this one. */
function breadcrumbs(crumbs: readonly Crumb[], language: Language): Markup {
  const items = crumbs.map(
    ({ text, href }) => html`<li><a href="${href}">${text}</a></li>
    `,
  );
  return html`<nav class="breadcrumbs" aria-label="${words.trail[language]}">
  <ol>
    ${items}
  </ol>
</nav>`;
}

/** The head of a page: where it is, its title with its status, a sentence, and its acts, of which one at most is primary. */
export function pageHead(given: {
  readonly title: Content;
  readonly language: Language;
  readonly crumbs?: readonly Crumb[];
  readonly badge?: Markup | null;
  readonly lead?: Content | null;
  readonly primary?: Markup | null;
  readonly secondary?: readonly (Markup | null)[];
}): Markup {
  const {
    title,
    language,
    crumbs = [],
    badge: status = null,
    lead = null,
    primary = null,
    secondary = [],
  } = given;
  const acts = [primary, ...secondary].filter((act) => act !== null);
  return html`<div class="page-head">
  ${crumbs.length > 0 ? breadcrumbs(crumbs, language) : null}
  <div class="page-title">
    <h1>${title}</h1>
    ${status}
  </div>
  ${lead === null ? null : html`<p class="lead">${lead}</p>`}
  ${acts.length > 0 ? html`<div class="actions">${acts}</div>` : null}
</div>`;
}

/** A section of a page in a box of its own. */
export function card(given: {
  /** What links lead to; the heading labels the section. */
  readonly id: string;
  readonly title: Content;
  /** The heading is read, and not seen. */
  readonly titleHidden?: boolean;
  /** At the other end of the line of the heading: a link or a badge. */
  readonly aside?: Markup | null;
  readonly content: Markup;
  /** `attention`: needs a person; `flush`: a table up to its edges. */
  readonly kind?: 'attention' | 'flush' | 'side';
  readonly data?: Readonly<Record<`data-${string}`, string | true>>;
}): Markup {
  const { id, title, titleHidden = false, aside = null, content, kind, data = {} } = given;
  const start = attributes({
    class: kind ? `card ${kind}` : 'card',
    id,
    'aria-labelledby': `${id}-title`,
    ...data,
  });
  const heading = attributes({ id: `${id}-title`, class: titleHidden ? 'visually-hidden' : null });
  const head = html`<div class="card-head">
    <h2${heading}>${title}</h2>
    ${aside}
  </div>`;
  return html`<section${start}>
  ${titleHidden ? html`<h2${heading}>${title}</h2>` : head}
  ${content}
</section>`;
}

/** Facts as pairs of a term and its value; those that are null or empty are left out. */
export function facts(
  pairs: readonly (readonly [term: string, value: Content | null])[],
  language: Language,
): Markup {
  const rows = pairs
    .filter(([, value]) => value !== null && value !== '')
    .map(
      ([term, value]) => html`<div>
    <dt>${term}</dt>
    <dd>${typeof value === 'string' ? isolate(value, language) : value}</dd>
  </div>
  `,
    );
  return html`<dl class="facts">
  ${rows}
</dl>`;
}

/** A figure that matters, large, with what it is and what it compares with. */
export interface Stat {
  readonly label: string;
  readonly value: Content;
  readonly detail?: Content | null;
  readonly href?: string;
  /** The detail is good or bad news. */
  readonly tone?: 'good' | 'bad';
}

/** Figures that matter, next to each other. @param kind `ends`: the last one is what the others come to, and is first on a phone. */
export function stats(figures: readonly Stat[], kind?: 'ends'): Markup {
  const items = figures.map(({ label, value, detail = null, href, tone }) => {
    const more = attributes({ class: tone ? `detail ${tone}` : 'detail' });
    return html`<div class="stat">
    <dt>${href === undefined ? label : html`<a href="${href}">${label}</a>`}</dt>
    <dd class="value">${value}</dd>
    ${detail === null ? null : html`<dd${more}>${detail}</dd>`}
  </div>
  `;
  });
  return html`<dl class="${kind ? `stats ${kind}` : 'stats'}">
  ${items}
</dl>`;
}

/** A sentence above the content: what was done, what went wrong, what to know. */
export function notice(kind: 'done' | 'error' | 'warn' | 'info', text: Content): Markup {
  const role = kind === 'error' ? 'alert' : 'status';
  return html`<p class="notice ${kind}" role="${role}">${text}</p>`;
}

/**
 * A page whose form was wrong: its title says so, and the focus is on the first field with an error, or on the sentence that states
 * it, without a script.
 */
export function withError(title: string, body: Markup, language: Language): { title: string; body: Markup } {
  const field = ' aria-invalid="true"';
  const sentence = '<p class="notice error" role="alert"';
  const text = body.text.replaceAll(' autofocus', '');
  const [found, focus] = text.includes(field)
    ? [field, ' autofocus']
    : [sentence, ' tabindex="-1" autofocus'];
  return {
    title: `${words.error[language]}: ${title}`,
    body: new Markup(text.replace(found, `${found}${focus}`)),
  };
}

/** In place of a list that has nothing yet: what will be here, and how to begin. */
export function emptyState(given: {
  readonly title: string;
  readonly text?: Content;
  readonly action?: Markup | null;
}): Markup {
  const { title, text, action = null } = given;
  return html`<div class="empty">
  <p class="empty-title">${title}</p>
  ${text === undefined ? null : html`<p>${text}</p>`}
  ${action}
</div>`;
}

/** A status: good and bad news, what waits for something, what needs no attention. */
export type Tone = 'good' | 'bad' | 'waiting' | 'neutral';

/** A status as a word in a frame; its color repeats what the word states. */
export function badge(tone: Tone, text: Content): Markup {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** Several of them. */
export function badges(parts: readonly (Markup | null)[]): Markup {
  return html`<span class="badges">${parts.filter((part) => part !== null)}</span>`;
}

/** A number at the end of a heading: of rows that need something. */
export function count(value: number): Markup {
  return html`<span class="count">${value}</span>`;
}

/** The way through a long list; null where it has one page. `label`: of what. */
export function pager(
  links: { readonly first: string | null; readonly next: string | null },
  language: Language,
  label: string,
): Markup | null {
  if (links.first === null && links.next === null) {
    return null;
  }
  const link = (href: string | null, word: Words) =>
    href === null ? null : html`<a class="button secondary" href="${href}">${word[language]}</a>`;
  return html`<nav class="pager" aria-label="${label}">
  ${link(links.first, words.first)}
  ${link(links.next, words.next)}
</nav>`;
}

/** Views of one list, or pages of one group, of which one is shown. */
export function tabs(given: {
  readonly label: string;
  /** `parts`: of the view that other tabs have chosen. */
  readonly kind?: 'parts';
  readonly items: readonly {
    readonly href: string;
    readonly text: Content;
    readonly isCurrent: boolean;
    readonly count?: number;
  }[];
}): Markup {
  const items = given.items.map(({ href, text, isCurrent, count: rows }) => {
    const link = attributes({ href, 'aria-current': isCurrent ? 'page' : null });
    const figure = rows === undefined ? null : html` <span class="tab-count">${rows}</span>`;
    return html`<li><a${link}>${text}${figure}</a></li>
    `;
  });
  return html`<nav class="${given.kind ? `tabs ${given.kind}` : 'tabs'}" aria-label="${given.label}">
  <ul>
    ${items}
  </ul>
</nav>`;
}

/** One thing that needs a person: what it is, why, and the act that resolves it. */
export interface Task {
  readonly title: Content;
  readonly detail?: Content | null;
  readonly action?: Markup | null;
  readonly tone?: 'bad' | 'waiting';
}

/** Things that need a person, one row for one cause. */
export function taskList(tasks: readonly Task[]): Markup {
  const items = tasks.map(({ title, detail = null, action = null, tone = 'bad' }) => {
    const more = detail === null ? null : html`<p>${detail}</p>`;
    const acts = action === null ? null : html`<div class="actions">${action}</div>`;
    return html`<li class="item ${tone}">
    <div>
      <p class="item-title">${title}</p>
      ${more}
    </div>
    ${acts}
  </li>
  `;
  });
  return html`<ul class="items">
  ${items}
</ul>`;
}

/** A step of a checklist. */
export interface Step {
  readonly text: Content;
  readonly detail?: Content;
  readonly isDone: boolean;
  /** How it is done; shown while it is not. */
  readonly action?: Markup | null;
}

/** Steps with how many of them are done. The first one that is not done stands out. */
export function checklist(steps: readonly Step[], language: Language): Markup {
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.findIndex(({ isDone }) => !isDone);
  const items = steps.map(({ text, detail, isDone, action = null }, index) => {
    const state = isDone ? words.done : words.toDo;
    const start = attributes({
      class: isDone ? 'done' : null,
      'aria-current': index === next ? 'step' : null,
    });
    return html`<li${start}>
    <div>
      <p class="item-title"><span class="visually-hidden">${state[language]}: </span>${text}</p>
      ${detail === undefined || isDone ? null : html`<p>${detail}</p>`}
    </div>
    ${isDone ? null : action}
  </li>
  `;
  });
  return html`<p class="progress-text">${done} ${words.of[language]} ${steps.length}</p>
<progress max="${steps.length}" value="${done}" aria-label="${done} ${words.of[language]} ${steps.length}"></progress>
<ol class="checklist">
  ${items}
</ol>`;
}

/** The acts of a page but its first one, behind a button that opens without a script; null where there are none. */
export function actMenu(label: string, acts: readonly (Markup | null)[]): Markup | null {
  const items = acts.filter((act) => act !== null);
  return items.length === 0
    ? null
    : html`<details class="act-menu">
  <summary class="button secondary" aria-label="${label}"><span aria-hidden="true">⋯</span></summary>
  <ul>
    ${items.map(
      (act) => html`<li>${act}</li>
    `,
    )}
  </ul>
</details>`;
}

/** A word, or markup, in a box that shows its content on request. */
export function disclosure(summary: Content, content: Markup, isOpen = false): Markup {
  return html`<details class="disclosure"${isOpen && html` open`}>
  <summary>${summary}</summary>
  ${content}
</details>`;
}
