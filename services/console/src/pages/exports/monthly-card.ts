import type { Member } from '@pinkas/contracts';
import {
  badge,
  button,
  card,
  choice,
  form,
  hidden,
  html,
  leftToRight,
  linkButton,
  type Markup,
  postForm,
} from '@pinkas/ui';
import type { MemberVisit } from '../../http/visit.js';
import type { AccountantPackage, Schedule } from '../../package/package.repository.js';
import { monthText, packageFailures } from '../../package/package-words.js';
import { exportWords as texts } from './export-words.js';

/** The last day that each month has. */
const daysMax = 28;

/** Who gets the files of each month, and what became of those of the latest months. */
export function monthlyCard(
  visit: MemberVisit,
  given: {
    readonly schedule: Schedule | undefined;
    readonly packages: readonly AccountantPackage[];
    readonly members: readonly Member[];
  },
): Markup {
  const { language, link, role } = visit;
  const isOwner = role === 'owner';
  return card({
    id: 'monthly',
    title: texts.monthly[language],
    aside: isOwner
      ? linkButton({ href: link('/people/invite'), text: texts.invite[language], kind: 'quiet' })
      : null,
    content: html`
<p>${texts.monthlyLead[language]}</p>
${isOwner ? scheduleForm(visit, given.schedule, given.members) : scheduleFacts(visit, given.schedule, given.members)}
${monthList(visit, given.packages)}`,
  });
}

function scheduleForm(
  { csrfToken, language, link }: MemberVisit,
  schedule: Schedule | undefined,
  members: readonly Member[],
): Markup {
  const days = Array.from({ length: daysMax }, (_, index) => String(index + 1));
  return form({
    action: link('/exports/monthly'),
    csrfToken,
    content: html`
${choice({
  name: 'recipient',
  label: texts.recipient[language],
  value: schedule?.recipient_id ?? '',
  options: [['', texts.off[language]], ...members.map(({ person_id, email }) => [person_id, email] as const)],
})}
${choice({
  name: 'day',
  label: texts.day[language],
  value: String(schedule?.day_of_month ?? 1),
  options: days.map((day) => [day, day] as const),
})}`,
    acts: button({ text: texts.save[language], kind: 'secondary' }),
  });
}

function scheduleFacts(
  { language }: MemberVisit,
  schedule: Schedule | undefined,
  members: readonly Member[],
): Markup {
  const recipient = members.find(({ person_id }) => person_id === schedule?.recipient_id);
  return schedule && recipient
    ? html`<p>${leftToRight(recipient.email)}, ${texts.day[language]} ${schedule.day_of_month}</p>`
    : html`<p>${texts.notScheduled[language]}</p>`;
}

function monthList(visit: MemberVisit, packages: readonly AccountantPackage[]): Markup | null {
  const { csrfToken, language, link, role } = visit;
  if (packages.length === 0) {
    return null;
  }
  const badges = {
    preparing: badge('waiting', texts.preparing[language]),
    sent: badge('good', texts.packageSent[language]),
    failed: badge('bad', texts.failed[language]),
  };
  const again = (month: string) =>
    postForm(
      link('/exports/monthly/again'),
      csrfToken,
      html`
${hidden('month', month)}
${button({ text: texts.again[language], kind: 'secondary' })}`,
    );
  const items = packages.map(
    ({ month, state, failure }) => html`<li class="item">
    <div>
      <p class="item-title">${leftToRight(monthText(month))} ${badges[state]}</p>
      ${failure && html`<p>${packageFailures[failure][language]}</p>`}
    </div>
    ${state === 'failed' && role === 'owner' ? again(month) : null}
  </li>
  `,
  );
  return html`<ul class="items">
  ${items}
</ul>`;
}
