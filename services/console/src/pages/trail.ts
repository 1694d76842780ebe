import { type Database, forTenant, InjectDatabase, RpcClient } from '@pinkas/service-kit';
import {
  button,
  card,
  choice,
  emptyState,
  field,
  filterForm,
  html,
  linkButton,
  type Markup,
  notice,
  pageHead,
  pager,
  type Words,
} from '@pinkas/ui';
import type { ConsoleTables } from '../db/console.tables.js';
import { ConsolePage, type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { listMembers } from '../people/member.repository.js';
import { trailEntry } from './trail/trail-entry.js';
import { readTrailNames } from './trail/trail-names.js';
import { readPositions, readTrail } from './trail/trail-pages.js';
import { filterOf, readTrailValues, type TrailValues } from './trail/trail-query.js';
import { trailKinds } from './trail/trail-words.js';
import { words } from './words.js';

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

const pageSize = 40;

/** Who changed what, over all services, the latest first. */
@ConsolePage({ method: 'GET', path: '/trail', access: 'reader', books: true })
export class ShowTrail {
  constructor(
    private readonly rpc: RpcClient,
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, business, language, link, query } = visit;
    const values = readTrailValues(query);
    const filter = await filterOf(this.rpc, bookId, values);
    const positions = readPositions(query.get('before'));
    const [trail, members] = await Promise.all([
      readTrail(this.rpc, bookId, filter, positions, pageSize),
      listMembers(forTenant(this.db, business.id), business.id),
    ]);
    const names = await readTrailNames({ rpc: this.rpc, db: this.db }, visit, trail.entries);
    const list =
      trail.entries.length === 0
        ? emptyState({
            title: texts.none[language],
            ...(trail.next !== null && { text: texts.older[language] }),
          })
        : html`<ol class="trail">
  ${trail.entries.map((entry) => trailEntry(visit, entry, names))}
</ol>`;
    const linkTo = (before: string | undefined) => link('/trail', { ...values, before });
    return page(
      words.trail[language],
      html`
${pageHead({
  title: words.trail[language],
  language,
  lead: texts.what[language],
  secondary: [linkButton({ href: link('/trail/csv', { ...values }), text: 'CSV', download: true })],
})}
${trail.isPart ? notice('error', texts.away[language]) : null}
${trailFilters(visit, values, members)}
${card({ id: 'entries', title: words.trail[language], titleHidden: true, content: list })}
${pager(
  {
    first: query.has('before') ? linkTo(undefined) : null,
    next: trail.next === null ? null : linkTo(trail.next),
  },
  language,
  words.trail[language],
)}`,
    );
  }
}

function trailFilters(
  { language, link }: MemberVisit,
  values: TrailValues,
  members: readonly { readonly person_id: string; readonly email: string }[],
): Markup {
  const kinds = Object.entries(trailKinds).map(([kind, { word }]) => [kind, word[language]] as const);
  const dateField = (name: 'from' | 'to') =>
    field({ name, type: 'date', label: texts[name][language], value: values[name] });
  return filterForm({
    action: link('/trail'),
    content: html`
${choice({
  name: 'kind',
  label: texts.kind[language],
  value: values.kind,
  options: [['', texts.any[language]], ...kinds],
})}
${choice({
  name: 'actor',
  label: texts.actor[language],
  value: values.actor,
  options: [
    ['', texts.anyone[language]],
    ['person', texts.person[language]],
    ...members.map(({ person_id, email }) => [`person:${person_id}`, email] as const),
    ['key', texts.key[language]],
    ['operator', texts.operator[language]],
    ['service:delivery', texts.system[language]],
  ],
})}
${dateField('from')}
${dateField('to')}
${field({
  name: 'document',
  label: texts.document[language],
  value: values.document,
  ltr: true,
})}`,
    acts: html`
${button({ text: texts.show[language], kind: 'secondary' })}
${linkButton({ href: link('/trail'), text: texts.clear[language], kind: 'quiet' })}`,
  });
}
