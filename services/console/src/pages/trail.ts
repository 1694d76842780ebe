import { type AuditEntry, auditing, type ServiceName, serviceNames } from '@pinkas/contracts';
import { acrossTenants, type Database, InjectDatabase, RpcClient } from '@pinkas/service-kit';
import { html, isolate, type Language, leftToRight, type Markup } from '@pinkas/ui';
import { ConsolePage, type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import type { ConsoleTables } from '../session/session.tables.js';
import { dayAndTime, notice, pager } from './parts.js';
import { unlessAway } from './unless-away.js';
import { type Words, words } from './words.js';

const texts = {
  what: {
    he: 'כל שינוי בהגדרות, במפתחות, באנשים ובמסמכים, החדש ראשון. אי אפשר למחוק או לשנות רשומה.',
    en: 'Every change of settings, keys, people and documents, the latest first. No entry can be deleted or changed.',
  },
  none: { he: 'עדיין אין רשומות.', en: 'No entries yet.' },
  away: { he: 'חלק מהיומן אינו זמין כרגע.', en: 'A part of the trail is not available right now.' },
  operator: { he: 'מפעיל המערכת', en: 'the operator' },
  key: { he: 'מפתח API', en: 'an API key' },
  owner: { he: 'בעלי העסק, ברשות המסים', en: 'the owner, at the tax authority' },
  system: { he: 'המערכת', en: 'the system' },
  person: { he: 'אדם', en: 'a person' },
  before: { he: 'לפני', en: 'Before' },
  after: { he: 'אחרי', en: 'After' },
  field: { he: 'שדה', en: 'Field' },
  details: { he: 'פרטים', en: 'Details' },
} as const satisfies Record<string, Words>;

/** What an action is called; one that is not here is shown by its own name. */
const actionWords: Readonly<Record<string, Words>> = {
  'business.create': { he: 'העסק נוצר', en: 'The business was created' },
  'business.update': { he: 'ההגדרות שונו', en: 'The settings were changed' },
  'key.create': { he: 'מפתח API נוצר', en: 'An API key was created' },
  'key.revoke': { he: 'מפתח API בוטל', en: 'An API key was revoked' },
  'document.state': { he: 'מצב מסמך השתנה', en: 'The state of a document changed' },
  'document.issue': { he: 'אדם הפיק מסמך', en: 'A person issued a document' },
  'allocation.retry': { he: 'מספר הקצאה התבקש שוב', en: 'An allocation number was requested again' },
  'donation.retry': { he: 'תרומה דווחה שוב', en: 'A donation was reported again' },
  'donation.cancel': { he: 'דיווח על תרומה בוטל', en: 'The report of a donation was cancelled' },
  'connection.start': { he: 'התחברות לרשות המסים החלה', en: 'A connection to the tax authority was started' },
  'connection.complete': { he: 'העסק חובר לרשות המסים', en: 'The business was connected' },
  'connection.end': { he: 'העסק נותק מרשות המסים', en: 'The business was disconnected' },
  'delivery.resend': { he: 'הודעות נשלחו שוב', en: 'Messages were sent again' },
  'message.send': { he: 'מסמך נשלח לכתובת', en: 'A document was sent to an address' },
  'reminder.send': { he: 'תזכורת תשלום נשלחה ללקוח', en: 'A customer was reminded of open documents' },
  'suppression.add': { he: 'נחסמה כתובת', en: 'An address was suppressed' },
  'suppression.remove': { he: 'כתובת אופשרה', en: 'An address was allowed' },
  'customer.update': { he: 'כרטיס לקוח תוקן', en: 'A customer card was corrected' },
  'book.export': { he: 'הספר יוצא לקבצים', en: 'The book was exported' },
  'person.invite': { he: 'אדם הוזמן', en: 'A person was invited' },
  'person.role': { he: 'תפקיד של אדם שונה', en: "A person's role was changed" },
  'person.remove': { he: 'אדם הוסר', en: 'A person was removed' },
  'person.leave': { he: 'אדם עזב', en: 'A person left' },
  'test_book.clear': { he: 'ספר הניסיון רוקן', en: 'The test book was emptied' },
};

const pageSize = 40;

interface ServiceEntry {
  readonly service: ServiceName;
  readonly entry: AuditEntry;
}

/** Where each service's trail goes on: `issuing:12.gateway:7`. A service that is not named has been read to its end. */
type Positions = ReadonlyMap<ServiceName, number | null>;

function readPositions(text: string | null): Positions {
  if (text === null) {
    return new Map(serviceNames.map((name) => [name, null]));
  }
  return new Map(
    text.split('.').flatMap((part) => {
      const [service, n] = part.split(':');
      const name = serviceNames.find((known) => known === service);
      return name && /^\d{1,15}$/.test(n ?? '') && Number(n) > 0 ? [[name, Number(n)] as const] : [];
    }),
  );
}

/** Who changed what, over all services, the latest first. */
@ConsolePage({ method: 'GET', path: '/trail', access: 'reader' })
export class ShowTrail {
  constructor(
    private readonly rpc: RpcClient,
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { business, language, link, query } = visit;
    const positions = readPositions(query.get('before'));
    const lists = await Promise.all(
      [...positions].map(async ([service, before]) => {
        const reply = await unlessAway(
          this.rpc.call(auditing[service].listLatestAuditEntries, {
            business_id: business.id,
            before,
            limit: pageSize + 1,
          }),
        );
        return { service, before, entries: reply?.entries ?? null };
      }),
    );
    const shown = merged(lists);
    const next = nextPositions(lists, shown);
    const names = await this.#namesOf(shown);
    const list =
      shown.length === 0
        ? html`<p class="empty">${texts.none[language]}</p>`
        : html`<ol class="trail">${shown.map((item) => entryMarkup(visit, item, names))}</ol>`;
    return page(
      words.trail[language],
      html`<h1>${words.trail[language]}</h1><p>${texts.what[language]}</p>${lists.some(({ entries }) => entries === null) ? notice('error', texts.away[language]) : null}<section class="card">${list}</section>${pager({ first: query.has('before') ? link('/trail') : null, next: next === null ? null : link('/trail', { before: next }) }, language, words.trail[language])}`,
    );
  }

  /** The addresses of the people who are named. */
  async #namesOf(shown: readonly ServiceEntry[]): Promise<ReadonlyMap<string, string>> {
    const ids = shown.flatMap(({ entry }) => /^person:(.+)$/.exec(entry.actor)?.[1] ?? []);
    if (ids.length === 0) {
      return new Map();
    }
    const people = await acrossTenants(this.db)
      .selectFrom('person')
      .select(['id', 'email'])
      .where('id', 'in', [...new Set(ids)])
      .execute();
    return new Map(people.map(({ id, email }) => [id, email]));
  }
}

/** The latest entries of all services, each trail in its own order, so that the next page begins where each of them was left. */
function merged(
  lists: readonly { service: ServiceName; entries: readonly AuditEntry[] | null }[],
): ServiceEntry[] {
  const rest = lists.map(({ service, entries }) =>
    (entries ?? []).map((entry): ServiceEntry => ({ service, entry })),
  );
  const at = (items: readonly ServiceEntry[]) => items[0]?.entry.at ?? '';
  const shown: ServiceEntry[] = [];
  while (shown.length < pageSize) {
    const latest = rest.reduce((one, other) => (at(other) > at(one) ? other : one), rest[0] ?? []).shift();
    if (!latest) {
      break;
    }
    shown.push(latest);
  }
  return shown;
}

/** Where the next page begins; null: there is none. */
function nextPositions(
  lists: readonly { service: ServiceName; before: number | null; entries: AuditEntry[] | null }[],
  shown: readonly ServiceEntry[],
): string | null {
  const parts = lists.flatMap(({ service, before, entries }) => {
    const own = shown.filter((item) => item.service === service);
    const last = own.at(-1)?.entry.n ?? before ?? Number.MAX_SAFE_INTEGER;
    if (entries === null) {
      // A service that is away is asked again from the same place.
      return before === null ? [] : [`${service}:${before}`];
    }
    const isMore = entries.length > own.length;
    return isMore && last > 1
      ? [`${service}:${last === Number.MAX_SAFE_INTEGER ? (entries[0]?.n ?? 0) + 1 : last}`]
      : [];
  });
  return parts.length === 0 ? null : parts.join('.');
}

function actorText(actor: string, names: ReadonlyMap<string, string>, language: Language): Markup {
  const [kind, id = ''] = actor.split(':');
  switch (kind) {
    case 'operator':
      return html`${texts.operator[language]}`;
    case 'person':
      return names.has(id) ? leftToRight(names.get(id) ?? '') : html`${texts.person[language]}`;
    case 'key':
      return html`${texts.key[language]} ${leftToRight(id.slice(0, 8))}`;
    case 'owner':
      return html`${texts.owner[language]}`;
    default:
      return html`${texts.system[language]}`;
  }
}

/** The members of what was there before and after that differ, as texts. */
function changesOf({ before, after }: AuditEntry): { name: string; before: string; after: string }[] {
  const [old, now] = [before, after].map(membersOf) as [Members, Members];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map((name) => ({ name, before: textOf(old[name]), after: textOf(now[name]) }))
    .filter((change) => change.before !== change.after);
}

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};

function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return '–';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function entryMarkup(
  visit: MemberVisit,
  { entry }: ServiceEntry,
  names: ReadonlyMap<string, string>,
): Markup {
  const { language, link } = visit;
  const title = actionWords[entry.action]?.[language] ?? entry.action;
  const subject = entry.action.startsWith('document.')
    ? html` <a href="${link(`/documents/${entry.subject}`)}">${leftToRight(entry.subject.slice(0, 8))}</a>`
    : null;
  const rows = changesOf(entry).map(
    ({ name, before, after }) =>
      html`<tr><th scope="row">${leftToRight(name)}</th><td data-label="${texts.before[language]}">${isolate(before, language)}</td><td data-label="${texts.after[language]}">${isolate(after, language)}</td></tr>`,
  );
  const details =
    rows.length === 0
      ? null
      : html`<details><summary>${texts.details[language]}</summary><div class="table changes"><table><thead><tr><th scope="col">${texts.field[language]}</th><th scope="col">${texts.before[language]}</th><th scope="col">${texts.after[language]}</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
  return html`<li><p><strong>${title}</strong>${subject}</p><p class="soft">${actorText(entry.actor, names, language)} · ${dayAndTime(entry.at, language)}</p>${details}</li>`;
}
