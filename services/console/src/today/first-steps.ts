import { listDocuments, listKeys } from '@pinkas/contracts';
import { dayInIsrael, isReportingInstitution, mayIssue, testBookOf } from '@pinkas/domain';
import { type Database, forTenant, type RpcClient } from '@pinkas/service-kit';
import {
  button,
  card,
  checklist,
  linkButton,
  type Markup,
  postForm,
  type Step,
  type Words,
} from '@pinkas/ui';
import type { ConsoleTables } from '../db/console.tables.js';
import { unlessAway } from '../frame/unless-away.js';
import { words } from '../frame/words.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';

export const firstStepWords = {
  title: { he: 'צעדים ראשונים', en: 'First steps' },
  dismiss: { he: 'אין צורך ברשימה', en: 'Dismiss' },
  details: { he: 'פרטי העסק', en: 'Business details' },
  detailsMore: {
    he: 'כתובת וטלפון: חשבונית חייבת לשאת את הכתובת של העסק.',
    en: 'Address and phone: an invoice has to have the address of the business.',
  },
  detailsAct: { he: 'השלמת הפרטים', en: 'Complete them' },
  logo: { he: 'לוגו', en: 'Logo' },
  logoMore: { he: 'הוא מופיע במסמכים ובהודעות.', en: 'It is on documents and emails.' },
  logoAct: { he: 'העלאת לוגו', en: 'Upload a logo' },
  sending: { he: 'שליחה ללקוחות', en: 'Sending to customers' },
  sendingMore: {
    he: 'כל עוד השליחה כבויה, מסמך שמופק אינו מגיע ללקוח.',
    en: 'While sending is off, a document that is issued does not reach the customer.',
  },
  sendingAct: { he: 'הפעלת השליחה', en: 'Turn it on' },
  connect: { he: 'חיבור לרשות המסים', en: 'Connection to the tax authority' },
  connectMore: {
    he: 'בלעדיו אין מספרי הקצאה, והלקוחות אינם יכולים לנכות מע"מ מחשבוניות גדולות.',
    en: 'Without it there are no allocation numbers, and customers cannot deduct the VAT of large invoices.',
  },
  connectDonations: {
    he: 'בלעדיו התרומות אינן מדווחות, והתורמים אינם מקבלים זיכוי ממס.',
    en: 'Without it no donation is reported, and donors get no tax credit.',
  },
  connectAct: { he: 'התחברות', en: 'Connect' },
  first: { he: 'המסמך הראשון', en: 'The first document' },
  firstMore: {
    he: 'הצעת מחיר, חשבונית או קבלה; לפני ההפקה רואים בדיוק איך ייראה.',
    en: 'A quote, an invoice or a receipt; what it will look like is shown before it is issued.',
  },
  key: { he: 'חיבור החנות או ה-CRM, אם יש', en: 'Your shop or CRM, if you have one' },
  keyMore: {
    he: 'הם מפיקים מסמכים בעצמם, עם מפתח API. כדאי להתחיל במפתח ניסיון.',
    en: 'It issues documents over the API, with a key. Begin with a test key.',
  },
  keyAct: { he: 'יצירת מפתח', en: 'Create a key' },
  test: { he: 'מסמך ניסיון', en: 'A test document' },
  testMore: {
    he: 'בספר הניסיון שום מסמך אינו נחשב ואינו נשלח לאיש.',
    en: 'In the test book no document counts, and none is sent to anyone.',
  },
  testAct: { he: 'לספר הניסיון', en: 'To the test book' },
  accountant: { he: 'עותק לרואה החשבון', en: "Accountant's copy" },
  accountantMore: {
    he: 'עותק של כל מסמך נשלח אליו אוטומטית.',
    en: 'A copy of each document is sent to them automatically.',
  },
  accountantAct: { he: 'הוספת כתובת', en: 'Add the address' },
} as const satisfies Record<string, Words>;

/** What first steps are read with. */
interface Read {
  readonly rpc: RpcClient;
  readonly db: Database<ConsoleTables>;
  readonly now: Date;
}

/** A step with the act that does it, which is the primary one of the page where it is next. */
interface Act {
  readonly path: string;
  readonly word: Words;
}
type OpenStep = Omit<Step, 'action'> & { readonly act: Act | null };

/** The first steps of a business; null: all are done, or an owner has dismissed them. */
export async function readFirstSteps(
  visit: MemberVisit,
  { rpc, db, now }: Read,
  hasDocuments: boolean,
): Promise<OpenStep[] | null> {
  const { business } = visit;
  const [dismissed, keys, tests] = await Promise.all([
    isDismissed(db, business.id),
    unlessAway(rpc.call(listKeys, { business_id: business.id })),
    unlessAway(
      rpc.call(listDocuments, {
        business_id: testBookOf(business.id),
        include_cancelled: true,
        limit: 1,
        before: null,
      }),
    ),
  ]);
  if (dismissed) {
    return null;
  }
  const facts = {
    // Where a service is away, its step is not asked for.
    hasKey: keys === null || keys.keys.some((key) => key.revoked_at === null),
    hasTests: tests === null || tests.documents.length > 0,
    hasDocuments,
    reportsDonations: isReportingInstitution(business, dayInIsrael(now)),
  };
  const steps = stepsOf(visit, facts);
  return steps.every(({ isDone }) => isDone) ? null : steps;
}

interface StepFacts {
  readonly hasKey: boolean;
  readonly hasTests: boolean;
  readonly hasDocuments: boolean;
  readonly reportsDonations: boolean;
}

function stepsOf(visit: MemberVisit, facts: StepFacts): OpenStep[] {
  const { business, t, role } = visit;
  const isOwner = isAtLeast(role, 'owner');
  const step = (
    name: 'details' | 'logo' | 'sending' | 'connect' | 'key' | 'accountant',
    isDone: boolean,
    path: string,
  ): OpenStep => ({
    text: t(firstStepWords[name]),
    detail: t(firstStepWords[`${name}More`]),
    isDone,
    act: isOwner ? { path: `/b/${business.id}${path}`, word: firstStepWords[`${name}Act`] } : null,
  });
  const needsConnection =
    business.legal_type === null || mayIssue(business.legal_type, 'tax_invoice') || facts.reportsDonations;
  const connect = step('connect', business.tax_authority_connected, '/authority');
  return [
    step('details', business.address !== null && business.city !== null, '/business#details'),
    step('logo', business.logo != null, '/business#look'),
    step('sending', business.auto_send.enabled, '/business#sending'),
    ...(needsConnection
      ? [facts.reportsDonations ? { ...connect, detail: t(firstStepWords.connectDonations) } : connect]
      : []),
    {
      text: t(firstStepWords.test),
      detail: t(firstStepWords.testMore),
      isDone: facts.hasTests,
      act: { path: `/t/${business.id}`, word: firstStepWords.testAct },
    },
    {
      text: t(firstStepWords.first),
      detail: t(firstStepWords.firstMore),
      isDone: facts.hasDocuments,
      act: isAtLeast(role, 'issuer') ? { path: visit.link('/issue'), word: words.issue } : null,
    },
    step('accountant', business.accountant_copy.enabled, '/business#accountant'),
    step('key', facts.hasKey, '/connection/new'),
  ];
}

/** The steps as a card. Its primary act is that of the next step; an owner may dismiss them. */
export function firstStepsCard(visit: MemberVisit, steps: readonly OpenStep[]): Markup {
  const { csrfToken, language, t, link, role } = visit;
  const next = steps.findIndex(({ isDone }) => !isDone);
  const shown = steps.map(({ act, ...step }, index): Step => {
    const kind = index === next ? 'primary' : 'secondary';
    return { ...step, action: act && linkButton({ href: act.path, text: t(act.word), kind }) };
  });
  const dismiss = button({ text: t(firstStepWords.dismiss), kind: 'quiet' });
  return card({
    id: 'first-steps',
    title: t(firstStepWords.title),
    aside: isAtLeast(role, 'owner') ? postForm(link('/first-steps/dismiss'), csrfToken, dismiss) : null,
    content: checklist(shown, language),
  });
}

async function isDismissed(db: Database<ConsoleTables>, businessId: string): Promise<boolean> {
  const row = await forTenant(db, businessId)
    .selectFrom('dismissed_steps')
    .select('business_id')
    .where('business_id', '=', businessId)
    .executeTakeFirst();
  return row !== undefined;
}

/** An owner needs the first steps no more. */
export async function dismissFirstSteps(
  db: Database<ConsoleTables>,
  { business, session }: MemberVisit,
  now: Date,
): Promise<void> {
  await forTenant(db, business.id)
    .insertInto('dismissed_steps')
    .values({ business_id: business.id, dismissed_by: session.personId, dismissed_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
