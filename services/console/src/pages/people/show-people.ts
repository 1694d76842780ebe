import type { Member } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase } from '@pinkas/service-kit';
import { html, type Language, leftToRight, type Markup } from '@pinkas/ui';
import { ConsolePage, type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { listMembers } from '../../people/member.repository.js';
import type { ConsoleTables } from '../../session/session.tables.js';
import { day } from '../parts.js';
import { words } from '../words.js';
import { peopleWords as texts } from './people-words.js';

function memberRow(visit: MemberVisit, member: Member, language: Language): Markup {
  const isYou = member.person_id === visit.session.personId;
  const action =
    visit.role === 'owner' &&
    html`<td><a href="${visit.link(`/people/${member.person_id}`)}">${texts.change[language]}<span class="visually-hidden"> ${member.email}</span></a></td>`;
  return html`<tr><th scope="row">${leftToRight(member.email)}${isYou && html` <span class="badge">${texts.you[language]}</span>`}${member.undelivered_at !== null && html` <span class="badge cancelled">${texts.undelivered[language]}</span>`}</th><td>${words[member.role][language]}</td><td>${day(dayInIsrael(new Date(member.invited_at)), language)}</td>${action}</tr>`;
}

/** Shows who may use the business. */
@ConsolePage({ method: 'GET', path: '/people', access: 'reader' })
export class ShowPeople {
  constructor(@InjectDatabase() private readonly db: Database<ConsoleTables>) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { language, business, role } = visit;
    const members = await listMembers(forTenant(this.db, business.id), business.id);
    const isOwner = role === 'owner';
    const rows = members.map((member) => memberRow(visit, member, language));
    return page(
      words.people[language],
      html`<h1 id="people">${words.people[language]}</h1><p>${texts.lead[language]}</p>${
        isOwner &&
        html`<p><a class="button" href="${visit.link('/people/invite')}">${texts.invite[language]}</a></p>`
      }<div class="table" role="region" aria-labelledby="people" tabindex="0"><table><thead><tr><th scope="col">${texts.email[language]}</th><th scope="col">${texts.role[language]}</th><th scope="col">${texts.since[language]}</th>${
        isOwner && html`<th scope="col">${texts.action[language]}</th>`
      }</tr></thead><tbody>${rows}</tbody></table></div><p><a class="button quiet danger" href="${visit.link('/people/leave')}">${texts.leave[language]}</a></p>`,
    );
  }
}
