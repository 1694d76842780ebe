import { dayInIsrael, formatDay } from '@pinkas/domain';
import { directions } from './direction.js';
import type { Language } from './language.js';
import { html, inDirection, leftToRight, type Markup } from './markup.js';

const money = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const quantity = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });
const percent = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** An amount in ILS without its sign of currency: 1234.5 is `1,234.50`. */
export function formatMoney(amount: number): string {
  return money.format(amount);
}

/** A quantity with the decimals that it has, at most four: `1,000.125`. */
export function formatQuantity(value: number): string {
  return quantity.format(value);
}

/** A rate in percent: `18%`, `17.5%`. */
export function formatPercent(rate: number): string {
  return `${percent.format(rate)}%`;
}

/** A day as it is written in a language, from YYYY-MM-DD. */
export function formatDate(date: string, language: Language): string {
  return formatDay(date, language);
}

/** The day of an instant in Israel. */
export function formatInstantDay(instant: string, language: Language): string {
  return formatDay(dayInIsrael(new Date(instant)), language);
}

const israelTime = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Asia/Jerusalem',
  hour: '2-digit',
  minute: '2-digit',
});

const israelSeconds = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Asia/Jerusalem',
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
});

/** The time of day of an instant in Israel, HH:MM. */
export function formatInstantTime(instant: string): string {
  return israelTime.format(new Date(instant));
}

/** An amount with the sign of the shekel, on the side where each language writes it. */
export function shekels(amount: number, language: Language): Markup {
  if (language === 'he') {
    return html`${leftToRight(formatMoney(amount))} ₪`;
  }
  return leftToRight(`${amount < 0 ? '-' : ''}₪${formatMoney(Math.abs(amount))}`);
}

/** An amount in ILS that is read from afar: its shekels are large, its agorot small. */
export function largeAmount(value: number, language: Language): Markup {
  const [integer = '', agorot = ''] = formatMoney(Math.abs(value)).split('.');
  const sign = value < 0 ? '-' : '';
  const minor = html`<span class="minor">.${agorot}</span>`;
  const figure =
    language === 'he'
      ? html`<bdi dir="ltr">${sign}${integer}${minor}</bdi> ₪`
      : html`<bdi dir="ltr">${sign}₪${integer}${minor}</bdi>`;
  return html`<span class="amount">${figure}</span>`;
}

/** An amount in ILS in running text or in a cell: its figures are equally wide. */
export function amount(value: number, language: Language): Markup {
  return html`<span class="amount">${shekels(value, language)}</span>`;
}

/** A day, from YYYY-MM-DD. */
export function day(date: string, language: Language): Markup {
  return html`<time datetime="${date}">${leftToRight(formatDate(date, language))}</time>`;
}

/** The days from one to another, in the direction in which the language is read. */
export function dateRange(from: string, to: string, language: Language): Markup {
  return inDirection(directions[language], html`${day(from, language)} – ${day(to, language)}`);
}

/** The day and the time of an instant, in Israel. */
export function dayAndTime(instant: string, language: Language): Markup {
  const text = `${formatInstantDay(instant, language)} ${formatInstantTime(instant)}`;
  return html`<time datetime="${instant}">${leftToRight(text)}</time>`;
}

/** The same to the second. */
export function exactTime(instant: string, language: Language): Markup {
  const text = `${formatInstantDay(instant, language)} ${israelSeconds.format(new Date(instant))}`;
  return html`<time datetime="${instant}">${leftToRight(text)}</time>`;
}
