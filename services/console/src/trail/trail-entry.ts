import type { TrailEntry } from '@pinkas/contracts';
import { isCalendarDate } from '@pinkas/domain';
import type { CsvColumn } from '@pinkas/exports';
import {
  amount,
  day,
  dayAndTime,
  disclosure,
  formatDate,
  formatInstantDay,
  formatInstantTime,
  formatMoney,
  html,
  isolate,
  type Language,
  leftToRight,
  type Markup,
} from '@pinkas/ui';
import { requestsPath } from '../connection/requests/request-parts.js';
import { endpointsPath } from '../connection/webhooks/endpoint-parts.js';
import { type IconName, icon } from '../frame/icons.js';
import { addressFor, type TrailNames } from '../frame/trail-names.js';
import type { MemberVisit } from '../http/visit.js';
import { beforeEveryDocument } from '../reports/period.js';
import { actionWords, fieldWords, type TrailKind, trailKinds, valueWords } from './trail-words.js';

const texts = {
  operator: { he: 'מפעיל המערכת', en: 'the operator' },
  key: { he: 'מפתח API', en: 'API key' },
  owner: { he: 'בעלי העסק, ברשות המסים', en: 'the owner, at the tax authority' },
  system: { he: 'המערכת', en: 'the system' },
  person: { he: 'אדם', en: 'a person' },
  customer: { he: 'לכרטיס', en: 'To the card' },
  details: { he: 'כל השינויים', en: 'All changes' },
  to: { he: 'היה; עכשיו:', en: 'before; now:' },
  when: { he: 'מתי', en: 'When' },
  what: { he: 'מה', en: 'What' },
  about: { he: 'על מה', en: 'About' },
  who: { he: 'מי', en: 'By whom' },
  changes: { he: 'שינויים', en: 'Changes' },
  selected: { he: 'מסמכים שנבחרו', en: 'chosen documents' },
  filtered: { he: 'מסמכים לפי סינון', en: 'documents of a filter' },
  unknown: { he: 'לא ידוע', en: 'not known' },
} as const;

/** From what was to what is, in the direction of the text. */
const arrows = { he: '←', en: '→' } as const;

/** So many changes are seen without opening anything. */
const shownMax = 4;

/** An entry of the trail in words: what, about what, by whom, when, and from what to what. */
export function trailEntry(visit: MemberVisit, entry: TrailEntry, names: TrailNames): Markup {
  const { language } = visit;
  const changes = changesOf(entry).map((change) => changeItem(change, names, language));
  const list = html`<ul class="changes">
    ${changes}
  </ul>`;
  const shown =
    changes.length > shownMax ? disclosure(`${texts.details[language]} (${changes.length})`, list) : list;
  const actor = isolate(actorText(entry.actor, names, language), language);
  return html`<li>
  <p>${icon(iconOf(entry))} <strong>${actionText(entry, language)}</strong> ${subjectOf(entry, names, visit)}</p>
  ${changes.length === 0 ? null : shown}
  <p class="who soft">${actor} · ${leftToRight(formatInstantTime(entry.at))}</p>
</li>
`;
}

/** The drawing of each kind of change. */
const kindIcons = {
  documents: 'documents',
  messages: 'message',
  settings: 'business',
  keys: 'key',
  webhooks: 'connection',
  people: 'people',
  authority: 'authority',
  customers: 'customers',
  exports: 'exports',
} as const satisfies Record<TrailKind, IconName>;

function iconOf({ action }: TrailEntry): IconName {
  const [kind] =
    Object.entries(trailKinds).find(([, { actions }]) => actions.some((known) => known === action)) ?? [];
  return kind === undefined ? 'trail' : kindIcons[kind as TrailKind];
}

/** The columns of the entries in a file for a spreadsheet. */
export function trailColumns(names: TrailNames, language: Language): CsvColumn<TrailEntry>[] {
  const { customers, documents, endpoints, keys, people } = names;
  const subjectName = ({ subject }: TrailEntry) =>
    documents.get(subject) ??
    customers.get(subject) ??
    endpoints.get(subject) ??
    keys.get(subject) ??
    people.get(subject) ??
    subject;
  return [
    [texts.when[language], ({ at }) => instantText(at, language)],
    [texts.what[language], (entry) => actionText(entry, language)],
    [texts.about[language], subjectName],
    [texts.who[language], ({ actor }) => actorText(actor, names, language)],
    [
      texts.changes[language],
      (entry) =>
        changesOf(entry)
          .map((change) => changeText(change, names, language))
          .join('; '),
    ],
  ];
}

function changeText({ name, before, after }: Change, names: TrailNames, language: Language): string {
  const [old, now] = [before, after].map((value) => {
    const shown = shownValue(name, value, names, language);
    return shown && textOfShown(shown, language);
  });
  return `${labelOf(name, language)}: ${old ? `${old} > ${now ?? '–'}` : now}`;
}

const instantText = (at: string, language: Language): string =>
  `${formatInstantDay(at, language)} ${formatInstantTime(at)}`;

const actionText = ({ action }: TrailEntry, language: Language) => actionWords[action]?.[language] ?? action;

function subjectOf(
  { action, subject }: TrailEntry,
  { customers, documents, endpoints, keys, people }: TrailNames,
  { language, link, role }: MemberVisit,
): Markup | null {
  const document = documents.get(subject);
  if (document) {
    return html`<a href="${link(`/documents/${subject}`)}">${document}</a>`;
  }
  if (action.startsWith('customer.')) {
    const name = customers.get(subject);
    const text = name === undefined ? html`${texts.customer[language]}` : isolate(name, language);
    return html`<a href="${link(`/customers/${subject}`)}">${text}</a>`;
  }
  if (action === 'request.open') {
    return html`<a href="${link(`${requestsPath}/${subject}`)}">${leftToRight(subject)}</a>`;
  }
  const url = endpoints.get(subject);
  if (url !== undefined) {
    const text = leftToRight(url);
    return role === 'owner' ? html`<a href="${link(`${endpointsPath}/${subject}`)}">${text}</a>` : text;
  }
  if (action.startsWith('suppression.')) {
    return leftToRight(subject);
  }
  const name = keys.get(subject) ?? people.get(subject);
  return name ? isolate(name, language) : null;
}

function actorText(actor: string, { people, keys }: TrailNames, language: Language): string {
  const [kind, id = ''] = actor.split(':');
  switch (kind) {
    case 'operator':
      return texts.operator[language];
    case 'person':
      return people.get(id) ?? texts.person[language];
    case 'key':
      return `${texts.key[language]} ${keys.get(id) ?? id.slice(0, 8)}`;
    case 'owner':
      return texts.owner[language];
    default:
      return texts.system[language];
  }
}

interface Change {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The members that differ. Those of a member are members as well: `auto_send.enabled`. */
function changesOf({ action, before, after }: TrailEntry): Change[] {
  const [old, now] = [flat(before), flat(after)];
  if (action === 'document.state') {
    leaveOneState(old, now);
  }
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((name) => isShown(name, now))
    .map((name) => ({ name, before: old.get(name) ?? null, after: now.get(name) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

/**
 * A receipt of any amount closes an invoice: how far it is settled is what a person means by its state. An entry of before that was
 * recorded has what is paid of it.
 */
function leaveOneState(old: Map<string, unknown>, now: Map<string, unknown>): void {
  const isSettlement = old.has('settlement') && now.has('settlement');
  const hidden = isSettlement || old.get('paid') !== now.get('paid') ? ['status'] : [];
  for (const name of isSettlement ? hidden : [...hidden, 'settlement']) {
    old.delete(name);
    now.delete(name);
  }
}

/** The id of a message names nothing to a person, and a file of a list without dates has none. */
const isShown = (name: string, after: ReadonlyMap<string, unknown>): boolean =>
  name !== 'delivery_id' &&
  !(after.get('from') === beforeEveryDocument && (name === 'from' || name === 'to'));

function flat(value: unknown, prefix = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return prefix === '' ? new Map() : new Map([[prefix, value]]);
  }
  return new Map(
    Object.entries(value).flatMap(([name, member]) => [
      ...flat(member, prefix === '' ? name : `${prefix}.${name}`),
    ]),
  );
}

const labelOf = (name: string, language: Language) =>
  name
    .split('.')
    .map((part) => fieldWords[part]?.[language] ?? part.replaceAll('_', ' '))
    .join(', ');

function changeItem({ name, before, after }: Change, names: TrailNames, language: Language): Markup {
  const [old, now] = [before, after].map((value) => {
    const shown = shownValue(name, value, names, language);
    return shown && markupOfShown(shown, language);
  });
  if (!old) {
    return html`<li><span class="term">${labelOf(name, language)}:</span> ${now ?? null}</li>
    `;
  }
  return html`<li>
      <span class="term">${labelOf(name, language)}:</span>
      <del>${old}</del>
      <span aria-hidden="true">${arrows[language]}</span>
      <span class="visually-hidden">${texts.to[language]}</span>
      <ins>${now ?? '–'}</ins>
    </li>
    `;
}

/** A value, and how it is written. */
interface Shown {
  readonly kind: 'instant' | 'date' | 'amount' | 'text';
  readonly text: string;
}

const instantForm = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** A name that somebody gave may look like an instant, and be none. */
const isInstant = (text: string) => instantForm.test(text) && !Number.isNaN(Date.parse(text));
/** In ILS. */
const amounts = new Set(['amount', 'paid', 'set_off', 'withheld', 'allocation_threshold_net']);

/** A value in words; null: there is none. */
function shownValue(name: string, value: unknown, names: TrailNames, language: Language): Shown | null {
  if (value === null || value === undefined || value === '') {
    return null;
  }
  if (Array.isArray(value)) {
    return { kind: 'text', text: value.map((item) => textOf(item, language)).join(', ') };
  }
  const text = String(value);
  if (isInstant(text)) {
    return { kind: 'instant', text };
  }
  if (isCalendarDate(text)) {
    return { kind: 'date', text };
  }
  if (amounts.has(name) && Number.isFinite(Number(text))) {
    return { kind: 'amount', text };
  }
  if (name === 'filter') {
    return { kind: 'text', text: texts[text.includes('document_ids') ? 'selected' : 'filtered'][language] };
  }
  if (name === 'customer_id') {
    return { kind: 'text', text: names.customers.get(text) ?? texts.unknown[language] };
  }
  if (name === 'url') {
    return { kind: 'text', text: addressFor(names.role, text) };
  }
  return { kind: 'text', text: names.people.get(text) ?? textOf(value, language) };
}

function markupOfShown({ kind, text }: Shown, language: Language): Markup {
  switch (kind) {
    case 'instant':
      return dayAndTime(text, language);
    case 'date':
      return day(text, language);
    case 'amount':
      return amount(Number(text), language);
    default:
      return isolate(text, language);
  }
}

function textOfShown({ kind, text }: Shown, language: Language): string {
  switch (kind) {
    case 'instant':
      return instantText(text, language);
    case 'date':
      return formatDate(text, language);
    case 'amount':
      return formatMoney(Number(text));
    default:
      return text;
  }
}

function textOf(value: unknown, language: Language): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return valueWords[text]?.[language] ?? text;
}
