import { documentTypeRules } from '@pinkas/domain';
import { type Clock, type Database, forTenant, InjectClock, InjectDatabase } from '@pinkas/service-kit';
import { card, dayAndTime, html, leftToRight, type Markup, notice, pageHead, type Words } from '@pinkas/ui';
import type { ConsoleTables } from '../db/console.tables.js';
import { ConsolePage, PageController, type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { checkLine, checkStateOf, checkWords } from './book-check.js';
import { type CompletedCheck, knownCheck } from './book-check.repository.js';

const texts = {
  title: { he: 'הבדיקה היומית של הספר', en: 'The daily check of the book' },
  lead: {
    he: 'פעם ביום המערכת קוראת את כל המסמכים של העסק ומשווה אותם לכל מה שנשמר עליהם. הבדיקה אינה משנה דבר.',
    en: 'Once a day the system reads all documents of the business and compares them with all that is stored about them. It changes nothing.',
  },
  last: { he: 'הבדיקה האחרונה שהושלמה', en: 'The last check that was completed' },
  from: { he: 'התחילה', en: 'Began' },
  until: { he: 'הושלמה', en: 'Completed' },
  documents: { he: 'מסמכים', en: 'Documents' },
  findings: { he: 'אי־התאמות', en: 'Findings' },
  what: { he: 'מה נבדק', en: 'What is checked' },
  large: {
    he: 'ספר של יותר מ־2,000 מסמכים נבדק בחלקים, שביניהם עד עשר דקות. מסמך שהופק אחרי שחלקו נבדק ייבדק בסבב הבא.',
    en: 'A book of more than 2,000 documents is checked in parts, up to ten minutes apart. A document that is issued after its part was checked is checked in the next round.',
  },
  not: {
    he: 'הבדיקה אינה משווה את הספר לקצוות החתומים של השרשראות, ואינה שואלת את רשות המסים: את הראשון עושה מי שמפעיל את המערכת, עם pinkas verify.',
    en: 'It does not compare the book with the signed ends of its chains, and asks the tax authority nothing: the operator of the system does the former, with pinkas verify.',
  },
} as const satisfies Record<string, Words>;

const checked: readonly Words[] = [
  {
    he: 'המספרים של כל סוג מסמך רצופים, בלי פער ובלי כפילות, והסדרה ממשיכה במספר הבא',
    en: 'The numbers of each type follow one another without a gap or a duplicate, and the series goes on with the next one',
  },
  { he: 'התאריכים אינם יורדים לאורך המספרים', en: 'Dates do not decrease along the numbers' },
  {
    he: 'כל שורה, הנחה, מע"מ וסכום מחושבים שוב, וכך גם התשלומים, היתרות והסיכומים',
    en: 'Each line, discount, VAT and total is computed again, and so are payments, balances and sums',
  },
  {
    he: 'לכל קובץ PDF יש הגיבוב שלו וחתימה תקפה על כולו, והוא מציג את המספר ואת הסכום',
    en: 'Each PDF has its hash and a valid signature over all of it, and shows the number and the total',
  },
  {
    he: 'מספרי ההקצאה הם אלה שרשות המסים נתנה',
    en: 'Allocation numbers are those that the tax authority gave',
  },
  {
    he: 'כל מסמך ממשיך את שרשרת הגיבובים של סדרתו, וכל שינוי במצבו רשום ביומן',
    en: 'Each document continues the chain of hashes of its series, and each change of its state is in the trail',
  },
  { he: 'נמענים לא קיבלו אותה הודעה פעמיים', en: 'No recipient got a message twice' },
];

/** What the daily check checks, and what it has found. */
@PageController({ path: '/check', access: 'reader' })
export class CheckPages {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { business, language, t } = visit;
    const check = await knownCheck(forTenant(this.db, business.id), business.id);
    const now = this.clock.now();
    const state = checkStateOf(check, now);
    return page(
      t(texts.title),
      html`${pageHead({ title: t(texts.title), language, lead: t(texts.lead) })}
${state === 'found' ? notice('error', t(checkWords.foundMore)) : null}
${state === 'found' || state === 'sound' ? null : checkLine(visit, check, now)}
${check.completed ? lastCheck(visit, check.completed) : null}
${card({
  id: 'checked',
  title: t(texts.what),
  content: html`<ul>
${checked.map((words) => html`<li>${t(words)}</li>\n`)}</ul>
<p>${t(texts.large)}</p>
<p>${t(texts.not)}</p>`,
})}`,
    );
  }
}

function lastCheck({ language, t }: MemberVisit, check: CompletedCheck): Markup {
  const findings = check.findings ?? [];
  const list = findings.map(({ type, number, message }) => {
    const rules = type && documentTypeRules[type];
    const name = rules && (language === 'he' ? rules.nameHe : rules.name);
    return html`<li>
  ${name} ${number === null ? null : leftToRight(String(number))}
  <span lang="en" dir="ltr">${message}</span>
</li>
`;
  });
  return card({
    id: 'last',
    title: t(texts.last),
    content: html`<dl class="facts">
  <dt>${t(texts.from)}</dt>
  <dd>${dayAndTime(check.completed_since.toISOString(), language)}</dd>
  <dt>${t(texts.until)}</dt>
  <dd>${dayAndTime(check.completed_at.toISOString(), language)}</dd>
  <dt>${t(texts.documents)}</dt>
  <dd>${leftToRight(String(check.documents))}</dd>
  <dt>${t(texts.findings)}</dt>
  <dd>${leftToRight(String(findings.length))}</dd>
</dl>
${
  list.length > 0
    ? html`<ul>
${list}</ul>`
    : null
}`,
  });
}
