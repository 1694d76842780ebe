import { listPayments, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { isCalendarDate, isPaymentMethod } from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import {
  emptyState,
  html,
  isolate,
  join,
  leftToRight,
  type Markup,
  pageHead,
  pager,
  paymentDetails,
  paymentMethodName,
  table,
  type Words,
} from '@pinkas/ui';
import { ConsolePage, type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { periodTitle } from '../../report/period.js';
import { periodOf, reportTexts } from '../../report/report.js';
import { typeName } from '../parts.js';
import { words } from '../words.js';

const texts = {
  none: { he: 'אין תקבולים כאלה בתקופה.', en: 'There are no such receipts in this period.' },
  document: { he: 'מסמך', en: 'Document' },
  date: { he: 'תאריך', en: 'Date' },
  customer: { he: 'לקוח', en: 'Customer' },
  details: { he: 'פרטי התשלום', en: 'Payment' },
} as const satisfies Record<string, Words>;

const pageSize = 50;

type Paid = ReplyOf<typeof listPayments>['documents'][number];

/** The documents behind a figure of the report: what was received by one means of payment. */
@ConsolePage({ method: 'GET', path: '/reports/receipts', access: 'reader', books: true })
export class ShowReceipts {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { book, bookId, language, link, query } = visit;
    const method = query.get('method') ?? 'cash';
    if (!isPaymentMethod(method)) {
      throw new ApiError('not_found');
    }
    const period = periodOf(visit, this.clock.now());
    const after = readPosition(query.get('after'));
    const { from, to } = period;
    const list = await this.rpc.call(listPayments, {
      ...{ business_id: bookId, method, from, to, limit: pageSize, after },
    });
    const own = { method, period: period.name };
    const { next_after: end } = list;
    const links = {
      first: after === null ? null : link('/reports/receipts', own),
      next: end && link('/reports/receipts', { ...own, after: `${end.date}~${end.position}` }),
    };
    const title = html`${paymentMethodName(method, book.wallet_labels, language)}, ${periodTitle(period, language)}`;
    return page(
      reportTexts.receipts[language],
      html`
${pageHead({
  title,
  language,
  crumbs: [{ text: words.reports[language], href: link('/reports', { period: period.name }) }],
})}
${list.documents.length === 0 ? emptyState({ title: texts.none[language] }) : paidTable(visit, list.documents)}
${pager(links, language, reportTexts.receipts[language])}`,
    );
  }
}

function paidTable({ language, link }: MemberVisit, documents: readonly Paid[]): Markup {
  const name = ({ document: { type, number } }: Paid) =>
    html`${typeName(type, language)} ${leftToRight(String(number))}`;
  const details = ({ payments }: Paid) =>
    join(
      payments.map((payment) => paymentDetails(payment, language)),
      '; ',
    );
  return table<Paid>({
    caption: reportTexts.receipts[language],
    language,
    rows: documents,
    columns: [
      {
        head: texts.document[language],
        value: (row) => html`<a href="${link(`/documents/${row.document.id}`)}">${name(row)}</a>`,
      },
      { head: texts.date[language], kind: 'date', value: (row) => row.document.date },
      { head: texts.customer[language], value: (row) => isolate(row.document.customer.name, language) },
      { head: texts.details[language], value: details },
      { head: reportTexts.amount[language], kind: 'money', value: (row) => row.amount },
    ],
  });
}

/** Where a page begins: `2026-06-15~12`; what is no position begins at the first page. */
function readPosition(text: string | null): RequestOf<typeof listPayments>['after'] {
  const [date = '', place = ''] = text?.split('~') ?? [];
  const position = Number(place);
  return isCalendarDate(date) && Number.isSafeInteger(position) && position > 0 ? { date, position } : null;
}
