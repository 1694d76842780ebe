import type { Member } from '@pinkas/contracts';
import {
  badge,
  button,
  card,
  choice,
  day,
  form,
  hidden,
  html,
  leftToRight,
  linkButton,
  type Markup,
  postForm,
} from '@pinkas/ui';
import type { MemberVisit } from '../../http/visit.js';
import { exportWords as texts } from '../export/export-words.js';
import type { ExportView } from '../export/exports.js';
import {
  type AccountantPackage,
  completeMonth,
  nextPackage,
  packageFormats,
  type Schedule,
} from './package.repository.js';
import { packageContents, packageFailures, packageName, packageTitle } from './package-words.js';

/** The last day that each month has. */
const daysMax = 28;

/** What the card is of. */
interface Monthly {
  readonly schedule: Schedule | undefined;
  readonly packages: readonly AccountantPackage[];
  readonly members: readonly Member[];
  readonly exports: readonly ExportView[];
  /** YYYY-MM-DD. */
  readonly today: string;
}

/** Who gets the files of each period, when the next ones are sent, and what became of the latest. */
export function monthlyCard(visit: MemberVisit, given: Monthly): Markup {
  const { business, t, link, role } = visit;
  const isOwner = role === 'owner';
  const contents = packageFormats(business).map(
    (format) => html`<li>${t(packageContents[format])}</li>
    `,
  );
  return card({
    id: 'monthly',
    title: t(texts.monthly),
    aside: isOwner
      ? linkButton({ href: link('/people/invite'), text: t(texts.invite), kind: 'quiet' })
      : null,
    content: html`
<p>${t(texts.monthlyLead)} ${t(texts.monthlyEmail)}</p>
<p>${t(texts.contents)}</p>
<ul>
    ${contents}
</ul>
${isOwner ? scheduleForm(visit, given) : scheduleFacts(visit, given)}
${given.schedule ? next(visit, given.schedule, given) : null}
${monthList(visit, given)}`,
  });
}

function scheduleForm({ csrfToken, t, link }: MemberVisit, { schedule, members }: Monthly): Markup {
  const days = Array.from({ length: daysMax }, (_, index) => String(index + 1));
  return form({
    action: link('/exports/monthly'),
    csrfToken,
    content: html`
${choice({
  name: 'recipient',
  label: t(texts.recipient),
  value: schedule?.recipient_id ?? '',
  options: [['', t(texts.off)], ...members.map(({ person_id, email }) => [person_id, email] as const)],
})}
${choice({
  name: 'months',
  label: t(texts.period),
  value: String(schedule?.months ?? 1),
  options: [
    ['1', t(texts.ofOneMonth)],
    ['2', t(texts.ofTwoMonths)],
  ],
})}
${choice({
  name: 'day',
  label: t(texts.day),
  value: String(schedule?.day_of_month ?? 1),
  options: days.map((day) => [day, day] as const),
})}`,
    acts: button({ text: t(texts.save), kind: 'secondary' }),
  });
}

function scheduleFacts({ t }: MemberVisit, { schedule, members }: Monthly): Markup {
  const recipient = members.find(({ person_id }) => person_id === schedule?.recipient_id);
  return schedule && recipient
    ? html`<p>${leftToRight(recipient.email)}, ${t(texts.day)} ${schedule.day_of_month}</p>`
    : html`<p>${t(texts.notScheduled)}</p>`;
}

/** The next files with their day, and those that can be sent before it. */
function next(visit: MemberVisit, schedule: Schedule, { packages, today }: Monthly): Markup {
  const { language, t, link, role } = visit;
  const { month, dueOn } = nextPackage(schedule, packages, today);
  const { months } = schedule;
  const now = sendableNow(schedule, packages, today);
  const act =
    now !== null && role === 'owner'
      ? linkButton({
          href: link('/exports/monthly/now'),
          text: `${t(texts.sendNow)} ${packageTitle(now, language)}`,
        })
      : null;
  return html`<p>${t(texts.nextPackage)} <strong>${packageTitle({ month, months }, language)}</strong>,
${t(texts.dueOn)}${day(dueOn, language)}</p>
${act}`;
}

/** The latest complete period, where its files were not begun; null: they were. */
export function sendableNow(
  { months }: Pick<Schedule, 'months'>,
  packages: readonly Pick<AccountantPackage, 'month' | 'months'>[],
  today: string,
): { readonly month: string; readonly months: number } | null {
  const month = completeMonth(today, months);
  const isBegun = packages.some((other) => other.month === month && other.months === months);
  return isBegun ? null : { month, months };
}

function monthList(visit: MemberVisit, { packages, exports }: Monthly): Markup | null {
  const { csrfToken, language, t, link, role } = visit;
  if (packages.length === 0) {
    return null;
  }
  const badges = {
    preparing: badge('waiting', t(texts.preparing)),
    sent: badge('good', t(texts.packageSent)),
    failed: badge('bad', t(texts.failed)),
  };
  const again = (of: AccountantPackage) =>
    postForm(
      link('/exports/monthly/again'),
      csrfToken,
      html`
${hidden('period', packageName(of))}
${button({ text: t(texts.again), kind: 'secondary' })}`,
    );
  const all = (of: AccountantPackage) =>
    linkButton({ href: link(`/exports/monthly/${packageName(of)}/file`), text: t(texts.allAsZip) });
  const items = packages.map(
    (of) => html`<li class="item">
    <div>
      <p class="item-title">${packageTitle(of, language)} ${badges[of.state]}</p>
      ${of.failure && html`<p>${t(packageFailures[of.failure])}</p>`}
    </div>
    ${of.state === 'failed' && role === 'owner' ? again(of) : null}
    ${of.state === 'sent' && isKept(of, exports) ? all(of) : null}
  </li>
  `,
  );
  return html`<ul class="items">
  ${items}
</ul>`;
}

/** Whether all files of a period are there. */
function isKept({ month, months }: AccountantPackage, exports: readonly ExportView[]): boolean {
  const own = exports.filter(({ ofPackage: of }) => of?.month === month && of.months === months);
  return own.length > 0 && own.every(({ state }) => state === 'done');
}
