import type { Member } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase } from '@pinkas/service-kit';
import {
  badge,
  type Column,
  html,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  table,
} from '@pinkas/ui';
import type { ConsoleTables } from '../../db/console.tables.js';
import { words } from '../../frame/words.js';
import { ConsolePage, PageController, type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { listMembers } from './member.repository.js';
import { peopleOutcomes, peopleWords as texts } from './people-words.js';

function memberName(visit: MemberVisit, member: Member): Markup {
  const { language, session } = visit;
  const isYou = member.person_id === session.personId;
  return html`${leftToRight(member.email)}
          ${isYou && badge('neutral', texts.you[language])}
          ${arrivalBadge(member, language)}`;
}

/** Who was invited and has not come yet. */
function arrivalBadge(
  { joined_at, undelivered_at }: Member,
  language: MemberVisit['language'],
): Markup | null {
  if (undelivered_at !== null) {
    return badge('bad', texts.undelivered[language]);
  }
  return joined_at === null ? badge('waiting', texts.expected[language]) : null;
}

function changeLink(visit: MemberVisit, { email, person_id: id }: Member): Markup {
  const label = html`<span class="visually-hidden"> ${email}</span>`;
  return html`<a href="${visit.link(`/people/${id}`)}">${visit.t(texts.change)}${label}</a>`;
}

function memberTable(visit: MemberVisit, members: readonly Member[]): Markup {
  const { language, t, role } = visit;
  const change: Column<Member> = {
    head: t(texts.action),
    headHidden: true,
    kind: 'action',
    value: (member) => changeLink(visit, member),
  };
  return table<Member>({
    caption: t(words.people),
    language,
    rows: members,
    columns: [
      { head: t(texts.email), value: (member) => memberName(visit, member) },
      { head: t(texts.role), value: (member) => html`${t(words[member.role])}` },
      {
        head: t(texts.since),
        kind: 'date',
        value: (member) => dayInIsrael(new Date(member.invited_at)),
      },
      ...(role === 'owner' ? [change] : []),
    ],
  });
}

/** The people of a business. */
@PageController({ path: '/people', access: 'reader' })
export class PeoplePages {
  constructor(@InjectDatabase() private readonly db: Database<ConsoleTables>) {}

  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { language, t, business, outcome, role } = visit;
    const [, done] = Object.entries(peopleOutcomes).find(([name]) => name === outcome) ?? [];
    const members = await listMembers(forTenant(this.db, business.id), business.id);
    const invite = linkButton({
      href: visit.link('/people/invite'),
      text: t(texts.invite),
      kind: 'primary',
    });
    const leave = linkButton({
      href: visit.link('/people/leave'),
      text: t(texts.leave),
      kind: 'quiet',
    });
    return page(
      t(words.people),
      html`${pageHead({
        title: t(words.people),
        language,
        lead: t(texts.lead),
        primary: role === 'owner' ? invite : null,
      })}
${done ? notice('done', t(done)) : null}
${memberTable(visit, members)}
<div class="buttons">
  ${leave}
</div>`,
    );
  }
}
