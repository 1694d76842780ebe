import { reviewNotes } from '@pinkas/contracts';
import { documentTypes, isInstitution } from '@pinkas/domain';
import {
  button,
  checkbox,
  choice,
  field,
  filterForm,
  hidden,
  html,
  linkButton,
  type Markup,
  moneyField,
  tabs,
  type Words,
} from '@pinkas/ui';
import { noteNames } from '../debts/settlement.js';
import { typeName } from '../frame/parts.js';
import type { MemberVisit } from '../http/visit.js';
import {
  buyerIdMissing,
  donationUnreported,
  type ListField,
  type ListQuery,
  type ListValues,
  pageSizes,
  statuses,
} from './list-query.js';
import { listWords as texts } from './list-words.js';

/** Fields that open the rest of the filters when they have a value. */
const further = [
  'type',
  'status',
  'note',
  'number',
  'delivery',
  'from',
  'to',
  'amount_from',
  'amount_to',
  'balance',
  'cancelled',
] as const;

/** The filters behind a disclosure. */
function furtherFilters({ business, language, t }: MemberVisit, { values, size }: ListQuery): Markup {
  const select = (
    name: ListField,
    label: string,
    options: readonly (readonly [value: string, text: string])[],
  ) => choice({ name, label, value: values[name], options });
  const dateField = (name: 'from' | 'to') =>
    field({ name, type: 'date', language, label: t(texts[name]), value: values[name] });
  const types = documentTypes.map((type) => [type, typeName(type, language)] as const);
  const ofInstitutions = isInstitution(business.legal_type) ? ([donationUnreported] as const) : [];
  const noted: readonly (keyof typeof noteNames)[] = [...reviewNotes, buyerIdMissing, ...ofInstitutions];
  const notes = noted.map((note) => [note, t(noteNames[note])] as const);
  return html`
${select('type', t(texts.type), [['', t(texts.anyType)], ...types])}
${select('status', t(texts.status), [
  ['', t(texts.anyStatus)],
  ...statuses.map((status) => [status, t(texts[status])] as const),
])}
${dateField('from')}
${dateField('to')}
${moneyField({ name: 'amount_from', label: t(texts.amountFrom), value: values.amount_from })}
${moneyField({ name: 'amount_to', label: t(texts.amountTo), value: values.amount_to })}
${select('number', t(texts.number), [
  ['', t(texts.anyNumber)],
  ['missing', t(texts.missingNumber)],
])}
${select('delivery', t(texts.delivery), [
  ['', t(texts.anyDelivery)],
  ['failed', t(texts.failed)],
])}
${select('note', t(texts.note), [['', t(texts.anyNote)], ...notes])}
${choice({
  name: 'size',
  label: t(texts.size),
  value: String(size),
  options: pageSizes.map((known) => [String(known), String(known)] as const),
})}
${checkbox({ name: 'balance', label: t(texts.withBalance), checked: values.balance !== '' })}
${checkbox({ name: 'cancelled', label: t(texts.withCancelled), checked: values.cancelled !== '' })}`;
}

/** What people filter by most, in one press; the rest is in the form. @param today YYYY-MM-DD. */
export function usualFilters({ t, link }: MemberVisit, { values }: ListQuery, today: string): Markup {
  const usual: readonly (readonly [Words, Partial<ListValues>])[] = [
    [texts.allDocuments, {}],
    [texts.openOnes, { balance: 'yes' }],
    [texts.ofThisMonth, { from: `${today.slice(0, 7)}-01` }],
    [texts.failed, { delivery: 'failed' }],
    [texts.noNumber, { number: 'missing' }],
  ];
  const given = ['q', ...further].filter((name) => values[name as ListField] !== '');
  const items = usual.map(([word, chosen]) => ({
    href: link('/documents', chosen),
    text: t(word),
    isCurrent:
      given.length === Object.keys(chosen).length &&
      Object.entries(chosen).every(([name, value]) => values[name as ListField] === value),
  }));
  const late = { href: link('/debts/documents'), text: t(texts.lateOnes), isCurrent: false };
  return tabs({ label: t(texts.filters), kind: 'parts', items: items.toSpliced(2, 0, late) });
}

/** The form that filters the list. */
export function listFilters(visit: MemberVisit, query: ListQuery): Markup {
  const { t, link } = visit;
  const { values } = query;
  const kept = (['customer', 'sort', 'direction'] as const)
    .filter((name) => values[name] !== '')
    .map((name) => hidden(name, values[name]));
  return filterForm({
    action: link('/documents'),
    content: html`
${kept}
${field({
  name: 'q',
  type: 'search',
  label: t(texts.search),
  hint: t(texts.searchHint),
  value: values.q,
})}`,
    more: {
      text: t(texts.filters),
      content: furtherFilters(visit, query),
      isOpen: further.some((name) => values[name] !== ''),
    },
    acts: html`
${button({ text: t(texts.show), kind: 'secondary' })}
${linkButton({ href: link('/documents'), text: t(texts.clear), kind: 'quiet' })}`,
  });
}
