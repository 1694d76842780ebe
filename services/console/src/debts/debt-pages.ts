import {
  type Debt,
  type Debtor,
  type DebtsByAge,
  isUuid,
  listDebtors,
  listDebts,
  type ReplyOf,
  type RequestOf,
  summarizeDebts,
} from '@pinkas/contracts';
import { debtAges, isCalendarDate, mayIssue } from '@pinkas/domain';
import { RpcClient } from '@pinkas/service-kit';
import {
  card,
  day,
  emptyState,
  html,
  isolate,
  largeAmount,
  leftToRight,
  type Markup,
  pageHead,
  pager,
  stats,
  table,
  tabs,
  type Words,
} from '@pinkas/ui';
import { ageWords, lateness } from '../frame/debt-words.js';
import { typeName } from '../frame/parts.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';

const texts = {
  lead: {
    he: 'היתרה לתשלום במסמכים פתוחים, נכון ל-',
    en: 'Balance due of open documents, as of',
  },
  none: { he: 'אין חובות פתוחים.', en: 'There are no open debts.' },
  noneMore: {
    he: 'כאן יופיעו חשבוניות וחשבונות עסקה שטרם שולמו במלואם.',
    en: 'Invoices and proformas that are not paid in full appear here.',
  },
  open: { he: 'יתרה לתשלום', en: 'Balance due' },
  late: { he: 'באיחור', en: 'Late' },
  customersCount: { he: 'לקוחות', en: 'Customers' },
  documents: { he: 'מסמכים', en: 'documents' },
  ages: { he: 'גיול החובות', en: 'Aging' },
  age: { he: 'איחור', en: 'Age' },
  count: { he: 'מסמכים', en: 'Documents' },
  sum: { he: 'יתרה לתשלום', en: 'Balance due' },
  total: { he: 'סך הכול', en: 'Total' },
  byCustomer: { he: 'לפי לקוח', en: 'By customer' },
  byDocument: { he: 'לפי מסמך', en: 'By document' },
  views: { he: 'תצוגות', en: 'Views' },
  customer: { he: 'לקוח', en: 'Customer' },
  onAccount: { he: 'זכות בחשבון', en: 'Credit on account' },
  act: { he: 'פעולה', en: 'Action' },
  remind: { he: 'תזכורת', en: 'Remind' },
  receipt: { he: 'קבלה', en: 'Receipt' },
} as const satisfies Record<string, Words>;

const listTexts = {
  title: { he: 'מסמכים פתוחים', en: 'Open documents' },
  none: { he: 'אין כאן מסמכים פתוחים.', en: 'There are no open documents here.' },
  all: { he: 'הכול', en: 'All' },
  ages: { he: 'לפי איחור', en: 'By age' },
  document: { he: 'מסמך', en: 'Document' },
  customer: { he: 'לקוח', en: 'Customer' },
  date: { he: 'תאריך', en: 'Date' },
  due: { he: 'לתשלום עד', en: 'Due' },
  age: { he: 'איחור', en: 'Age' },
  total: { he: 'סך הכול', en: 'Total' },
  balance: { he: 'יתרה לתשלום', en: 'Balance due' },
} as const satisfies Record<string, Words>;

const pageSize = 50;

type Summary = ReplyOf<typeof summarizeDebts>;

/** What is left to pay. */
@PageController({ access: 'reader', path: '/debts', books: true })
export class DebtPages {
  constructor(private readonly rpc: RpcClient) {}

  /** Its age, and the customers with the largest debts. */
  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { bookId, language, t, link, query } = visit;
    const after = readDebtor(query.get('after'));
    const [summary, list] = await Promise.all([
      this.rpc.call(summarizeDebts, { business_id: bookId }),
      this.rpc.call(listDebtors, { business_id: bookId, limit: pageSize, after }),
    ]);
    const next = list.next_after && { after: `${list.next_after.amount}~${list.next_after.customer_id}` };
    const links = {
      first: after === null ? null : link('/debts'),
      next: next && link('/debts', next),
    };
    return page(
      t(words.debts),
      html`
${pageHead({
  title: t(words.debts),
  language,
  lead: html`${t(texts.lead)} ${day(summary.as_of, language)}`,
})}
${summary.documents === 0 ? nothing(visit) : figures(visit, summary)}
${summary.documents === 0 ? null : debtViews(visit, 'customers')}
${list.debtors.length === 0 ? null : debtorTable(visit, list.debtors)}
${pager(links, language, t(texts.byCustomer))}`,
    );
  }

  /** The open documents of a book, the first due first. */
  @ConsolePage({ method: 'GET', path: '/documents' })
  async documents(visit: MemberVisit): Promise<PageReply> {
    const { bookId, language, t, link, query } = visit;
    const age = debtAges.find((known) => known === query.get('age'));
    const after = readDebt(query.get('after'));
    const list = await this.rpc.call(listDebts, {
      business_id: bookId,
      ...(age && { age }),
      limit: pageSize,
      after,
    });
    const next = list.next_after && `${list.next_after.due_on}~${list.next_after.document_id}`;
    const links = {
      first: after === null ? null : link('/debts/documents', { age }),
      next: next && link('/debts/documents', { age, after: next }),
    };
    const crumbs = [{ text: t(words.debts), href: link('/debts') }];
    return page(
      t(listTexts.title),
      html`
${pageHead({ title: t(listTexts.title), language, crumbs })}
${debtViews(visit, 'documents')}
${ageTabs(visit, age)}
${list.debts.length === 0 ? emptyState({ title: t(listTexts.none) }) : debtTable(visit, list.debts)}
${pager(links, language, t(listTexts.title))}`,
    );
  }
}

const nothing = ({ t }: MemberVisit): Markup => emptyState({ title: t(texts.none), text: t(texts.noneMore) });

/** The ways to look at the debts. */
function debtViews({ t, link }: MemberVisit, current: 'customers' | 'documents'): Markup {
  return tabs({
    label: t(texts.views),
    items: [
      { href: link('/debts'), text: t(texts.byCustomer), isCurrent: current === 'customers' },
      {
        href: link('/debts/documents'),
        text: t(texts.byDocument),
        isCurrent: current === 'documents',
      },
    ],
  });
}

function figures(visit: MemberVisit, summary: Summary): Markup {
  const { language, t } = visit;
  return html`
${stats([
  {
    label: t(texts.open),
    value: largeAmount(summary.amount, language),
    detail: `${summary.documents} ${t(texts.documents)}`,
  },
  { label: t(texts.late), value: largeAmount(summary.late, language) },
  { label: t(texts.customersCount), value: String(summary.customers) },
])}
${card({
  id: 'ages',
  title: t(texts.ages),
  kind: 'flush',
  content: ageTable(visit, summary),
})}`;
}

function ageTable({ language, t, link }: MemberVisit, { ages, amount: sum, documents }: Summary): Markup {
  return table<DebtsByAge['ages'][number]>({
    caption: t(texts.ages),
    language,
    rows: ages,
    columns: [
      {
        head: t(texts.age),
        value: ({ age }) => html`<a href="${link('/debts/documents', { age })}">${t(ageWords[age])}</a>`,
        foot: t(texts.total),
      },
      { head: t(texts.count), kind: 'count', value: (row) => row.documents, foot: documents },
      { head: t(texts.sum), kind: 'money', value: (row) => row.amount, foot: sum },
    ],
  });
}

function debtorTable({ business, language, t, link, role }: MemberVisit, debtors: readonly Debtor[]): Markup {
  const statement = ({ customer_id }: Debtor) => link(`/customers/${customer_id}/statement`);
  const act = (row: Debtor, href: string, word: Words) => html`<a href="${href}">
  ${t(word)}
  <span class="visually-hidden">${isolate(row.name, language)}</span>
</a>`;
  const issues = business.legal_type !== null && mayIssue(business.legal_type, 'receipt');
  const acts = (row: Debtor) => {
    const { customer_id: account } = row;
    const receipt = act(row, link('/issue/document', { type: 'receipt', account }), texts.receipt);
    return html`${act(row, link(`/debts/${account}/reminder`), texts.remind)}${issues && html` · ${receipt}`}`;
  };
  return table<Debtor>({
    caption: t(texts.byCustomer),
    language,
    rows: debtors,
    columns: [
      {
        head: t(texts.customer),
        value: (row) => html`<a href="${statement(row)}">${isolate(row.name, language)}</a>`,
      },
      { head: t(texts.sum), kind: 'money', value: (row) => row.amount },
      { head: t(texts.late), kind: 'money', value: (row) => (row.late === 0 ? null : row.late) },
      { head: t(texts.count), kind: 'count', value: (row) => row.documents },
      { head: t(texts.age), kind: 'status', value: (row) => lateness(row.days_late, language) },
      {
        head: t(texts.onAccount),
        kind: 'money',
        // Below zero: agorot that receipts have left, which are paid.
        value: (row) => (row.on_account <= 0 ? null : row.on_account),
      },
      ...(isAtLeast(role, 'issuer')
        ? [
            {
              head: t(texts.act),
              headHidden: true,
              kind: 'action' as const,
              value: acts,
            },
          ]
        : []),
    ],
  });
}

/** Where a page begins: `118.5~id`; what is no position begins at the first page. */
function readDebtor(text: string | null): RequestOf<typeof listDebtors>['after'] {
  const [sum = '', id = ''] = text?.split('~') ?? [];
  return /^\d{1,13}(\.\d{1,2})?$/.test(sum) && isUuid(id) ? { amount: Number(sum), customer_id: id } : null;
}

function ageTabs({ t, link }: MemberVisit, current: string | undefined): Markup {
  const each = debtAges.map((age) => ({
    href: link('/debts/documents', { age }),
    text: t(ageWords[age]),
    isCurrent: age === current,
  }));
  const all = {
    href: link('/debts/documents'),
    text: t(listTexts.all),
    isCurrent: current === undefined,
  };
  return tabs({ kind: 'parts', label: t(listTexts.ages), items: [all, ...each] });
}

function debtTable({ language, t, link }: MemberVisit, debts: readonly Debt[]): Markup {
  const name = ({ document: { type, number } }: Debt) =>
    html`${typeName(type, language)} ${leftToRight(String(number))}`;
  const statement = (row: Debt) => link(`/customers/${row.customer_id}/statement`);
  return table<Debt>({
    caption: t(listTexts.title),
    kind: 'debts',
    language,
    rows: debts,
    columns: [
      {
        head: t(listTexts.document),
        value: (row) => html`<a href="${link(`/documents/${row.document.id}`)}">${name(row)}</a>`,
      },
      {
        head: t(listTexts.customer),
        value: (row) =>
          html`<a href="${statement(row)}">${isolate(row.document.customer.name, language)}</a>`,
      },
      { head: t(listTexts.date), kind: 'date', value: (row) => row.document.date },
      { head: t(listTexts.due), kind: 'date', value: (row) => row.due_on },
      { head: t(listTexts.age), kind: 'status', value: (row) => lateness(row.days_late, language) },
      { head: t(listTexts.total), kind: 'money', value: (row) => row.document.totals.total },
      { head: t(listTexts.balance), kind: 'money', value: (row) => row.balance },
    ],
  });
}

/** Where a page begins: `2026-06-15~id`; what is no position begins at the first page. */
function readDebt(text: string | null): RequestOf<typeof listDebts>['after'] {
  const [due_on = '', id = ''] = text?.split('~') ?? [];
  return isCalendarDate(due_on) && isUuid(id) ? { due_on, document_id: id } : null;
}
