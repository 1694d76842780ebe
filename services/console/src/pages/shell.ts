import { directions, html, isolate, type Language, type Markup, postForm } from '@pinkas/ui';

import { pageAssets } from '../assets/assets.js';
import type { PageReply } from '../http/console-page.js';
import type { MemberVisit, Visit } from '../http/visit.js';
import { words } from './words.js';

export { postForm } from '@pinkas/ui';

/** The navigation of a business: paths below that of the business. `books`: there is one for the test book as well. */
const sections = [
  { path: '', word: words.today, books: true },
  { path: '/documents', word: words.documents, books: true },
  { path: '/customers', word: words.customers, books: true },
  { path: '/connection', word: words.connection },
  { path: '/business', word: words.business },
  { path: '/authority', word: words.authority },
  { path: '/people', word: words.people },
  { path: '/exports', word: words.exports },
  { path: '/trail', word: words.trail },
] as const;

const isMember = (visit: Visit | MemberVisit): visit is MemberVisit => 'business' in visit;

function languageSwitch({ language, path, query, csrfToken }: Visit): Markup {
  const other: Language = language === 'he' ? 'en' : 'he';
  const search = query.toString();
  return postForm(
    '/language',
    csrfToken,
    html`<input type="hidden" name="language" value="${other}"><input type="hidden" name="next" value="${path}${search === '' ? '' : `?${search}`}"><button class="plain" lang="${other}" dir="${directions[other]}">${words.otherLanguage[language]}</button>`,
  );
}

function navigation(visit: MemberVisit): Markup {
  const { language, path, business, isTest } = visit;
  const items = sections.map((section) => {
    const root = `/${isTest && 'books' in section ? 't' : 'b'}/${business.id}`;
    const href = `${root}${section.path}`;
    const isCurrent = section.path === '' ? path === href : path === href || path.startsWith(`${href}/`);
    return html`<li><a href="${href}"${isCurrent && html` aria-current="page"`}>${section.word[language]}</a></li>`;
  });
  const otherBook = isTest
    ? html`<a href="/b/${business.id}">${words.toLiveBook[language]}</a>`
    : html`<a href="/t/${business.id}">${words.toTestBook[language]}</a>`;
  return html`<nav class="sections" aria-label="${words.menu[language]}"><details open><summary>${words.menu[language]}</summary><ul>${items}<li class="book">${otherBook}</li></ul></details></nav>`;
}

function testBanner(visit: MemberVisit): Markup {
  const { language, business } = visit;
  return html`<p class="test-banner" role="note">${words.testBook[language]} · <a href="/b/${business.id}">${words.toLiveBook[language]}</a></p>`;
}

function header(visit: Visit | MemberVisit): Markup {
  const { language, session, csrfToken } = visit;
  const name = isMember(visit)
    ? html`<a class="business" href="/b/${visit.business.id}">${isolate(visit.business.name, language)}</a>`
    : null;
  const person =
    session &&
    html`<li><a href="/account">${words.account[language]}</a></li><li>${postForm('/sign-out', csrfToken, html`<button class="plain">${words.signOut[language]}</button>`)}</li>`;
  return html`<header class="top"><a class="brand" href="/">${words.brand[language]}</a>${name}<ul class="person"><li>${languageSwitch(visit)}</li>${person}</ul></header>`;
}

/** A whole page: what the reply shows, in the frame that every page has. */
export function shell(reply: Extract<PageReply, { kind: 'html' }>, visit: Visit | MemberVisit): string {
  const { language } = visit;
  const { icon, style, script } = pageAssets();
  const member = isMember(visit) ? visit : null;
  const title = `${reply.title} – ${member ? `${member.business.name} – ` : ''}${words.brand[language]}`;
  const page = html`<html lang="${language}" dir="${directions[language]}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><link rel="icon" href="${icon.path}" type="image/svg+xml"><title>${title}</title><link rel="stylesheet" href="${style.path}"><script type="module" src="${script.path}"></script></head><body${member && html` class="member"`}><a class="skip" href="#content">${words.skip[language]}</a>${header(visit)}${member && navigation(member)}<main id="content" tabindex="-1">${member?.isTest ? testBanner(member) : null}${reply.body}</main></body></html>`;
  return `<!doctype html>\n${page.text}`;
}
