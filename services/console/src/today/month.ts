import type { listTopCustomers, ReplyOf, summarizeDebts, summarizeMonths } from '@pinkas/contracts';
import {
  type Agorot,
  type DocumentType,
  fromShekels,
  type MonthResult,
  monthResults,
  sum,
  toShekels,
} from '@pinkas/domain';
import {
  amount,
  type BarPair,
  barChart,
  card,
  emptyState,
  html,
  isolate,
  type Language,
  largeAmount,
  type Markup,
  type Stat,
  table,
} from '@pinkas/ui';
import { typeName } from '../frame/parts.js';
import type { MemberVisit } from '../http/visit.js';
import { todayWords as texts } from './today-words.js';

type Months = ReplyOf<typeof summarizeMonths>['months'];

const none: MonthResult = { income: 0n, vat: 0n, received: 0n };

/** The months that the page shows: this year until now, and the year before. @param today YYYY-MM-DD. */
export function shownMonths(today: string): { from: string; to: string } {
  return { from: `${Number(today.slice(0, 4)) - 1}-01`, to: today.slice(0, 7) };
}

/** The months of which the best customers are shown: this one and eleven before. */
export function lastTwelveMonths(today: string): { from: string; to: string } {
  const [year = 0, month = 0] = today.split('-').map(Number);
  const from = month === 12 ? `${year}-01` : `${year - 1}-${String(month + 1).padStart(2, '0')}`;
  return { from, to: today.slice(0, 7) };
}

function monthBefore(month: string): string {
  const [year = 0, n = 0] = month.split('-').map(Number);
  return n === 1 ? `${year - 1}-12` : `${year}-${String(n - 1).padStart(2, '0')}`;
}

const resultsOf = ({ business }: MemberVisit, months: Months) =>
  monthResults(
    business.legal_type,
    months.map((row) => ({
      ...row,
      net: fromShekels(row.net),
      vat: fromShekels(row.vat),
      total: fromShekels(row.total),
    })),
  );

/** The figures of this month, each with that of the month before. */
export function monthFigures(visit: MemberVisit, months: Months, today: string): Stat[] {
  const { language, t } = visit;
  const results = resultsOf(visit, months);
  const month = today.slice(0, 7);
  const now = results.get(month) ?? none;
  const before = results.get(monthBefore(month)) ?? none;
  const figure = (name: 'income' | 'vat' | 'received'): Stat => ({
    label: t(texts[name]),
    value: largeAmount(toShekels(now[name]), language),
    detail: html`${t(texts.lastMonth)}: ${amount(toShekels(before[name]), language)}`,
  });
  const hasVat = [...results.values()].some(({ vat }) => vat !== 0n);
  return [figure('income'), ...(hasVat ? [figure('vat')] : []), figure('received')];
}

/** What is left to pay of all documents, with what of it is late. */
export function debtFigure(visit: MemberVisit, { amount: sum, late }: ReplyOf<typeof summarizeDebts>): Stat {
  const { language, t, link } = visit;
  const isLate = late > 0;
  return {
    label: t(texts.debts),
    value: largeAmount(sum, language),
    href: link('/debts'),
    detail: isLate ? html`${t(texts.late)}: ${amount(late, language)}` : t(texts.noneLate),
    ...(isLate && { tone: 'bad' as const }),
  };
}

const monthName = (month: number, language: Language, form: 'long' | 'short') =>
  new Intl.DateTimeFormat(language === 'he' ? 'he-IL' : 'en-GB', { month: form, timeZone: 'UTC' }).format(
    new Date(Date.UTC(2026, month - 1, 1)),
  );

/** Income by month, this year next to the last. */
export function yearChart(visit: MemberVisit, months: Months, today: string): Markup {
  const { language, t } = visit;
  const results = resultsOf(visit, months);
  const year = Number(today.slice(0, 4));
  const thisMonth = Number(today.slice(5, 7));
  const shekels = (value: Agorot | undefined) => toShekels(value ?? 0n);
  const pairs = Array.from({ length: 12 }, (_, index): BarPair => {
    const n = index + 1;
    const of = (when: number) => results.get(`${when}-${String(n).padStart(2, '0')}`)?.income;
    return {
      label: monthName(n, language, 'short'),
      name: monthName(n, language, 'long'),
      value: n > thisMonth ? null : shekels(of(year)),
      before: shekels(of(year - 1)),
    };
  });
  const isEmpty = pairs.every(({ value, before }) => !value && !before);
  const content = isEmpty
    ? emptyState({ title: t(texts.noIncome), text: t(texts.noIncomeMore) })
    : barChart({
        title: t(texts.year),
        pairs,
        legend: { value: String(year), before: String(year - 1) },
        pairHead: t(texts.monthHead),
        language,
      });
  return card({ id: 'year', title: t(texts.year), aside: comparedText(pairs, language), content });
}

/** This year until now, and the same months of the last one; null where there was nothing then. */
function comparedText(pairs: readonly BarPair[], language: Language): Markup | null {
  const passed = pairs.filter(({ value }) => value !== null);
  const [now, before] = (['value', 'before'] as const).map((name) =>
    toShekels(sum(passed.map((pair) => fromShekels(pair[name] ?? 0)))),
  );
  return before
    ? html`<span class="soft">
  ${texts.thisYear[language]} ${amount(now ?? 0, language)},
  ${texts.sameMonths[language]} ${amount(before, language)}
</span>`
    : null;
}

/** The customers who bring in most, each with its page. */
export function topCustomers(
  { language, t, link }: MemberVisit,
  { customers }: ReplyOf<typeof listTopCustomers>,
): Markup | null {
  const content = table({
    caption: t(texts.top),
    language,
    rows: customers,
    columns: [
      {
        head: t(texts.customer),
        value: ({ customer_id, name }) =>
          html`<a href="${link(`/customers/${customer_id}/statement`)}">${isolate(name, language)}</a>`,
      },
      { head: t(texts.count), kind: 'count', value: ({ documents }) => documents },
      { head: t(texts.incomeOf), kind: 'money', value: ({ income }) => income },
    ],
  });
  return customers.length === 0
    ? null
    : card({ id: 'top-customers', title: t(texts.top), kind: 'flush', content });
}

/** The types in the order in which owners think of them: what is money, and then what leads to it, whose totals are no money yet. */
const shownTypes = {
  tax_invoice: 1,
  tax_invoice_receipt: 1,
  credit_note: -1,
  receipt: 1,
  donation_receipt: 1,
  proforma: 0,
  quote: 0,
  order: 0,
  delivery_note: 0,
  return_note: 0,
} as const satisfies Record<DocumentType, 1 | -1 | 0>;

/** What was issued this month, by type. */
export function monthByType({ language, t }: MemberVisit, months: Months, today: string): Markup {
  const ofMonth = months.filter(({ month }) => month === today.slice(0, 7));
  const rows = Object.entries(shownTypes).flatMap(([type, sign]) =>
    ofMonth
      .filter((row) => row.type === type)
      .map((row) => ({ ...row, sum: sign === 0 ? null : sign * row.total })),
  );
  const content =
    rows.length === 0
      ? html`<p class="soft">${t(texts.noneThisMonth)}</p>`
      : table({
          caption: t(texts.byType),
          language,
          rows,
          columns: [
            { head: t(texts.kind), value: ({ type }) => html`${typeName(type, language)}` },
            { head: t(texts.count), kind: 'count', value: ({ documents }) => documents },
            { head: t(texts.total), kind: 'money', value: ({ sum }) => sum },
          ],
        });
  return card({ id: 'month', title: t(texts.byType), content });
}
