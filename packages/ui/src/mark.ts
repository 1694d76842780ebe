import { html, type Markup } from './markup.js';

/** The mark of the product: a notebook with its lines. */
export const mark: Markup = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <rect width="32" height="32" rx="8" fill="#1b57b8"/>
  <path d="M23 8H9v5h3v-2h8v10H9v3h14z" fill="#fff"/>
</svg>`;
