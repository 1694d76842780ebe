import { isUuid } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase } from '@pinkas/service-kit';
import { button, card, form, html, leftToRight, notice, pageHead, postForm } from '@pinkas/ui';
import type { ConsoleTables } from '../../db/console.tables.js';
import { errorPage } from '../../frame/message-pages.js';
import { words } from '../../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { findMember } from './member.repository.js';
import { LastOwnerError, Members } from './members.js';
import { type PeopleOutcome, peopleWords as texts } from './people-words.js';
import { readRole, roleField } from './role-field.js';

async function memberPage(
  db: Database<ConsoleTables>,
  visit: MemberVisit,
  isLastOwner: boolean,
): Promise<PageReply> {
  const { business, params, language, t, csrfToken } = visit;
  const personId = params.person ?? '';
  const member = isUuid(personId)
    ? await findMember(forTenant(db, business.id), business.id, { personId })
    : null;
  if (!member) {
    return errorPage('not_found', language);
  }
  const root = visit.link(`/people/${member.person_id}`);
  const remove = html`<p>${t(texts.removeLead)}</p>
${postForm(`${root}/remove`, csrfToken, button({ text: t(texts.remove), kind: 'danger' }))}`;
  return page(
    member.email,
    html`${pageHead({
      title: leftToRight(member.email),
      language,
      crumbs: [{ text: t(words.people), href: visit.link('/people') }],
    })}
${isLastOwner ? notice('error', t(texts.lastOwner)) : null}
<div class="card">
  ${form({
    action: `${root}/role`,
    csrfToken,
    content: roleField(member.role, language),
    acts: button({ text: t(words.save) }),
  })}
</div>
${card({ id: 'remove', title: t(texts.remove), content: remove })}`,
    isLastOwner ? 422 : 200,
  );
}

/** One person of a business. */
@PageController({ path: '/people/:person', access: 'owner', freshProof: true })
export class MemberPages {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    private readonly members: Members,
  ) {}

  @ConsolePage({ method: 'GET' })
  show(visit: MemberVisit): Promise<PageReply> {
    return memberPage(this.db, visit, false);
  }

  @ConsolePage({ method: 'POST', path: '/role', changes: 'nothing' })
  changeRole(visit: MemberVisit): Promise<PageReply> {
    const { business, form, session } = visit;
    return changeMember(this.db, visit, 'role_changed', (memberId) =>
      this.members.setRole(business.id, memberId, readRole(form), session.personId),
    );
  }

  @ConsolePage({ method: 'POST', path: '/remove', changes: 'nothing' })
  remove(visit: MemberVisit): Promise<PageReply> {
    const { business, session } = visit;
    return changeMember(this.db, visit, 'removed', (memberId) =>
      this.members.remove(business.id, { personId: memberId }, session.personId),
    );
  }
}

async function changeMember(
  db: Database<ConsoleTables>,
  visit: MemberVisit,
  outcome: PeopleOutcome,
  change: (memberId: string) => Promise<unknown>,
): Promise<PageReply> {
  const memberId = visit.params.person ?? '';
  if (!isUuid(memberId)) {
    return errorPage('not_found', visit.language);
  }
  try {
    await change(memberId.toLowerCase());
  } catch (error) {
    if (error instanceof LastOwnerError) {
      return memberPage(db, visit, true);
    }
    throw error;
  }
  // A person who has removed themselves has no page of the business left.
  return memberId.toLowerCase() === visit.session.personId && outcome === 'removed'
    ? redirect('/', { outcome: 'left' })
    : redirect(visit.link('/people'), { outcome });
}
