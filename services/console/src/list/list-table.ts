import type { listDeliveryStates, listDocuments, ReplyOf, TypeSums } from '@pinkas/contracts';
import { attributes, badge, badges, html, type Language, leftToRight, type Markup, table } from '@pinkas/ui';
import { balanceOf, documentName, statusBadge, typeName } from '../frame/parts.js';
import { refusalWords } from '../frame/refusal-words.js';
import type { MemberVisit } from '../http/visit.js';
import { isReceived } from '../issue/issue-fields.js';
import type { ListQuery } from './list-query.js';
import { listWords as texts } from './list-words.js';

export type ListedDocument = ReplyOf<typeof listDocuments>['documents'][number];
export type DeliveryStates = ReadonlyMap<
  string,
  ReplyOf<typeof listDeliveryStates>['documents'][number]['state']
>;

/** The form that takes the selected documents; their boxes are in the table above it. */
export const selectionForm = 'selection';

/** The address of the list with another order; once more: the other direction. */
function sortBy(
  visit: MemberVisit,
  { values, order, ascending }: ListQuery,
  by: 'date' | 'total' | 'balance',
) {
  const isCurrent = order === by;
  const direction = isCurrent && !ascending ? 'ascending' : '';
  const current = ascending ? 'ascending' : 'descending';
  return {
    href: visit.link('/documents', { ...values, sort: by, direction }),
    order: isCurrent ? current : 'none',
  } as const;
}

/** The hits of one page. */
export function listTable(
  visit: MemberVisit,
  query: ListQuery,
  documents: readonly ListedDocument[],
  deliveries: DeliveryStates,
): Markup {
  const { language, t, link } = visit;
  return table({
    caption: t(texts.documents),
    kind: 'documents',
    language,
    rows: documents,
    rowClass: ({ state }) => (state.status === 'cancelled' ? 'cancelled' : null),
    columns: [
      {
        head: t(texts.document),
        value: ({ document, state }) => html`
${selectBox(document.id, `${t(texts.select)} ${documentName(document, language)}`)}
<a href="${link(`/documents/${document.id}`)}">
  ${typeName(document.type, language)} ${leftToRight(String(document.number))}
</a>
${allocated(state, language)}`,
      },
      {
        head: t(texts.date),
        kind: 'date',
        sort: sortBy(visit, query, 'date'),
        value: ({ document }) => document.date,
      },
      { head: t(texts.customer), value: ({ document }) => document.customer.name },
      {
        head: t(texts.total),
        kind: 'money',
        sort: sortBy(visit, query, 'total'),
        value: ({ document }) => document.totals.total,
      },
      {
        head: t(texts.balance),
        kind: 'money',
        sort: sortBy(visit, query, 'balance'),
        value: ({ document, state }) => balanceOf(document, state) || null,
      },
      {
        head: t(texts.status),
        kind: 'status',
        value: (row) =>
          badges([
            statusBadge(row.document, row.state, language),
            missingNumber(row, language),
            deliveryOf(row, deliveries, language),
          ]),
      },
    ],
  });
}

function selectBox(id: string, label: string): Markup {
  const box = attributes({
    type: 'checkbox',
    class: 'select',
    name: 'document',
    value: id,
    form: selectionForm,
    'aria-label': label,
  });
  return html`<input${box}>`;
}

/** The allocation number, below the name of its document. */
function allocated(
  { allocation_number: number }: ListedDocument['state'],
  language: Language,
): Markup | null {
  return number === null
    ? null
    : html`<span class="number soft">${texts.number[language]} ${leftToRight(number)}</span>`;
}

function missingNumber({ state, allocation }: ListedDocument, language: Language): Markup | null {
  if (state.allocation_number !== null || allocation.status === 'not_required') {
    return null;
  }
  return badge('bad', (state.refusal ? refusalWords.badge : texts.noNumber)[language]);
}

function deliveryOf(
  { document, delivery }: ListedDocument,
  deliveries: DeliveryStates,
  language: Language,
): Markup | null {
  switch (deliveries.get(document.id)) {
    case 'sent':
      return badge('good', texts.sent[language]);
    case 'pending':
      return badge('waiting', texts.pending[language]);
    case 'failed':
      return badge('bad', texts.failed[language]);
    default:
      return delivery.status === 'no_recipient' ? badge('neutral', texts.noAddress[language]) : null;
  }
}

/** What the hits of all pages amount to; null: they are too many. */
export function listSums(types: readonly TypeSums[] | null, language: Language): Markup | null {
  if (types === null) {
    return html`<p class="hint">${texts.tooMany[language]}</p>`;
  }
  if (types.length === 0) {
    return null;
  }
  return table({
    caption: texts.sums[language],
    captionShown: true,
    language,
    rows: types,
    columns: [
      { head: texts.type[language], value: ({ type }) => typeName(type, language) },
      { head: texts.documents[language], kind: 'count', value: ({ documents }) => documents },
      {
        head: texts.cancelled[language],
        kind: 'count',
        value: ({ cancelled }) => (cancelled === 0 ? null : cancelled),
      },
      // Receipts have no VAT: it is that of their invoices.
      { head: texts.net[language], kind: 'money', value: ({ type, net }) => (isReceived(type) ? null : net) },
      { head: texts.vat[language], kind: 'money', value: ({ type, vat }) => (isReceived(type) ? null : vat) },
      { head: texts.total[language], kind: 'money', value: ({ total }) => total },
    ],
  });
}
