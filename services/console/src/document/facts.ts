import {
  type ContactDetail,
  type CustomerSnapshot,
  contactDetails,
  customerMembers,
  type DocumentState,
  type IssuedDocument,
} from '@pinkas/contracts';
import { documentTypeRules, fromShekels, settlementOf, toShekels } from '@pinkas/domain';
import {
  amount,
  day,
  facts,
  html,
  isolate,
  join,
  type Language,
  largeAmount,
  leftToRight,
  type Markup,
  stats,
  totalWords,
  type Words,
  withheldWords,
} from '@pinkas/ui';
import { customerTypeNames } from '../customer/customer-form.js';
import { balanceFact } from '../debts/settlement.js';
import { balanceOf, typeName } from '../frame/parts.js';
import { refusalWords } from '../frame/refusal-words.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';
import { donationFacts } from './donation.js';

const texts = {
  title: { he: 'כותרת', en: 'Title' },
  customer: { he: 'לקוח', en: 'Customer' },
  contact: { he: 'פרטי הלקוח', en: 'Customer details' },
  issuer: { he: 'הופק על ידי', en: 'Issued by' },
  date: { he: 'תאריך', en: 'Date' },
  due: { he: 'לתשלום עד', en: 'Due' },
  reference: { he: 'אסמכתא', en: 'Your reference' },
  basedOn: { he: 'מבוסס על', en: 'Based on' },
  number: { he: 'מספר הקצאה', en: 'Allocation number' },
  paid: { he: 'שולם', en: 'Paid' },
  credited: { he: 'זוכה', en: 'Credited' },
  setOff: { he: 'קוזז מזכות בחשבון', en: 'Set off from credit' },
  setOffs: { he: 'פירוט והסרה', en: 'Show or remove' },
  returned: { he: 'חזר לחשבון הלקוח. פירוט', en: 'On the account again. Show' },
  withhold: { he: 'נוכה במקור? רישום הניכוי', en: 'Was tax withheld? Record it' },
  sending: { he: 'שליחה', en: 'Sending' },
  notSent: {
    he: 'לא נשלח ללקוח אוטומטית, לפי הבקשה בעת ההפקה',
    en: 'Not sent to the customer automatically, as the request asked',
  },
} as const satisfies Record<string, Words>;

/** What a document asks for, what was paid, and what is left, large; null for one that asks for no payment. */
export function documentFigures(
  document: IssuedDocument,
  state: DocumentState,
  language: Language,
): Markup | null {
  const [label, balance] = balanceFact(document, state, language);
  if (balance === null) {
    return null;
  }
  const settled = [
    [texts.credited, state.credited ?? 0],
    [texts.setOff, setOffOf(state)],
    [withheldWords.withheld, state.withheld ?? 0],
  ] as const;
  const detail = settled.flatMap(([name, value]) =>
    value > 0 ? [html`${name[language]}: ${amount(value, language)}`] : [],
  );
  return stats([
    { label: totalWords[document.type][language], value: largeAmount(document.totals.total, language) },
    {
      label: texts.paid[language],
      value: largeAmount(state.paid, language),
      detail: detail.length === 0 ? null : join(detail, ' · '),
    },
    { label, value: balance },
  ]);
}

/** What a document contains in addition to its lines, payments and notes, and what has changed since. */
export function documentFacts(
  visit: MemberVisit,
  document: IssuedDocument,
  state: DocumentState,
  issuer: Markup | null,
): Markup {
  const { language, t } = visit;
  const { based_on: source } = document;
  const isInFigures = balanceOf(document, state) !== null;
  const setOffsText = t(texts[isInFigures ? 'setOffs' : 'returned']);
  const showsPaid = !isInFigures && (documentTypeRules[document.type].dueDate || state.paid > 0);
  const showsCredited = !isInFigures && state.credited;
  return facts(
    [
      [t(texts.title), document.title],
      [t(texts.customer), customerName(visit, document.customer)],
      [t(texts.contact), contactOf(document.customer, language)],
      [t(texts.date), day(document.date, language)],
      [t(texts.issuer), issuer],
      [t(texts.due), document.due_date && day(document.due_date, language)],
      [t(texts.reference), document.external_ref],
      [t(texts.basedOn), source && sourceLink(visit, source)],
      [t(texts.number), numberFact(state, language)],
      ...donationFacts(document, state, language),
      [t(texts.paid), showsPaid ? amount(state.paid, language) : null],
      [t(texts.credited), showsCredited ? amount(showsCredited, language) : null],
      [
        t(texts.setOff),
        setOffOf(state) === 0
          ? null
          : html`${amount(setOffOf(state), language)}
<a href="${visit.link(`/documents/${document.id}/set-offs`)}">${setOffsText}</a>`,
      ],
      [t(withheldWords.withheld), withheldFact(visit, document, state)],
      [
        t(withheldWords.settled),
        document.withheld === undefined
          ? null
          : amount(toShekels(fromShekels(document.totals.total) + fromShekels(document.withheld)), language),
      ],
      [t(texts.sending), document.send ? null : t(texts.notSent)],
    ],
    language,
  );
}

/** What is set against a document of the money on account. */
const setOffOf = ({ set_off = 0, withheld = 0 }: DocumentState): number =>
  toShekels(fromShekels(set_off) - fromShekels(withheld));

/** What tax was withheld of a document, or with a receipt; of one that is paid in part the way to record it. */
function withheldFact(visit: MemberVisit, document: IssuedDocument, state: DocumentState): Markup | null {
  const { language, t, link, role } = visit;
  const value = document.withheld ?? state.withheld;
  const href = link(`/documents/${document.id}/withheld`);
  if (value !== undefined) {
    const isOf = state.withheld !== undefined;
    return html`${amount(value, language)}${isOf && html` <a href="${href}">${t(texts.setOffs)}</a>`}`;
  }
  const isPartlyPaid = settlementOf(document, state).state === 'partly_paid';
  return isPartlyPaid && isAtLeast(role, 'issuer') ? html`<a href="${href}">${t(texts.withhold)}</a>` : null;
}

function numberFact(
  { allocation_number: number, refusal }: DocumentState,
  language: Language,
): Markup | null {
  if (number !== null) {
    return leftToRight(number);
  }
  return refusal ? html`${refusalWords.fact[language]}` : null;
}

function sourceLink(visit: MemberVisit, source: NonNullable<IssuedDocument['based_on']>): Markup {
  const { language } = visit;
  const name = html`${typeName(source.type, language)} ${leftToRight(String(source.number))}`;
  return html`<a href="${visit.link(`/documents/${source.id}`)}">${name}</a>, ${day(source.date, language)}`;
}

function customerName(visit: MemberVisit, customer: CustomerSnapshot): Markup {
  const { language } = visit;
  const { legal_type: legalType, tax_id: taxId } = customer;
  const more = join(
    [legalType && html`${customerTypeNames[legalType][language]}`, taxId && leftToRight(taxId)].map(
      (part) => part || null,
    ),
    ' ',
  );
  const href = visit.link(`/customers/${customer.id}`);
  return html`<a href="${href}">${isolate(customer.name, language)}</a>
    ${more.text !== '' && html`<span class="soft">${more}</span>`}`;
}

/** As the document has them; the card of the customer may have others by now. */
function contactOf(customer: CustomerSnapshot, language: Language): Markup | null {
  const isText = (detail: ContactDetail) => customerMembers[detail].kind === 'text';
  const inOrder = [...contactDetails.filter(isText), ...contactDetails.filter((detail) => !isText(detail))];
  const parts = inOrder.map((detail) => {
    const value = customer[detail] ?? null;
    if (value === null) {
      return null;
    }
    return isText(detail) ? isolate(value, language) : leftToRight(value);
  });
  const details = join(parts, ' · ');
  return details.text === '' ? null : details;
}
