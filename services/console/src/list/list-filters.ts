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
function furtherFilters({ business, language }: MemberVisit, { values, size }: ListQuery): Markup {
  const select = (
    name: ListField,
    label: string,
    options: readonly (readonly [value: string, text: string])[],
  ) => choice({ name, label, value: values[name], options });
  const dateField = (name: 'from' | 'to') =>
    field({ name, type: 'date', language, label: texts[name][language], value: values[name] });
  const types = documentTypes.map((type) => [type, typeName(type, language)] as const);
  const ofInstitutions = isInstitution(business.legal_type) ? ([donationUnreported] as const) : [];
  const noted: readonly (keyof typeof noteNames)[] = [...reviewNotes, buyerIdMissing, ...ofInstitutions];
  const notes = noted.map((note) => [note, noteNames[note][language]] as const);
  return html`
${select('type', texts.type[language], [['', texts.anyType[language]], ...types])}
${select('status', texts.status[language], [
  ['', texts.anyStatus[language]],
  ...statuses.map((status) => [status, texts[status][language]] as const),
])}
${dateField('from')}
${dateField('to')}
${moneyField({ name: 'amount_from', label: texts.amountFrom[language], value: values.amount_from })}
${moneyField({ name: 'amount_to', label: texts.amountTo[language], value: values.amount_to })}
${select('number', texts.number[language], [
  ['', texts.anyNumber[language]],
  ['missing', texts.missingNumber[language]],
])}
${select('delivery', texts.delivery[language], [
  ['', texts.anyDelivery[language]],
  ['failed', texts.failed[language]],
])}
${select('note', texts.note[language], [['', texts.anyNote[language]], ...notes])}
${choice({
  name: 'size',
  label: texts.size[language],
  value: String(size),
  options: pageSizes.map((known) => [String(known), String(known)] as const),
})}
${checkbox({ name: 'balance', label: texts.withBalance[language], checked: values.balance !== '' })}
${checkbox({ name: 'cancelled', label: texts.withCancelled[language], checked: values.cancelled !== '' })}`;
}

/** What people filter by most, in one press; the rest is in the form. @param today YYYY-MM-DD. */
export function usualFilters({ language, link }: MemberVisit, { values }: ListQuery, today: string): Markup {
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
    text: word[language],
    isCurrent:
      given.length === Object.keys(chosen).length &&
      Object.entries(chosen).every(([name, value]) => values[name as ListField] === value),
  }));
  const late = { href: link('/debts/documents'), text: texts.lateOnes[language], isCurrent: false };
  return tabs({ label: texts.filters[language], kind: 'parts', items: items.toSpliced(2, 0, late) });
}

/** The form that filters the list. */
export function listFilters(visit: MemberVisit, query: ListQuery): Markup {
  const { language, link } = visit;
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
  label: texts.search[language],
  hint: texts.searchHint[language],
  value: values.q,
})}`,
    more: {
      text: texts.filters[language],
      content: furtherFilters(visit, query),
      isOpen: further.some((name) => values[name] !== ''),
    },
    acts: html`
${button({ text: texts.show[language], kind: 'secondary' })}
${linkButton({ href: link('/documents'), text: texts.clear[language], kind: 'quiet' })}`,
  });
}
