import {
  directions,
  hidden,
  html,
  isolate,
  type Language,
  type Markup,
  postForm,
  type Words,
  withError,
} from '@pinkas/ui';
import { pageAssets } from '../assets/assets.js';
import type { PageReply } from '../http/console-page.js';
import type { MemberVisit, Visit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';
import { type IconName, icon, mark } from './icons.js';
import { words } from './words.js';

interface Section {
  /** Below that of the business. */
  readonly path: string;
  readonly word: Words;
  readonly icon: IconName;
  /** There is one for the test book as well. */
  readonly books?: boolean;
  /** Who only reads does not see it. */
  readonly forIssuers?: boolean;
}

/** The menu of a business: what is done every day, then the settings. */
const groups: readonly { readonly title: Words | null; readonly sections: readonly Section[] }[] = [
  {
    title: null,
    sections: [
      { path: '', word: words.today, icon: 'today', books: true },
      { path: '/issue', word: words.issue, icon: 'issue', books: true, forIssuers: true },
      { path: '/documents', word: words.documents, icon: 'documents', books: true },
      { path: '/customers', word: words.customers, icon: 'customers', books: true },
      { path: '/debts', word: words.debts, icon: 'debts', books: true },
      { path: '/reports', word: words.reports, icon: 'reports', books: true },
      { path: '/exports', word: words.exports, icon: 'exports' },
    ],
  },
  {
    title: words.settings,
    sections: [
      { path: '/business', word: words.business, icon: 'business' },
      { path: '/people', word: words.people, icon: 'people' },
      { path: '/connection', word: words.connection, icon: 'connection' },
      { path: '/authority', word: words.authority, icon: 'authority' },
      { path: '/trail', word: words.trail, icon: 'trail', books: true },
    ],
  },
];

const isMember = (visit: Visit | MemberVisit): visit is MemberVisit => 'business' in visit;

function languageSwitch({ method, language, path, formPath, query, csrfToken }: Visit): Markup {
  const other: Language = language === 'he' ? 'en' : 'he';
  const search = query.toString();
  // The reply to a form has the address of the form, which may be no page.
  const next = method === 'POST' ? formPath || '/' : `${path}${search === '' ? '' : `?${search}`}`;
  const text = words.otherLanguage[language];
  return postForm(
    '/language',
    csrfToken,
    html`${hidden('language', other)}
  ${hidden('next', next)}
  <button class="plain" lang="${other}" dir="${directions[other]}">${text}</button>`,
  );
}

function sectionLink({ t, path, business, isTest }: MemberVisit, section: Section): Markup {
  const href = `/${isTest && section.books ? 't' : 'b'}/${business.id}${section.path}`;
  // A page of the test book belongs to its section, though the section itself has none.
  const below = path.split('/').slice(3).join('/');
  const own = section.path.slice(1);
  const isCurrent = below === own || (own !== '' && below.startsWith(`${own}/`));
  const current = isCurrent && html` aria-current="page"`;
  return html`<li>
        <a href="${href}"${current}>${icon(section.icon)} ${t(section.word)}</a>
      </li>
      `;
}

function navigation(visit: MemberVisit): Markup {
  const { t, business, isTest, role } = visit;
  const items = groups.map(({ title, sections }) => {
    const heading = title && html`<li class="group">${t(title)}</li>`;
    const seen = sections.filter(({ forIssuers }) => !forIssuers || isAtLeast(role, 'issuer'));
    return html`${heading}
      ${seen.map((section) => sectionLink(visit, section))}`;
  });
  const book = isTest
    ? { href: `/b/${business.id}`, word: words.toLiveBook, icon: 'documents' as const }
    : { href: `/t/${business.id}`, word: words.toTestBook, icon: 'test' as const };
  return html`<nav class="sections" aria-label="${t(words.menu)}">
  <details>
    <summary>${t(words.menu)}</summary>
    <ul>
      ${items}
      <li class="book">
        <a href="${book.href}">${icon(book.icon)} ${t(book.word)}</a>
      </li>
      ${personItems(visit)}
    </ul>
  </details>
</nav>`;
}

function testBanner({ t, business }: MemberVisit): Markup {
  return html`<p class="test-banner" role="note">
  ${t(words.testBook)} · <a href="/b/${business.id}">${t(words.toLiveBook)}</a>
</p>`;
}

/** The business of the page; who has several can go to another from here. */
function businessSwitch({ business, businesses, language, t }: MemberVisit): Markup {
  const name = isolate(business.name, language);
  if (businesses.length === 0) {
    return html`<a class="business" href="/b/${business.id}">${name}</a>`;
  }
  const items = businesses.map(({ id, name: other }) => {
    const current = id === business.id && html` aria-current="true"`;
    return html`<li><a href="/b/${id}"${current}>${isolate(other, language)}</a></li>
      `;
  });
  return html`<details class="switch">
    <summary>
      <span class="visually-hidden">${t(words.chooseBusiness)}: </span>${name}
    </summary>
    <ul>
      ${items}
      <li class="all"><a href="/">${t(words.allBusinesses)}</a></li>
    </ul>
  </details>`;
}

/** The language, and what concerns the person: in the menu of a business, and in the head of a page without one. */
function personItems(visit: Visit): Markup {
  const { t, session, csrfToken } = visit;
  const signOut = html`<button class="plain">${t(words.signOut)}</button>`;
  const own =
    session &&
    html`<li><a href="/account">${t(words.account)}</a></li>
      <li>${postForm('/sign-out', csrfToken, signOut)}</li>`;
  return html`<li class="language">${languageSwitch(visit)}</li>
      ${own}`;
}

function header(visit: Visit | MemberVisit): Markup {
  const { t } = visit;
  const person = html`<ul class="person">
    ${personItems(visit)}
  </ul>`;
  return html`<header class="top">
  <a class="brand" href="/">${mark} <span>${t(words.brand)}</span></a>
  ${isMember(visit) ? businessSwitch(visit) : person}
</header>`;
}

function bodyClass(visit: Visit | MemberVisit): string {
  if (isMember(visit)) {
    return 'member';
  }
  return visit.session ? 'outside' : 'welcome';
}

/** A complete page: what the reply shows, in the frame that every page has. */
export function shell(reply: Extract<PageReply, { kind: 'html' }>, visit: Visit | MemberVisit): string {
  const { language, t } = visit;
  const { icon: favicon, style, script } = pageAssets();
  const member = isMember(visit) ? visit : null;
  const isWrong = reply.status === 422;
  const shown = isWrong ? withError(reply.title, reply.body, language) : reply;
  const title = [shown.title, member?.business.name, t(words.brand)].filter(Boolean).join(' – ');
  const page = html`<html lang="${language}" dir="${t(directions)}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width,initial-scale=1">
  <meta name="robots" content="noindex">
  <link rel="icon" href="${favicon.path}" type="image/svg+xml">
  <title>${title}</title>
  <link rel="stylesheet" href="${style.path}">
  <script type="module" src="${script.path}"></script>
</head>
<body class="${bodyClass(visit)}" data-too-long="${t(words.tooLong)}">
<a class="skip" href="#content">${t(words.skip)}</a>
${header(visit)}
${member && navigation(member)}
<main id="content" tabindex="-1">
${member?.isTest ? testBanner(member) : null}
${shown.body}
</main>
</body>
</html>
`;
  return `<!doctype html>\n${page.text}`;
}
