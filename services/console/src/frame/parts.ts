import type { DocumentHead, DocumentState } from '@pinkas/contracts';
import { type SettlementState, settlementOf, toShekels } from '@pinkas/domain';
import {
  badge,
  badges,
  html,
  type Language,
  leftToRight,
  type Markup,
  type Tone,
  table,
  type Words,
} from '@pinkas/ui';
import { inSentence, typeName } from './type-name.js';

export { inSentence, typeName };

const statusWords = {
  open: { he: 'פתוח', en: 'Open' },
  closed: { he: 'סגור', en: 'Closed' },
  cancelled: { he: 'מבוטל', en: 'Cancelled' },
} as const satisfies Record<DocumentState['status'], Words>;

/** What is left to pay of a document, in ILS; negative: what is in credit. Null where it asks for no payment. */
export function balanceOf(document: DocumentHead, state: DocumentState): number | null {
  const { balance } = settlementOf(document, state);
  return balance === null ? null : toShekels(balance);
}

/** `Tax invoice 12`. */
export function documentName({ type, number }: Pick<DocumentHead, 'type' | 'number'>, language: Language) {
  return `${typeName(type, language)} ${number}`;
}

const statusTones = { open: 'waiting', closed: 'good', cancelled: 'neutral' } as const;

/** What people read of a document that asks for a payment; of a total of zero there is nothing to pay. */
export const settlementBadges = {
  unpaid: { tone: 'waiting', he: 'לתשלום', en: 'To pay' },
  partly_paid: { tone: 'waiting', he: 'שולם בחלקו', en: 'Partly paid' },
  settled: { tone: 'good', he: 'שולם', en: 'Paid' },
  overpaid: { tone: 'waiting', he: 'שולם ביתר', en: 'Overpaid' },
  credited: { tone: 'neutral', he: 'זוכה', en: 'Credited' },
  overcredited: { tone: 'neutral', he: 'זוכה', en: 'Credited' },
} as const satisfies Record<Exclude<SettlementState, 'nothing'>, Words & { tone: Tone }>;

/** The state of the balance of a document, since any receipt closes an invoice; the status of one that asks for no payment. */
function statusOf(document: DocumentHead, state: DocumentState): Words & { readonly tone: Tone } {
  const { status, credited } = state;
  const settlement = settlementOf(document, state).state;
  // Credits are read where they are asked for: without them what is left to pay is not known.
  return settlement !== null && settlement !== 'nothing' && credited !== undefined
    ? settlementBadges[settlement]
    : { tone: statusTones[status], ...statusWords[status] };
}

export function statusBadge(document: DocumentHead, state: DocumentState, language: Language): Markup {
  const { tone, ...words } = statusOf(document, state);
  return badge(tone, words[language]);
}

/** The same as text. */
export const statusText = (document: DocumentHead, state: DocumentState, language: Language): string =>
  statusOf(document, state)[language];

/** What will happen once a person confirms. */
export function effectList(effects: readonly (Markup | string)[]): Markup {
  const items = effects.map(
    (effect) => html`<li>${effect}</li>
  `,
  );
  return html`<ul>
  ${items}
</ul>`;
}

/** A document of a list, with its state, which states how far it is settled. */
export interface ListedDocument {
  readonly document: DocumentHead;
  readonly state: DocumentState;
  readonly note?: Markup | null;
}

/** The documents of a list; of one customer, who is seen above it already. */
export function documentTable(
  rows: readonly ListedDocument[],
  linkOf: (id: string) => string,
  language: Language,
  isOfOneCustomer = false,
): Markup {
  return table<ListedDocument>({
    caption: listWords.caption[language],
    kind: isOfOneCustomer ? 'documents of-one' : 'documents',
    language,
    rows,
    columns: [
      {
        head: listWords.document[language],
        value: ({ document }) => documentLink(document, linkOf, language),
      },
      { head: listWords.date[language], kind: 'date', value: ({ document }) => document.date },
      { head: listWords.customer[language], value: ({ document }) => document.customer.name },
      { head: listWords.total[language], kind: 'money', value: ({ document }) => document.totals.total },
      {
        head: listWords.balance[language],
        kind: 'money',
        value: ({ document, state }) => balanceOf(document, state) || null,
      },
      {
        head: listWords.status[language],
        kind: 'status',
        value: ({ document, state, note }) => badges([statusBadge(document, state, language), note ?? null]),
      },
    ],
  });
}

function documentLink(
  { id, type, number }: DocumentHead,
  linkOf: (id: string) => string,
  language: Language,
): Markup {
  return html`<a href="${linkOf(id)}">${typeName(type, language)} ${leftToRight(String(number))}</a>`;
}

const listWords = {
  caption: { he: 'מסמכים', en: 'Documents' },
  document: { he: 'מסמך', en: 'Document' },
  date: { he: 'תאריך', en: 'Date' },
  customer: { he: 'לקוח', en: 'Customer' },
  total: { he: 'סך הכול', en: 'Total' },
  balance: { he: 'יתרה', en: 'Balance' },
  status: { he: 'מצב', en: 'Status' },
} as const satisfies Record<string, Words>;
