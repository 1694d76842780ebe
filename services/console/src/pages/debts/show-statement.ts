import type { RequestOf, readStatement } from '@pinkas/contracts';
import { isCalendarDate } from '@pinkas/domain';
import { type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import {
  amount,
  button,
  card,
  emptyState,
  field,
  filterForm,
  html,
  isolate,
  largeAmount,
  linkButton,
  type Markup,
  notice,
  pageHead,
  pager,
  stats,
  type Words,
} from '@pinkas/ui';
import { ConsolePage, type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { isAtLeast } from '../../session/roles.js';
import { words } from '../words.js';
import {
  periodQuery,
  readPage,
  type Statement,
  type StatementVisit,
  statementTable,
  statementVisit,
} from './statement.js';

const texts = {
  from: { he: 'מתאריך', en: 'From' },
  to: { he: 'עד תאריך', en: 'To' },
  show: { he: 'הצגה', en: 'Show' },
  opening: { he: 'יתרת פתיחה', en: 'Opening balance' },
  debit: { he: 'חובה בתקופה', en: 'Debit of the period' },
  credit: { he: 'זכות בתקופה', en: 'Credit of the period' },
  closing: { he: 'יתרת סגירה', en: 'Closing balance' },
  open: { he: 'במסמכים פתוחים, נכון לעכשיו', en: 'of open documents, now' },
  entries: { he: 'תנועות', en: 'Entries' },
  none: { he: 'אין תנועות בתקופה.', en: 'There are no entries in this period.' },
  pdf: { he: 'PDF', en: 'PDF' },
  csv: { he: 'CSV', en: 'CSV' },
  remind: { he: 'תזכורת לתשלום', en: 'Send a reminder' },
  reminded: {
    he: 'התזכורת נשלחת. מצבה מופיע בדף המסמך הראשון שבה.',
    en: 'The reminder is being sent. The page of its first document shows what becomes of it.',
  },
  meaning: {
    he: 'חובה: מה שמסמך דרש לתשלום. זכות: מה שהתקבל או זוכה.',
    en: 'Debit: what a document asked for. Credit: what was received or credited.',
  },
} as const satisfies Record<string, Words>;

const pageSize = 100;

/** The account of a customer: documents and receipts in the order of their dates, with the balance after each. */
@ConsolePage({ method: 'GET', path: '/customers/:id/statement', access: 'reader', books: true })
export class ShowStatement {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { language, link, outcome, query } = visit;
    const subject = await statementVisit(this.rpc, visit, this.clock.now());
    const after = readPosition(query.get('after'));
    const statement = await readPage(this.rpc, visit, subject, { limit: pageSize, after });
    const { customer, period } = subject;
    const at = `/customers/${customer.id}/statement`;
    const { next_after: end } = statement;
    const next = end && { ...periodQuery(period), after: `${end.date}~${end.position}` };
    const links = {
      first: after === null ? null : link(at, periodQuery(period)),
      next: next && link(at, next),
    };
    return page(
      `${words.statement[language]} – ${customer.name}`,
      html`
${head(visit, subject, statement)}
${outcome === 'reminded' ? notice('done', texts.reminded[language]) : null}
${figures(statement, visit)}
${periodForm(visit, subject)}
${card({
  id: 'entries',
  title: texts.entries[language],
  kind: 'flush',
  content: entriesOf(visit, statement),
})}
${pager(links, language, texts.entries[language])}
<p class="hint">${texts.meaning[language]}</p>`,
    );
  }
}

function head(visit: MemberVisit, { customer, period }: StatementVisit, { open }: Statement): Markup {
  const { language, link, role } = visit;
  const at = `/customers/${customer.id}/statement`;
  const remind = linkButton({
    href: link(`/debts/${customer.id}/reminder`),
    text: texts.remind[language],
    kind: 'primary',
  });
  return pageHead({
    title: html`${words.statement[language]}: ${isolate(customer.name, language)}`,
    language,
    crumbs: [
      { text: words.customers[language], href: link('/customers') },
      { text: isolate(customer.name, language), href: link(`/customers/${customer.id}`) },
    ],
    primary: open > 0 && isAtLeast(role, 'issuer') ? remind : null,
    secondary: (['pdf', 'csv'] as const).map((kind) =>
      linkButton({
        href: link(`${at}/${kind}`, periodQuery(period)),
        text: texts[kind][language],
        download: true,
      }),
    ),
  });
}

function figures(statement: Statement, { language }: MemberVisit): Markup {
  const { opening, debit, credit, closing, open } = statement;
  return stats([
    { label: texts.opening[language], value: largeAmount(opening, language) },
    { label: texts.debit[language], value: largeAmount(debit, language) },
    { label: texts.credit[language], value: largeAmount(credit, language) },
    {
      label: texts.closing[language],
      value: largeAmount(closing, language),
      detail: html`${amount(open, language)} ${texts.open[language]}`,
    },
  ]);
}

function periodForm({ language, link }: MemberVisit, { customer, period }: StatementVisit): Markup {
  const { from = '', to = '' } = period;
  return filterForm({
    action: link(`/customers/${customer.id}/statement`),
    content: html`
${field({ name: 'from', label: texts.from[language], type: 'date', value: from })}
${field({ name: 'to', label: texts.to[language], type: 'date', value: to })}`,
    acts: button({ text: texts.show[language], kind: 'secondary' }),
  });
}

function entriesOf({ language, link }: MemberVisit, statement: Statement): Markup {
  const { entries } = statement;
  return entries.length === 0
    ? emptyState({ title: texts.none[language] })
    : statementTable(statement, entries, language, (id) => link(`/documents/${id}`));
}

/** Where a page begins: `2026-06-15~12`; what is no position begins at the first page. */
function readPosition(text: string | null): RequestOf<typeof readStatement>['after'] {
  const [date = '', place = ''] = text?.split('~') ?? [];
  const position = Number(place);
  return isCalendarDate(date) && Number.isSafeInteger(position) && position > 0 ? { date, position } : null;
}
