import { type Database, forTenant, InjectDatabase } from '@pinkas/service-kit';
import { button, form, html, linkButton, notice, pageHead } from '@pinkas/ui';
import type { ConsoleTables } from '../../db/console.tables.js';
import { ConsolePage, type PageReply, page, redirect } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { hasOtherOwner } from '../../people/member.repository.js';
import { LastOwnerError, Members } from '../../people/members.js';
import { words } from '../words.js';
import { peopleWords as texts } from './people-words.js';

function leavePage(
  { csrfToken, language, link }: MemberVisit,
  isLastOwner: boolean,
  status = 200,
): PageReply {
  const back = linkButton({ href: link('/people'), text: words.back[language], kind: 'quiet' });
  const content = isLastOwner
    ? html`${notice('error', texts.lastOwner[language])}
<div class="buttons">
  ${back}
</div>`
    : html`<div class="card">
  <p>${texts.leaveLead[language]}</p>
  ${form({
    action: link('/people/leave'),
    csrfToken,
    content: html``,
    acts: html`${button({ text: texts.leaveButton[language], kind: 'danger' })}${back}`,
  })}
</div>`;
  return page(
    texts.leaveTitle[language],
    html`${pageHead({
      title: texts.leaveTitle[language],
      language,
      crumbs: [{ text: words.people[language], href: link('/people') }],
    })}
${content}`,
    status,
  );
}

/** Says what leaving a business does. */
@ConsolePage({ method: 'GET', path: '/people/leave', access: 'reader', freshProof: true })
export class ConfirmDeparture {
  constructor(@InjectDatabase() private readonly db: Database<ConsoleTables>) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const key = { business_id: visit.business.id, person_id: visit.session.personId };
    return leavePage(
      visit,
      visit.role === 'owner' && !(await hasOtherOwner(forTenant(this.db, visit.business.id), key)),
    );
  }
}

/** Takes the business away from the person who asks. */
@ConsolePage({
  method: 'POST',
  path: '/people/leave',
  access: 'reader',
  changes: 'nothing',
  freshProof: true,
})
export class LeaveBusiness {
  constructor(private readonly members: Members) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { personId } = visit.session;
    try {
      await this.members.remove(visit.business.id, { personId }, personId);
    } catch (error) {
      if (error instanceof LastOwnerError) {
        return leavePage(visit, true, 422);
      }
      throw error;
    }
    return redirect('/', { outcome: 'left' });
  }
}
