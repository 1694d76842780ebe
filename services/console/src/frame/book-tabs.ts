import { type Markup, tabs, type Words } from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  books: { he: 'ספרים', en: 'Books' },
  live: { he: 'הספר האמיתי', en: 'Live book' },
  test: { he: 'ספר הניסיון', en: 'Test book' },
} as const satisfies Record<string, Words>;

/** The way to the same page of the other book. */
export function bookTabs({ business, isTest, t }: MemberVisit, path: string): Markup {
  return tabs({
    label: t(texts.books),
    items: [
      { href: `/b/${business.id}${path}`, text: t(texts.live), isCurrent: !isTest },
      { href: `/t/${business.id}${path}`, text: t(texts.test), isCurrent: isTest },
    ],
  });
}
