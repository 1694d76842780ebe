import type { ListedRequest } from '@pinkas/contracts';
import {
  badge,
  badges,
  type Crumb,
  html,
  isolate,
  type Language,
  leftToRight,
  type Markup,
} from '@pinkas/ui';
import { words } from '../../frame/words.js';
import type { MemberVisit } from '../../http/visit.js';
import { requestWords as texts } from './request-words.js';

/** Where the requests of the book of a page are. */
export const requestsPath = '/connection/requests';

/** The way back from a page of requests. The connection settings are those of both books. */
export function crumbsOf({ business, t, link }: MemberVisit, isOfOne: boolean): Crumb[] {
  return [
    { text: t(words.connection), href: `/b/${business.id}/connection` },
    ...(isOfOne ? [{ text: t(texts.title), href: link(requestsPath) }] : []),
  ];
}

/** `POST /documents`. */
export function routeOf({ method, route }: ListedRequest, language: Language): Markup {
  return route === null
    ? html`${leftToRight(method)} <span class="soft">${texts.noRoute[language]}</span>`
    : leftToRight(`${method} ${route}`);
}

const tones = { 2: 'good', 3: 'neutral' } as const;

/** The status of the answer, and whether it was given before. */
export function answerBadges({ replayed, status }: ListedRequest, language: Language): Markup {
  const tone = tones[Math.floor(status / 100) as keyof typeof tones] ?? 'bad';
  return badges([
    badge(tone, leftToRight(String(status))),
    replayed ? badge('neutral', texts.replayed[language]) : null,
  ]);
}

/** The way to every attempt with an idempotency key. */
export function attemptsLink({ language, link }: MemberVisit, idempotency_key: string): Markup {
  const href = link(requestsPath, { idempotency_key });
  return html`<a class="attempts" href="${href}"><code>${isolate(idempotency_key, language)}</code></a>`;
}

export const milliseconds = (duration: number): Markup =>
  leftToRight(`${duration.toLocaleString('en-US')} ms`);
