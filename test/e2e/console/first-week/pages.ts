import { words } from '../../../../services/console/src/frame/words.js';
import { listWords } from '../../../../services/console/src/list/list-words.js';
import { reportTexts } from '../../../../services/console/src/reports/report.js';
import { todayWords } from '../../../../services/console/src/today/today-words.js';
import { type Diary, nameOf, type Read } from './diary.js';

/** The pages of a week, and what each states of its money at the end, in every language and width. */
export function pagesAtTheEnd(diary: Diary): (readonly [string, Read])[] {
  const { cards, ledger } = diary;
  const [now, before] = [ledger.sales(false), ledger.sales(true)];
  const account = ledger.account('regular');
  const idOf = (name: string) => diary.document(name).id;
  const [large, credited, refused] = [idOf('large'), idOf('credited'), idOf('refused')] as const;
  const statement = `/customers/${cards.get('regular')}/statement`;
  return [
    [
      '',
      {
        words: [words.today, todayWords.needs, todayWords.refused, todayWords.income, todayWords.late],
        amounts: [now.net, before.net, now.vat, before.vat, ledger.received(), ledger.due(), ledger.late()],
      },
    ],
    ['/documents', { words: [words.documents, listWords.sums], amounts: [ledger.left(refused)] }],
    [
      `/documents/${large}`,
      { words: [nameOf('tax_invoice'), listWords.number], amounts: [ledger.asked(large), 0n] },
    ],
    [`/documents/${credited}`, { amounts: [ledger.asked(credited), 0n] }],
    ['/customers', { words: [words.customers] }],
    ['/debts', { words: [words.debts], amounts: [ledger.due(), ledger.late(), ledger.onAccount('regular')] }],
    ['/debts/documents', { amounts: [ledger.left(idOf('late')), ledger.left(refused)] }],
    [statement, { words: [words.statement], amounts: [account.debit, account.credit, account.closing] }],
    [
      '/reports',
      {
        words: [reportTexts.title, reportTexts.vat],
        amounts: [now.net, now.vat, now.total, ledger.received()],
      },
    ],
    ['/issue', { words: [words.issue] }],
    ['/exports', { words: [words.exports] }],
    ['/people', { words: [words.people] }],
    ['/business', { words: [words.business] }],
    ['/check', {}],
    ['/trail', { words: [words.trail] }],
  ];
}
