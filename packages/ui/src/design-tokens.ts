import { contrast, textContrastMin } from '@pinkas/domain';
import { mix, readableOn } from './color.js';

/*
 * The look of a document in one place: the PDF and the hosted page take every color, size and distance from here.
 */

interface Inks {
  /** The background of everything. */
  readonly paper: string;
  readonly ink: string;
  /** For what explains: labels, addresses, notes. */
  readonly soft: string;
  readonly rule: string;
  /** For what must not be overlooked: a cancelled document. */
  readonly alarm: string;
  /** The color of the business, or the default. */
  readonly accent: string;
}

/** The accent of a business that has none of its own. */
export const defaultAccent = '#1d3f66';

/** The colors of a page in the light; an email has them always. */
export const lightColors: Omit<Inks, 'accent'> = {
  paper: '#ffffff',
  ink: '#17202b',
  soft: '#566070',
  rule: '#dce1e8',
  alarm: '#a8201a',
};

const dark: Omit<Inks, 'accent'> = {
  paper: '#151b23',
  ink: '#e8edf3',
  soft: '#a5b0be',
  rule: '#333d4a',
  alarm: '#ff9a92',
};

function properties(inks: Inks): string {
  const { paper, accent } = inks;
  const tint = mix(accent, paper, 0.08);
  const desk = mix(inks.ink, paper, 0.07);
  const derived = {
    ...inks,
    /** The background of highlighted facts. */
    tint,
    'accent-on-tint': readableOn(accent, tint, textContrastMin),
    /** What a page lies on. */
    desk,
    'accent-on-desk': readableOn(accent, desk, textContrastMin),
    /** Text on the accent. */
    'on-accent': contrast('#ffffff', accent) >= textContrastMin ? '#ffffff' : '#000000',
    /** Across a cancelled document: seen at once, and what is over it still read. */
    stamp: mix(inks.alarm, paper, 0.16),
  };
  return Object.entries(derived)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';');
}

/** Sizes of letters and distances, in rem: an em of the document's body. */
const sizes = '--small:.84rem;--large:1.22rem;--title:1.5rem;--heading:2.3rem';

/** The tokens of the PDF, which is always on white. */
export function printTokens(accent: string | undefined): string {
  return `:root{font-size:9.5pt;${sizes};${properties({ ...lightColors, accent: accent ?? defaultAccent })}}`;
}

/** The tokens of a page, light or dark by the reader's preference; it prints light. */
export function pageTokens(accent: string | undefined): string {
  const given = accent ?? defaultAccent;
  const inTheDark = properties({ ...dark, accent: readableOn(given, dark.paper, textContrastMin) });
  return `:root{color-scheme:light dark;font-size:100%;${sizes};${properties({ ...lightColors, accent: given })}}
@media screen and (prefers-color-scheme:dark){:root{${inTheDark}}}`;
}

/** What the widths of Heebo's bold figures and signs are, in em, a little more rather than less. */
const widthOf = { digit: 0.6, point: 0.3, sign: 1 } as const;
/** The letters of the total, and what is left free beside it, in rem. */
const total = { size: 1.4, gap: 0.7 } as const;

/**
 * How wide the columns of amounts are: as the total in its large letters needs it, and never less than what most need. The
 * columns of the lines and of the totals are equally wide, else the figures of a Hebrew document, whose amounts are at the
 * far side, would not be aligned.
 * @param totalAmount as it is written, without its sign of currency.
 */
export function figuresToken(totalAmount: string): string {
  const digits = totalAmount.replace(/\D/g, '').length;
  const points = totalAmount.length - digits;
  const width = (digits * widthOf.digit + points * widthOf.point + widthOf.sign) * total.size + total.gap;
  return `:root{--figures:${Math.max(8.2, width).toFixed(1)}rem}`;
}

/** The grey of the running foot, where no token reaches. */
export const footInk = lightColors.soft;
