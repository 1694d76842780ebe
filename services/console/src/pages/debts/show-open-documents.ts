import { type Debt, isUuid, listDebts, type RequestOf } from '@pinkas/contracts';
import { debtAges, isCalendarDate } from '@pinkas/domain';
import { RpcClient } from '@pinkas/service-kit';
import {
  emptyState,
  html,
  isolate,
  leftToRight,
  type Markup,
  pageHead,
  pager,
  table,
  tabs,
  type Words,
} from '@pinkas/ui';
import { ConsolePage, type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { typeName } from '../parts.js';
import { words } from '../words.js';
import { ageWords, lateness } from './debt-words.js';
import { debtViews } from './show-debts.js';

const texts = {
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
  balance: { he: 'יתרה לתשלום', en: 'Left to pay' },
} as const satisfies Record<string, Words>;

const pageSize = 50;

/** The open documents of a book, the first due first. */
@ConsolePage({ method: 'GET', path: '/debts/documents', access: 'reader', books: true })
export class ShowOpenDocuments {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, language, link, query } = visit;
    const age = debtAges.find((known) => known === query.get('age'));
    const after = readPosition(query.get('after'));
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
      texts.title[language],
      html`
${pageHead({ title: texts.title[language], language, crumbs })}
${debtViews(visit, 'documents')}
${ageTabs(visit, age)}
${list.debts.length === 0 ? emptyState({ title: texts.none[language] }) : debtTable(visit, list.debts)}
${pager(links, language, texts.title[language])}`,
    );
  }
}

function ageTabs({ language, link }: MemberVisit, current: string | undefined): Markup {
  const each = debtAges.map((age) => ({
    href: link('/debts/documents', { age }),
    text: ageWords[age][language],
    isCurrent: age === current,
  }));
  const all = {
    href: link('/debts/documents'),
    text: texts.all[language],
    isCurrent: current === undefined,
  };
  return tabs({ kind: 'parts', label: texts.ages[language], items: [all, ...each] });
}

function debtTable({ language, link }: MemberVisit, debts: readonly Debt[]): Markup {
  const name = ({ document: { type, number } }: Debt) =>
    html`${typeName(type, language)} ${leftToRight(String(number))}`;
  const statement = (row: Debt) => link(`/customers/${row.customer_id}/statement`);
  return table<Debt>({
    caption: texts.title[language],
    kind: 'debts',
    language,
    rows: debts,
    columns: [
      {
        head: texts.document[language],
        value: (row) => html`<a href="${link(`/documents/${row.document.id}`)}">${name(row)}</a>`,
      },
      {
        head: texts.customer[language],
        value: (row) =>
          html`<a href="${statement(row)}">${isolate(row.document.customer.name, language)}</a>`,
      },
      { head: texts.date[language], kind: 'date', value: (row) => row.document.date },
      { head: texts.due[language], kind: 'date', value: (row) => row.due_on },
      { head: texts.age[language], kind: 'status', value: (row) => lateness(row.days_late, language) },
      { head: texts.total[language], kind: 'money', value: (row) => row.document.totals.total },
      { head: texts.balance[language], kind: 'money', value: (row) => row.balance },
    ],
  });
}

/** Where a page begins: `2026-06-15~id`; what is no position begins at the first page. */
function readPosition(text: string | null): RequestOf<typeof listDebts>['after'] {
  const [due_on = '', id = ''] = text?.split('~') ?? [];
  return isCalendarDate(due_on) && isUuid(id) ? { due_on, document_id: id } : null;
}
