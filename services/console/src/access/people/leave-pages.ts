import { type Database, forTenant, InjectDatabase } from '@pinkas/service-kit';
import { html, linkButton, notice, pageHead } from '@pinkas/ui';
import type { ConsoleTables } from '../../db/console.tables.js';
import { confirmation } from '../../frame/confirmation.js';
import { words } from '../../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { hasOtherOwner } from './member.repository.js';
import { LastOwnerError, Members } from './members.js';
import { peopleWords as texts } from './people-words.js';

/** The page of the last owner, who cannot leave. */
function lastOwnerPage(visit: MemberVisit, status: number): PageReply {
  const { language, link } = visit;
  const title = visit.t(texts.leaveTitle);
  const back = linkButton({ href: link('/people'), text: visit.t(words.back), kind: 'quiet' });
  return page(
    title,
    html`${pageHead({ title, language, crumbs: [crumbOf(visit)] })}
${notice('error', visit.t(texts.lastOwner))}
<div class="buttons">
  ${back}
</div>`,
    status,
  );
}

const crumbOf = (visit: MemberVisit) => ({ text: visit.t(words.people), href: visit.link('/people') });

/** Takes a business away from the person who asks for it. */
@PageController({ path: '/people/leave', access: 'reader', freshProof: true })
export class LeavePages {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    private readonly members: Members,
  ) {}

  @ConsolePage({ method: 'GET' })
  async confirm(visit: MemberVisit): Promise<PageReply> {
    const key = { business_id: visit.business.id, person_id: visit.session.personId };
    if (visit.role === 'owner' && !(await hasOtherOwner(forTenant(this.db, visit.business.id), key))) {
      return lastOwnerPage(visit, 200);
    }
    return confirmation(visit, {
      title: visit.t(texts.leaveTitle),
      crumbs: [crumbOf(visit)],
      content: html`<p>${visit.t(texts.leaveLead)}</p>`,
      button: { text: visit.t(texts.leaveButton), kind: 'danger' },
      element: 'div',
    });
  }

  @ConsolePage({ method: 'POST', changes: 'nothing' })
  async leave(visit: MemberVisit): Promise<PageReply> {
    const { personId } = visit.session;
    try {
      await this.members.remove(visit.business.id, { personId }, personId);
    } catch (error) {
      if (error instanceof LastOwnerError) {
        return lastOwnerPage(visit, 422);
      }
      throw error;
    }
    return redirect('/', { outcome: 'left' });
  }
}
