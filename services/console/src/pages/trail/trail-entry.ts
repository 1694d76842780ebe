import type { AuditEntry } from '@pinkas/contracts';
import {
  day,
  dayAndTime,
  disclosure,
  html,
  isolate,
  type Language,
  leftToRight,
  type Markup,
} from '@pinkas/ui';
import type { MemberVisit } from '../../http/visit.js';
import { endpointsPath } from '../webhooks/endpoint-parts.js';
import type { TrailNames } from './trail-names.js';
import { actionWords, fieldWords, valueWords } from './trail-words.js';

const texts = {
  operator: { he: 'מפעיל המערכת', en: 'the operator' },
  key: { he: 'מפתח API', en: 'API key' },
  owner: { he: 'בעלי העסק, ברשות המסים', en: 'the owner, at the tax authority' },
  system: { he: 'המערכת', en: 'the system' },
  person: { he: 'אדם', en: 'a person' },
  customer: { he: 'לכרטיס', en: 'To the card' },
  details: { he: 'כל השינויים', en: 'All changes' },
  to: { he: 'היה; עכשיו:', en: 'before; now:' },
} as const;

/** From what was to what is, in the direction of the text. */
const arrows = { he: '←', en: '→' } as const;

/** So many changes are seen without opening anything. */
const shownMax = 4;

/** An entry of the trail in words: what, about what, by whom, when, and from what to what. */
export function trailEntry(visit: MemberVisit, entry: AuditEntry, names: TrailNames): Markup {
  const { language } = visit;
  const title = actionWords[entry.action]?.[language] ?? entry.action;
  const changes = changesOf(entry).map((change) => changeItem(change, names, language));
  const list = html`<ul class="changes">
    ${changes}
  </ul>`;
  const shown =
    changes.length > shownMax ? disclosure(`${texts.details[language]} (${changes.length})`, list) : list;
  return html`<li>
  <p><strong>${title}</strong> ${subjectOf(entry, names, visit)}</p>
  ${changes.length === 0 ? null : shown}
  <p class="soft">${actorText(entry.actor, names, language)} · ${dayAndTime(entry.at, language)}</p>
</li>
`;
}

function subjectOf(
  { action, subject }: AuditEntry,
  { documents, endpoints, keys, people }: TrailNames,
  { language, link, role }: MemberVisit,
): Markup | null {
  const document = documents.get(subject);
  if (document) {
    return html`<a href="${link(`/documents/${subject}`)}">${document}</a>`;
  }
  if (action.startsWith('customer.')) {
    return html`<a href="${link(`/customers/${subject}`)}">${texts.customer[language]}</a>`;
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

function actorText(actor: string, { people, keys }: TrailNames, language: Language): Markup {
  const [kind, id = ''] = actor.split(':');
  switch (kind) {
    case 'operator':
      return html`${texts.operator[language]}`;
    case 'person':
      return people.has(id) ? leftToRight(people.get(id) ?? '') : html`${texts.person[language]}`;
    case 'key':
      return html`${texts.key[language]} ${isolate(keys.get(id) ?? id.slice(0, 8), language)}`;
    case 'owner':
      return html`${texts.owner[language]}`;
    default:
      return html`${texts.system[language]}`;
  }
}

interface Change {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The members that differ. Those of a member are members as well: `auto_send.enabled`. */
function changesOf({ before, after }: AuditEntry): Change[] {
  const [old, now] = [flat(before), flat(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((name) => ({ name, before: old.get(name) ?? null, after: now.get(name) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

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

function changeItem({ name, before, after }: Change, names: TrailNames, language: Language): Markup {
  const label = name
    .split('.')
    .map((part) => fieldWords[part]?.[language] ?? part.replaceAll('_', ' '))
    .join(', ');
  const [old, now] = [valueMarkup(before, names, language), valueMarkup(after, names, language)];
  if (old === null) {
    return html`<li><span class="term">${label}:</span> ${now}</li>
    `;
  }
  return html`<li>
      <span class="term">${label}:</span>
      <del>${old}</del>
      <span aria-hidden="true">${arrows[language]}</span>
      <span class="visually-hidden">${texts.to[language]}</span>
      <ins>${now ?? '–'}</ins>
    </li>
    `;
}

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const date = /^\d{4}-\d\d-\d\d$/;

/** A value in words; null: there is none. */
function valueMarkup(value: unknown, names: TrailNames, language: Language): Markup | null {
  if (value === null || value === undefined || value === '') {
    return null;
  }
  if (Array.isArray(value)) {
    return isolate(value.map((item) => textOf(item, language)).join(', '), language);
  }
  const text = String(value);
  if (instant.test(text)) {
    return dayAndTime(text, language);
  }
  if (date.test(text)) {
    return day(text, language);
  }
  return isolate(names.people.get(text) ?? textOf(value, language), language);
}

function textOf(value: unknown, language: Language): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return valueWords[text]?.[language] ?? text;
}
