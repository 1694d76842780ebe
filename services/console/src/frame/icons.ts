import { html, type Markup } from '@pinkas/ui';

export { mark } from '@pinkas/ui';

/** Lines on a grid of 24, drawn in the color of the text. */
const paths = {
  today: 'M4 11.5 12 4l8 7.5M6 10v9.5h12V10M10 19.5v-5h4v5',
  issue: 'M12 5v14M5 12h14',
  documents: 'M7 3.5h7l4 4v13H7zM14 3.5v4h4M10 12h5M10 15.5h5',
  customers:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM3 19.5c.5-3 3-5 6-5s5.5 2 6 5M15.5 5a3.5 3.5 0 0 1 0 6.500M17.5 15c2 .7 3.2 2.3 3.5 4.5',
  debts: 'M12 20.500a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 7.500V12l3 2',
  reports: 'M4 20h16M7 17v-5M12 17V6M17 17v-8',
  exports: 'M12 4v11M8 11.500l4 4 4-4M4 19.500h16',
  business: 'M4 20h16M6 20V8l6-4 6 4v12M10 20v-4h4v4M9.5 11h.01M14.5 11h.01',
  people: 'M12 11.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM5 20c.6-3.5 3.5-5.5 7-5.500s6.4 2 7 5.5',
  connection: 'M9 8V4M15 8V4M7 8h10v3.500a5 5 0 0 1-10 0zM12 16.500V20',
  authority: 'M4 9.5 12 4l8 5.500zM6 9.500V17M10 9.500V17M14 9.500V17M18 9.500V17M4 20h16',
  message: 'M4 6h16v12H4zM4 7l8 6 8-6',
  key: 'M14.5 9.500a4 4 0 1 0-3.600 4L13 11.500h2v2h2v2h3v-3z',
  trail: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  test: 'M10 3.500v6L5 18.500a1.5 1.5 0 0 0 1.3 2h11.400a1.5 1.5 0 0 0 1.3-2l-5-9v-6M8.5 3.500h7M8 14.500h8',
} as const;

export type IconName = keyof typeof paths;

/** A drawing next to a word, which screen readers leave out. */
export function icon(name: IconName): Markup {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true">
  <path d="${paths[name]}"/>
</svg>`;
}
