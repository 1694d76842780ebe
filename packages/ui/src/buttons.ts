import { attributes, html, type Markup } from './markup.js';

/** How much a button stands out: a page has one `primary`, what cannot be undone is `danger`, the rest is quiet. */
export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger';

interface ButtonGiven {
  readonly text: string;
  readonly kind?: ButtonKind;
  readonly name?: string;
  readonly value?: string;
  /** What a screen reader reads instead of the text, where many buttons have the same. */
  readonly label?: string;
  /** Sends the form as it is, also where the browser would ask for what is missing. */
  readonly isUnchecked?: boolean;
}

/** A button that sends its form. */
export function button({ text, kind = 'primary', name, value, label, isUnchecked }: ButtonGiven): Markup {
  const given = attributes({ class: kind, name, value, 'aria-label': label, formnovalidate: isUnchecked });
  return html`<button${given}>${text}</button>`;
}

/** A link that looks like a button. */
export function linkButton(given: {
  readonly href: string;
  readonly text: string;
  readonly kind?: ButtonKind;
  /** Opens in a window of its own. */
  readonly newWindow?: boolean;
  readonly download?: boolean;
  /** Goes back in the history where scripts run, so that a form is as it was left; else to its address. */
  readonly goesBack?: boolean;
}): Markup {
  const { href, text, kind = 'secondary', newWindow, download, goesBack } = given;
  const link = attributes({
    class: `button ${kind}`,
    href,
    download,
    'data-back': goesBack,
    target: newWindow ? '_blank' : null,
    rel: newWindow ? 'noopener' : null,
  });
  return html`<a${link}>${text}</a>`;
}
