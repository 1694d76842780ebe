import { timeLimitsMs } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { csvHead, csvRows } from '@pinkas/exports';
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
import { documentName, inSentence } from '../frame/parts.js';
import { fileColumns } from '../frame/sheet.js';
import { words } from '../frame/words.js';
import { bookPosition } from '../http/address-dates.js';
import { ConsolePage, PageController, type PageReply, page } from '../http/console-page.js';
import { csvFile, pdfFile } from '../http/file-replies.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';
import { accountActs } from './account-acts.js';
import { callSize, printStatement } from './printed-statement.js';
import {
  isReversed,
  periodQuery,
  readPage,
  type Statement,
  type StatementVisit,
  statementColumns,
  statementRows,
  statementTable,
  statementVisit,
} from './statement.js';

const texts = {
  from: { he: 'מתאריך', en: 'From' },
  to: { he: 'עד תאריך', en: 'To' },
  show: { he: 'הצגה', en: 'Show' },
  opening: { he: 'יתרת פתיחה', en: 'Opening balance' },
  debit: { he: 'חובה בתקופה', en: 'Debits in period' },
  credit: { he: 'זכות בתקופה', en: 'Credits in period' },
  closing: { he: 'יתרת סגירה', en: 'Closing balance' },
  open: { he: 'במסמכים פתוחים היום', en: 'open today' },
  entries: { he: 'תנועות', en: 'Entries' },
  reversed: {
    he: 'התאריך הראשון מאוחר מהאחרון, ולכן אין תנועות. יש להחליף ביניהם.',
    en: 'The first day is after the last one, so there are no entries. Exchange the two.',
  },
  none: { he: 'אין תנועות בתקופה.', en: 'There are no entries in this period.' },
  pdf: { he: 'PDF', en: 'PDF' },
  csv: { he: 'CSV', en: 'CSV' },
  email: { he: 'שליחה באימייל', en: 'Send by email' },
  emailed: {
    he: 'הכרטסת בדרך. אפשר לעקוב אחריה בדף המסמך האחרון שבה.',
    en: 'The statement is on its way. The page of its last document shows what becomes of it.',
  },
  remind: { he: 'תזכורת לתשלום', en: 'Send a reminder' },
  reminded: {
    he: 'התזכורת בדרך. אפשר לעקוב אחריה ב',
    en: 'The reminder is on its way. You can follow it in',
  },
  setOffDone: { he: 'הסכום קוזז.', en: 'It is set off.' },
  remindedDocument: { he: 'דף המסמך', en: 'the page of the document' },
  meaning: {
    he: 'חובה: מה שמסמך דרש לתשלום. זכות: מה שהתקבל או זוכה.',
    en: 'Debit: what a document asked for. Credit: what was received or credited.',
  },
  tooLong: {
    he: 'בכרטסת יותר מ-1,000 תנועות. יש לבחור תקופה קצרה יותר, או CSV.',
    en: 'The statement has more than 1,000 entries. Choose a shorter period, or the CSV.',
  },
} as const satisfies Record<string, Words>;

const pageSize = 100;

/** The account of a customer: documents and receipts in the order of their dates, with the balance after each. */
@PageController({ access: 'reader', path: '/customers/:id/statement', books: true })
export class StatementPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { language, t, link, query } = visit;
    const subject = await statementVisit(this.rpc, visit, this.clock.now());
    const after = bookPosition(query);
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
      `${t(words.statement)} – ${customer.name}`,
      html`
${head(visit, subject, statement)}
${visit.outcome === 'statement_sent' ? notice('done', t(texts.emailed)) : null}
${remindedNotice(visit, statement)}
${isReversed(period) ? notice('error', t(texts.reversed)) : null}
${figures(statement, visit)}
${periodForm(visit, subject)}
${card({
  id: 'entries',
  title: t(texts.entries),
  kind: 'flush',
  content: entriesOf(visit, statement),
})}
${pager(links, language, t(texts.entries))}
<p class="hint">${t(texts.meaning)}</p>`,
    );
  }

  /** For the customer. */
  @ConsolePage({ method: 'GET', path: '/pdf', timeoutMs: timeLimitsMs.operatorCall })
  async pdf(visit: MemberVisit): Promise<PageReply> {
    const now = this.clock.now();
    const subject = await statementVisit(this.rpc, visit, now);
    if (isReversed(subject.period)) {
      return reversed(visit, subject);
    }
    const made = await printStatement(this.rpc, visit, subject, { now, language: visit.language });
    if (made === null) {
      return page(visit.t(words.statement), tooLong(visit, subject), 422);
    }
    return pdfFile(`statement-${dayInIsrael(now)}.pdf`, Buffer.from(made.pdf, 'base64'));
  }

  /** For a spreadsheet, of any length. */
  @ConsolePage({ method: 'GET', path: '/csv' })
  async csv(visit: MemberVisit): Promise<PageReply> {
    const now = this.clock.now();
    const subject = await statementVisit(this.rpc, visit, now);
    if (isReversed(subject.period)) {
      return reversed(visit, subject);
    }
    const first = await readPage(this.rpc, visit, subject, { limit: callSize, after: null });
    return csvFile(`statement-${dayInIsrael(now)}.csv`, this.#parts(visit, subject, first));
  }

  async *#parts(visit: MemberVisit, subject: StatementVisit, first: Statement): AsyncGenerator<string> {
    const columns = fileColumns(statementColumns(first, visit.language));
    yield csvHead(columns) + csvRows(columns, statementRows(first, first.entries));
    for (let after = first.next_after; after !== null; ) {
      const { entries, next_after } = await readPage(this.rpc, visit, subject, { limit: callSize, after });
      yield csvRows(columns, entries);
      after = next_after;
    }
  }
}

/** Where a reminder that was just sent can be followed: the page of its first document. */
function remindedNotice({ language, t, link, outcome }: MemberVisit, { entries }: Statement): Markup | null {
  const [done, id = ''] = outcome?.split(' ') ?? [];
  if (done === 'set_off') {
    return notice('done', t(texts.setOffDone));
  }
  if (done !== 'reminded') {
    return null;
  }
  const entry = entries.find(({ document_id }) => document_id === id);
  const name = entry ? inSentence(documentName(entry, language), language) : t(texts.remindedDocument);
  const gap = language === 'he' ? '' : ' ';
  return notice('done', html`${t(texts.reminded)}${gap}<a href="${link(`/documents/${id}`)}">${name}</a>.`);
}

/** A statement that no PDF holds. */
export const tooLong = (visit: MemberVisit, subject: StatementVisit): Markup =>
  refusal(visit, subject, texts.tooLong);

/** In place of a file of a period that ends before it begins. */
const reversed = (visit: MemberVisit, subject: StatementVisit): PageReply =>
  page(visit.t(words.statement), refusal(visit, subject, texts.reversed), 422);

function refusal(
  { language, t, link }: MemberVisit,
  { customer, period }: StatementVisit,
  why: Words,
): Markup {
  const at = link(`/customers/${customer.id}/statement`, periodQuery(period));
  return html`
${pageHead({
  title: t(words.statement),
  language,
  crumbs: [{ text: isolate(customer.name, language), href: at }],
})}
${notice('error', t(why))}`;
}

function head(
  visit: MemberVisit,
  { customer, period }: StatementVisit,
  { closing, entries, open }: Statement,
): Markup {
  const { language, t, link, role } = visit;
  const at = `/customers/${customer.id}/statement`;
  const remind = linkButton({
    href: link(`/debts/${customer.id}/reminder`),
    text: t(texts.remind),
    kind: 'primary',
  });
  return pageHead({
    title: html`${t(words.statement)}: ${isolate(customer.name, language)}`,
    language,
    crumbs: [
      { text: t(words.customers), href: link('/customers') },
      { text: isolate(customer.name, language), href: link(`/customers/${customer.id}`) },
    ],
    primary: open > 0 && isAtLeast(role, 'issuer') ? remind : null,
    secondary: [
      ...accountActs(visit, customer.id, { open, onAccount: period.to === undefined ? open - closing : 0 }),
      entries.length > 0 && isAtLeast(role, 'issuer')
        ? linkButton({ href: link(`${at}/email`, periodQuery(period)), text: t(texts.email) })
        : null,
      ...(['pdf', 'csv'] as const).map((kind) =>
        linkButton({
          href: link(`${at}/${kind}`, periodQuery(period)),
          text: t(texts[kind]),
          download: true,
        }),
      ),
    ],
  });
}

function figures(statement: Statement, { language, t }: MemberVisit): Markup {
  const { opening, debit, credit, closing, open } = statement;
  return stats(
    [
      { label: t(texts.opening), value: largeAmount(opening, language) },
      { label: t(texts.debit), value: largeAmount(debit, language) },
      { label: t(texts.credit), value: largeAmount(credit, language) },
      {
        label: t(texts.closing),
        value: largeAmount(closing, language),
        detail: html`${amount(open, language)} ${t(texts.open)}`,
      },
    ],
    'ends',
  );
}

function periodForm({ language, t, link }: MemberVisit, { customer, period }: StatementVisit): Markup {
  const { from = '', to = '' } = period;
  return filterForm({
    action: link(`/customers/${customer.id}/statement`),
    content: html`
${field({ name: 'from', label: t(texts.from), type: 'date', language, value: from })}
${field({ name: 'to', label: t(texts.to), type: 'date', language, value: to })}`,
    acts: button({ text: t(texts.show), kind: 'secondary' }),
  });
}

function entriesOf({ language, link }: MemberVisit, statement: Statement): Markup {
  const { entries } = statement;
  return entries.length === 0
    ? emptyState({ title: texts.none[language] })
    : statementTable(statement, entries, language, (id) => link(`/documents/${id}`));
}
