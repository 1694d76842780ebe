import type { TrailEntry } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { csvHead, csvRows } from '@pinkas/exports';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  RpcClient,
} from '@pinkas/service-kit';
import {
  button,
  card,
  choice,
  emptyState,
  field,
  filterForm,
  html,
  type Language,
  linkButton,
  type Markup,
  notice,
  pageHead,
  pager,
  type Words,
} from '@pinkas/ui';
import { listMembers } from '../access/people/member.repository.js';
import type { ConsoleTables } from '../db/console.tables.js';
import { readTrailNames, type TrailNames } from '../frame/trail-names.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page } from '../http/console-page.js';
import { csvFile } from '../http/file-replies.js';
import type { MemberVisit } from '../http/visit.js';
import { type Positions, readPositions, readTrail, type TrailPage } from './read-trail.js';
import { trailColumns, trailEntry } from './trail-entry.js';
import { filterOf, readTrailValues, type TrailFilter, type TrailValues } from './trail-query.js';
import { trailKinds } from './trail-words.js';

const texts = {
  what: {
    he: 'כל שינוי בהגדרות, במפתחות, באנשים ובמסמכים, החדש ראשון. אי אפשר למחוק או לשנות רשומה.',
    en: 'Every change of settings, keys, people and documents, the latest first. No entry can be deleted or changed.',
  },
  none: { he: 'לא נמצאו רשומות.', en: 'No entries were found.' },
  older: { he: 'ייתכן שיש רשומות ישנות יותר בדף הבא.', en: 'Older entries may be on the next page.' },
  away: { he: 'חלק מהיומן אינו זמין כרגע.', en: 'A part of the trail is not available right now.' },
  kind: { he: 'מה השתנה', en: 'What was changed' },
  any: { he: 'הכול', en: 'Everything' },
  actor: { he: 'מי', en: 'By whom' },
  anyone: { he: 'כולם', en: 'Everybody' },
  person: { he: 'כל אדם', en: 'Any person' },
  key: { he: 'מפתחות API', en: 'API keys' },
  operator: { he: 'מפעיל המערכת', en: 'The operator' },
  system: { he: 'המערכת', en: 'The system' },
  document: { he: 'מספר מסמך', en: 'Document number' },
  from: { he: 'מתאריך', en: 'From' },
  to: { he: 'עד תאריך', en: 'To' },
  show: { he: 'הצגה', en: 'Show' },
  clear: { he: 'ניקוי', en: 'Clear' },
} as const satisfies Record<string, Words>;

/** Entries of one page. */
const pageSize = 40;
/** Entries that one call reads of each service for a file. */
const callSize = 100;
/** So many entries are in one file; those that are older are in another, of other dates. */
const entriesMax = 20_000;

/** Who changed what, over all services, the latest first. */
@PageController({ access: 'reader', path: '/trail', books: true })
export class TrailPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { bookId, business, language, t, link, query } = visit;
    const values = readTrailValues(query);
    const filter = await filterOf(this.rpc, bookId, values);
    const positions = readPositions(query.get('before'));
    const [trail, members] = await Promise.all([
      readTrail(this.rpc, bookId, filter, positions, pageSize),
      listMembers(forTenant(this.db, business.id), business.id),
    ]);
    const names = await this.#names(visit, trail.entries);
    const list =
      trail.entries.length === 0
        ? emptyState({
            title: t(texts.none),
            ...(trail.next !== null && { text: t(texts.older) }),
          })
        : entriesByDay(visit, trail.entries, names);
    const linkTo = (before: string | undefined) => link('/trail', { ...values, before });
    return page(
      t(words.trail),
      html`
${pageHead({
  title: t(words.trail),
  language,
  lead: t(texts.what),
  secondary: [linkButton({ href: link('/trail/csv', { ...values }), text: 'CSV', download: true })],
})}
${trail.isPart ? notice('error', t(texts.away)) : null}
${trailFilters(visit, values, members)}
${card({ id: 'entries', title: t(words.trail), titleHidden: true, content: list })}
${pager(
  {
    first: query.has('before') ? linkTo(undefined) : null,
    next: trail.next === null ? null : linkTo(trail.next),
  },
  language,
  t(words.trail),
)}`,
    );
  }

  /** What the page finds, as a table for a spreadsheet. */
  @ConsolePage({ method: 'GET', path: '/csv' })
  async csv(visit: MemberVisit): Promise<PageReply> {
    const filter = await filterOf(this.rpc, visit.bookId, readTrailValues(visit.query));
    const first = await this.#complete(visit, filter, readPositions(null));
    return csvFile(`trail-${dayInIsrael(this.clock.now())}.csv`, this.#parts(visit, filter, first));
  }

  async *#parts(visit: MemberVisit, filter: TrailFilter, first: TrailPage): AsyncGenerator<string> {
    let written = 0;
    for (let trail = first; ; trail = await this.#complete(visit, filter, readPositions(trail.next))) {
      const columns = trailColumns(await this.#names(visit, trail.entries), visit.language);
      yield (trail === first ? csvHead(columns) : '') + csvRows(columns, trail.entries);
      written += trail.entries.length;
      if (trail.next === null || written >= entriesMax) {
        return;
      }
    }
  }

  /** A part of a trail would be taken for all of it. */
  async #complete({ bookId }: MemberVisit, filter: TrailFilter, positions: Positions): Promise<TrailPage> {
    const trail = await readTrail(this.rpc, bookId, filter, positions, callSize);
    if (trail.isPart) {
      throw new ApiError('engine_error');
    }
    return trail;
  }

  #names(visit: MemberVisit, entries: readonly TrailEntry[]) {
    return readTrailNames({ rpc: this.rpc, db: this.db }, visit, entries);
  }
}

/** The entries in their order, those of one day below it. A clock that is behind begins a day again. */
function entriesByDay(visit: MemberVisit, entries: readonly TrailEntry[], names: TrailNames): Markup {
  const days: { readonly day: string; readonly entries: TrailEntry[] }[] = [];
  for (const entry of entries) {
    const day = dayInIsrael(new Date(entry.at));
    const last = days.at(-1);
    if (last?.day === day) {
      last.entries.push(entry);
    } else {
      days.push({ day, entries: [entry] });
    }
  }
  const parts = days.map(
    (of) => html`<h2 class="day">${longDay(of.day, visit.language)}</h2>
<ol class="trail">
  ${of.entries.map((entry) => trailEntry(visit, entry, names))}
</ol>
`,
  );
  return html`${parts}`;
}

const longDay = (day: string, language: Language): string =>
  new Intl.DateTimeFormat(language === 'he' ? 'he-IL' : 'en-GB', {
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
  }).format(new Date(`${day}T00:00:00Z`));

function trailFilters(
  { language, t, link }: MemberVisit,
  values: TrailValues,
  members: readonly { readonly person_id: string; readonly email: string }[],
): Markup {
  const kinds = Object.entries(trailKinds).map(([kind, { word }]) => [kind, t(word)] as const);
  const dateField = (name: 'from' | 'to') =>
    field({ name, type: 'date', language, label: t(texts[name]), value: values[name] });
  return filterForm({
    action: link('/trail'),
    content: html`
${choice({
  name: 'kind',
  label: t(texts.kind),
  value: values.kind,
  options: [['', t(texts.any)], ...kinds],
})}
${choice({
  name: 'actor',
  label: t(texts.actor),
  value: values.actor,
  options: [
    ['', t(texts.anyone)],
    ['person', t(texts.person)],
    ...members.map(({ person_id, email }) => [`person:${person_id}`, email] as const),
    ['key', t(texts.key)],
    ['operator', t(texts.operator)],
    ['service:delivery', t(texts.system)],
  ],
})}
${dateField('from')}
${dateField('to')}
${field({
  name: 'document',
  label: t(texts.document),
  value: values.document,
  ltr: true,
})}`,
    acts: html`
${button({ text: t(texts.show), kind: 'secondary' })}
${linkButton({ href: link('/trail'), text: t(texts.clear), kind: 'quiet' })}`,
  });
}
