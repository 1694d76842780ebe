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
    const { bookId, language, link, query } = visit;
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
      words.debts[language],
      html`
${pageHead({
  title: words.debts[language],
  language,
  lead: html`${texts.lead[language]} ${day(summary.as_of, language)}`,
})}
${summary.documents === 0 ? nothing(visit) : figures(visit, summary)}
${summary.documents === 0 ? null : debtViews(visit, 'customers')}
${list.debtors.length === 0 ? null : debtorTable(visit, list.debtors)}
${pager(links, language, texts.byCustomer[language])}`,
    );
  }

  /** The open documents of a book, the first due first. */
  @ConsolePage({ method: 'GET', path: '/documents' })
  async documents(visit: MemberVisit): Promise<PageReply> {
    const { bookId, language, link, query } = visit;
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
    const crumbs = [{ text: words.debts[language], href: link('/debts') }];
    return page(
      listTexts.title[language],
      html`
${pageHead({ title: listTexts.title[language], language, crumbs })}
${debtViews(visit, 'documents')}
${ageTabs(visit, age)}
${list.debts.length === 0 ? emptyState({ title: listTexts.none[language] }) : debtTable(visit, list.debts)}
${pager(links, language, listTexts.title[language])}`,
    );
  }
}

const nothing = ({ language }: MemberVisit): Markup =>
  emptyState({ title: texts.none[language], text: texts.noneMore[language] });

/** The ways to look at the debts. */
function debtViews({ language, link }: MemberVisit, current: 'customers' | 'documents'): Markup {
  return tabs({
    label: texts.views[language],
    items: [
      { href: link('/debts'), text: texts.byCustomer[language], isCurrent: current === 'customers' },
      {
        href: link('/debts/documents'),
        text: texts.byDocument[language],
        isCurrent: current === 'documents',
      },
    ],
  });
}

function figures(visit: MemberVisit, summary: Summary): Markup {
  const { language } = visit;
  return html`
${stats([
  {
    label: texts.open[language],
    value: largeAmount(summary.amount, language),
    detail: `${summary.documents} ${texts.documents[language]}`,
  },
  { label: texts.late[language], value: largeAmount(summary.late, language) },
  { label: texts.customersCount[language], value: String(summary.customers) },
])}
${card({
  id: 'ages',
  title: texts.ages[language],
  kind: 'flush',
  content: ageTable(visit, summary),
})}`;
}

function ageTable({ language, link }: MemberVisit, { ages, amount: sum, documents }: Summary): Markup {
  return table<DebtsByAge['ages'][number]>({
    caption: texts.ages[language],
    language,
    rows: ages,
    columns: [
      {
        head: texts.age[language],
        value: ({ age }) =>
          html`<a href="${link('/debts/documents', { age })}">${ageWords[age][language]}</a>`,
        foot: texts.total[language],
      },
      { head: texts.count[language], kind: 'count', value: (row) => row.documents, foot: documents },
      { head: texts.sum[language], kind: 'money', value: (row) => row.amount, foot: sum },
    ],
  });
}

function debtorTable({ business, language, link, role }: MemberVisit, debtors: readonly Debtor[]): Markup {
  const statement = ({ customer_id }: Debtor) => link(`/customers/${customer_id}/statement`);
  const act = (row: Debtor, href: string, word: Words) => html`<a href="${href}">
  ${word[language]}
  <span class="visually-hidden">${isolate(row.name, language)}</span>
</a>`;
  const issues = business.legal_type !== null && mayIssue(business.legal_type, 'receipt');
  const acts = (row: Debtor) => {
    const { customer_id: account } = row;
    const receipt = act(row, link('/issue/document', { type: 'receipt', account }), texts.receipt);
    return html`${act(row, link(`/debts/${account}/reminder`), texts.remind)}${issues && html` · ${receipt}`}`;
  };
  return table<Debtor>({
    caption: texts.byCustomer[language],
    language,
    rows: debtors,
    columns: [
      {
        head: texts.customer[language],
        value: (row) => html`<a href="${statement(row)}">${isolate(row.name, language)}</a>`,
      },
      { head: texts.sum[language], kind: 'money', value: (row) => row.amount },
      { head: texts.late[language], kind: 'money', value: (row) => (row.late === 0 ? null : row.late) },
      { head: texts.count[language], kind: 'count', value: (row) => row.documents },
      { head: texts.age[language], kind: 'status', value: (row) => lateness(row.days_late, language) },
      {
        head: texts.onAccount[language],
        kind: 'money',
        // Below zero: agorot that receipts have left, which are paid.
        value: (row) => (row.on_account <= 0 ? null : row.on_account),
      },
      ...(isAtLeast(role, 'issuer')
        ? [
            {
              head: texts.act[language],
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

function ageTabs({ language, link }: MemberVisit, current: string | undefined): Markup {
  const each = debtAges.map((age) => ({
    href: link('/debts/documents', { age }),
    text: ageWords[age][language],
    isCurrent: age === current,
  }));
  const all = {
    href: link('/debts/documents'),
    text: listTexts.all[language],
    isCurrent: current === undefined,
  };
  return tabs({ kind: 'parts', label: listTexts.ages[language], items: [all, ...each] });
}

function debtTable({ language, link }: MemberVisit, debts: readonly Debt[]): Markup {
  const name = ({ document: { type, number } }: Debt) =>
    html`${typeName(type, language)} ${leftToRight(String(number))}`;
  const statement = (row: Debt) => link(`/customers/${row.customer_id}/statement`);
  return table<Debt>({
    caption: listTexts.title[language],
    kind: 'debts',
    language,
    rows: debts,
    columns: [
      {
        head: listTexts.document[language],
        value: (row) => html`<a href="${link(`/documents/${row.document.id}`)}">${name(row)}</a>`,
      },
      {
        head: listTexts.customer[language],
        value: (row) =>
          html`<a href="${statement(row)}">${isolate(row.document.customer.name, language)}</a>`,
      },
      { head: listTexts.date[language], kind: 'date', value: (row) => row.document.date },
      { head: listTexts.due[language], kind: 'date', value: (row) => row.due_on },
      { head: listTexts.age[language], kind: 'status', value: (row) => lateness(row.days_late, language) },
      { head: listTexts.total[language], kind: 'money', value: (row) => row.document.totals.total },
      { head: listTexts.balance[language], kind: 'money', value: (row) => row.balance },
    ],
  });
}

/** Where a page begins: `2026-06-15~id`; what is no position begins at the first page. */
function readDebt(text: string | null): RequestOf<typeof listDebts>['after'] {
  const [due_on = '', id = ''] = text?.split('~') ?? [];
  return isCalendarDate(due_on) && isUuid(id) ? { due_on, document_id: id } : null;
}
