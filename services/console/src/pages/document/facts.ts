import type { CustomerSnapshot, DocumentState, IssuedDocument } from '@pinkas/contracts';
import { documentTypeRules } from '@pinkas/domain';
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
} from '@pinkas/ui';
import type { MemberVisit } from '../../http/visit.js';
import { customerTypeNames } from '../customer-form.js';
import { balanceOf, typeName } from '../parts.js';
import { balanceFact } from '../settlement.js';
import { donationFacts } from './donation.js';
import { refusalWords } from './refusal-words.js';

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
  const credited = state.credited
    ? html`${texts.credited[language]}: ${amount(state.credited, language)}`
    : null;
  return stats([
    { label: totalWords[document.type][language], value: largeAmount(document.totals.total, language) },
    { label: texts.paid[language], value: largeAmount(state.paid, language), detail: credited },
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
  const { language } = visit;
  const { based_on: source } = document;
  const isInFigures = balanceOf(document, state) !== null;
  const showsPaid = !isInFigures && (documentTypeRules[document.type].dueDate || state.paid > 0);
  const showsCredited = !isInFigures && state.credited;
  return facts(
    [
      [texts.title[language], document.title],
      [texts.customer[language], customerName(visit, document.customer)],
      [texts.contact[language], customerDetails(document.customer, language)],
      [texts.date[language], day(document.date, language)],
      [texts.issuer[language], issuer],
      [texts.due[language], document.due_date && day(document.due_date, language)],
      [texts.reference[language], document.external_ref],
      [texts.basedOn[language], source && sourceLink(visit, source)],
      [texts.number[language], numberFact(state, language)],
      ...donationFacts(document, state, language),
      [texts.paid[language], showsPaid ? amount(state.paid, language) : null],
      [texts.credited[language], showsCredited ? amount(showsCredited, language) : null],
      [
        texts.setOff[language],
        state.set_off === undefined
          ? null
          : html`${amount(state.set_off, language)}
<a href="${visit.link(`/documents/${document.id}/set-offs`)}">${texts.setOffs[language]}</a>`,
      ],
      [texts.sending[language], document.send ? null : texts.notSent[language]],
    ],
    language,
  );
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
function customerDetails(
  { email, phone, address, city }: CustomerSnapshot,
  language: Language,
): Markup | null {
  const typed = (text: string | null) => (text === null ? null : isolate(text, language));
  const figures = (text: string | null) => (text === null ? null : leftToRight(text));
  const details = join([typed(address), typed(city), figures(email), figures(phone)], ' · ');
  return details.text === '' ? null : details;
}
