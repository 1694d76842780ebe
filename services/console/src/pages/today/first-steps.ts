import { listDocuments, listKeys } from '@pinkas/contracts';
import { dayInIsrael, isReportingInstitution, mayIssue, testBookOf } from '@pinkas/domain';
import type { RpcClient } from '@pinkas/service-kit';
import { card, checklist, linkButton, type Markup, type Step, type Words } from '@pinkas/ui';
import type { MemberVisit } from '../../http/visit.js';
import { isAtLeast } from '../../session/roles.js';
import { issueAct } from '../issue/issue-links.js';
import { unlessAway } from '../unless-away.js';

const texts = {
  title: { he: 'צעדים ראשונים', en: 'First steps' },
  details: { he: 'פרטי העסק', en: 'Business details' },
  detailsMore: {
    he: 'כתובת וטלפון: חשבונית חייבת לשאת את הכתובת של העסק.',
    en: 'Address and phone: an invoice has to have the address of the business.',
  },
  detailsAct: { he: 'השלמת הפרטים', en: 'Complete them' },
  logo: { he: 'לוגו', en: 'Logo' },
  logoMore: { he: 'הוא מופיע במסמכים ובהודעות.', en: 'It is on documents and emails.' },
  logoAct: { he: 'העלאת לוגו', en: 'Upload a logo' },
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

/** What is to be done before the first document; shown while there is none. */
export async function firstSteps(visit: MemberVisit, rpc: RpcClient): Promise<Markup> {
  const { business, language, role } = visit;
  const [keys, tests] = await Promise.all([
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
  const act = (path: string, word: Words) =>
    isAtLeast(role, 'owner') ? linkButton({ href: `/b/${business.id}${path}`, text: word[language] }) : null;
  const step = (
    name: 'details' | 'logo' | 'connect' | 'key' | 'accountant',
    isDone: boolean,
    path: string,
  ): Step => ({
    text: texts[name][language],
    detail: texts[`${name}More`][language],
    isDone,
    action: act(path, texts[`${name}Act`]),
  });
  const reportsDonations = isReportingInstitution(business, dayInIsrael(new Date()));
  const needsConnection =
    business.legal_type === null || mayIssue(business.legal_type, 'tax_invoice') || reportsDonations;
  const connect = step('connect', business.tax_authority_connected, '/authority');
  const steps: Step[] = [
    step('details', business.address !== null && business.city !== null, '/business#details'),
    step('logo', business.logo != null, '/business#look'),
    ...(needsConnection
      ? [reportsDonations ? { ...connect, detail: texts.connectDonations[language] } : connect]
      : []),
    {
      text: texts.test[language],
      detail: texts.testMore[language],
      isDone: (tests?.documents ?? []).length > 0,
      action: linkButton({ href: `/t/${business.id}`, text: texts.testAct[language] }),
    },
    {
      text: texts.first[language],
      detail: texts.firstMore[language],
      isDone: false,
      action: issueAct(visit),
    },
    step('accountant', business.accountant_copy.enabled, '/business#accountant'),
    step(
      'key',
      (keys?.keys ?? []).some((key) => key.revoked_at === null),
      '/connection/new',
    ),
  ];
  return card({ id: 'first-steps', title: texts.title[language], content: checklist(steps, language) });
}
