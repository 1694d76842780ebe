import { button, form, hidden, html, linkButton, pageHead, type Words } from '@pinkas/ui';
import { errorPage } from '../frame/message-pages.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import { Drafts } from '../http/drafts.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  title: { he: 'ממשיכים מאותה נקודה', en: 'Go on where you were' },
  lead: {
    he: 'מה שכתבת נשמר, ועוד לא נשלח. לחיצה על ״המשך״ שולחת את הטופס כפי שנכתב.',
    en: 'What you typed is kept, and was not sent. Continue sends the form as it was typed.',
  },
  goOn: { he: 'המשך', en: 'Continue' },
} as const satisfies Record<string, Words>;

/** A form that was sent while its person had to sign in, or to prove who they are: they go on with it by one press. */
@PageController({ path: '/forms/:form', access: 'reader', books: true })
export class ContinuePages {
  constructor(private readonly drafts: Drafts) {}

  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { csrfToken, language, t, link } = visit;
    const draft = await this.drafts.find(visit, visit.params.form ?? '');
    if (draft === null || !draft.path.startsWith(`${link('')}/`)) {
      return errorPage('not_found', language);
    }
    if (draft.path === link('/issue/document')) {
      return redirect(link(`/issue/drafts/${draft.id}`), { outcome: 'signed_in_again' });
    }
    const fields = [...draft.form].map(
      ([name, value]) => html`${hidden(name, value)}
    `,
    );
    const title = t(texts.title);
    const content = form({
      action: draft.path,
      csrfToken,
      content: html`<p>${t(texts.lead)}</p>
    ${fields}`,
      acts: html`${button({ text: t(texts.goOn) })}
    ${linkButton({ href: link(''), text: t(words.cancel), kind: 'quiet' })}`,
    });
    return page(
      title,
      html`${pageHead({ title, language })}
<div class="card">
  ${content}
</div>`,
    );
  }
}
