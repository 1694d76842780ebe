import { scaleBand, scaleLinear } from 'd3-scale';
import { directions } from './direction.js';
import { formatMoney } from './figures.js';
import type { Language, Words } from './language.js';
import { attributes, html, leftToRight, type Markup } from './markup.js';
import { disclosure } from './page.js';
import { table } from './table.js';

/** A pair of bars, in ILS: null where there is nothing to show yet, such as a month that has not come. */
export interface BarPair {
  /** Below the bars: short. */
  readonly label: string;
  /** In the table and when the mouse rests on the bars. */
  readonly name: string;
  readonly value: number | null;
  readonly before: number | null;
}

const words = {
  figures: { he: 'המספרים בטבלה', en: 'Show as table' },
} as const satisfies Record<string, Words>;

/** The drawing in its own units; the page stretches it, and texts are outside of it. */
const size = { width: 1200, height: 360 } as const;
const tickCount = 4;

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** Bars from the line of zero, up or down. */
function rect(
  className: string,
  x: number,
  width: number,
  value: number,
  y: (value: number) => number,
): Markup {
  const top = Math.min(y(value), y(0));
  const height = Math.abs(y(value) - y(0));
  const round = (figure: number) => Number(figure.toFixed(1));
  const box = { x: round(x), y: round(top), width: round(width), height: round(height) };
  return html`<rect${attributes({ class: className, ...box })}/>
        `;
}

/** What a chart draws. */
interface BarChart {
  /** What is shown, for the table: `Income by month`. */
  readonly title: string;
  readonly pairs: readonly BarPair[];
  readonly legend: { readonly value: string; readonly before: string };
  /** The head of the first column of the table. */
  readonly pairHead: string;
  readonly language: Language;
}

/** The lines of a chart at its ticks. */
const gridLines = (ticks: readonly number[], y: (value: number) => number): Markup[] =>
  ticks.map((tick) => {
    const at = attributes({
      x1: 0,
      x2: size.width,
      y1: y(tick),
      y2: y(tick),
      class: tick === 0 ? 'zero' : null,
    });
    return html`<line${at}/>
        `;
  });

/** The bars of a chart, in pairs. */
function barsOf({ pairs, legend, language }: BarChart, y: (value: number) => number): Markup[] {
  const isRightToLeft = directions[language] === 'rtl';
  const range: [number, number] = isRightToLeft ? [size.width, 0] : [0, size.width];
  const bands = scaleBand(
    pairs.map((_, index) => index),
    range,
  )
    .paddingInner(0.36)
    .paddingOuter(0.18);
  const bar = bands.bandwidth() / 2;
  return pairs.map(({ name, value, before }, index) => {
    const first = bands(index) ?? 0;
    const [before0, value0] = isRightToLeft ? [first + bar, first] : [first, first + bar];
    const text = [
      value === null ? null : `${legend.value}: ₪${formatMoney(value)}`,
      before === null ? null : `${legend.before}: ₪${formatMoney(before)}`,
    ].filter((part) => part !== null);
    return html`<g>
        <title>${name} · ${text.join(' · ')}</title>
        ${before === null ? null : rect('before', before0, bar, before, y)}
        ${value === null ? null : rect('value', value0, bar, value, y)}
      </g>
      `;
  });
}

/**
 * Bars of amounts, for example of twelve months: this year next to the last. Time runs in the direction of the language. It is
 * drawn without styles or scripts of its own; the same figures are in a table below, for screen readers and all others.
 */
export function barChart(given: BarChart): Markup {
  const { title, pairs, legend, pairHead, language } = given;
  const values = pairs.flatMap(({ value, before }) => [value ?? 0, before ?? 0]);
  const y = scaleLinear([Math.min(0, ...values), Math.max(0, ...values) || 1], [size.height, 0]).nice(
    tickCount,
  );
  const ticks = y.ticks(tickCount).filter(Number.isInteger);
  const svg = attributes({
    viewBox: `0 0 ${size.width} ${size.height}`,
    preserveAspectRatio: 'none',
    focusable: 'false',
  });
  const figures = table<BarPair>({
    caption: title,
    language,
    columns: [
      { head: pairHead, value: ({ name }) => name },
      { head: legend.value, kind: 'money', value: ({ value }) => value },
      { head: legend.before, kind: 'money', value: ({ before }) => before },
    ],
    rows: pairs,
  });
  return html`<div class="chart">
  <ul class="legend" aria-hidden="true">
    <li class="value">${legend.value}</li>
    <li class="before">${legend.before}</li>
  </ul>
  <div class="plot" aria-hidden="true">
    <ol class="ticks">
      ${[...ticks].reverse().map((tick) => html`<li>${leftToRight(compact.format(tick))}</li>`)}
    </ol>
    <svg${svg}>
      ${gridLines(ticks, y)}
      ${barsOf(given, y)}
    </svg>
    <ol class="labels">
      ${pairs.map(({ label }) => html`<li>${label}</li>`)}
    </ol>
  </div>
  ${disclosure(words.figures[language], figures)}
</div>`;
}
