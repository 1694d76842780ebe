import { isUuid } from '@pinkas/contracts';
import { type DocumentType, documentTypeRules, documentTypes, isInstitution, mayIssue } from '@pinkas/domain';
import { card, emptyState, html, type Markup, pageHead, type Words } from '@pinkas/ui';
import { typeName } from '../frame/parts.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page } from '../http/console-page.js';
import { Drafts } from '../http/drafts.js';
import type { MemberVisit } from '../http/visit.js';
import { draftNotice, draftsCard } from './draft-parts.js';

const texts = {
  lead: {
    he: 'אפשר להתחיל גם ממסמך קיים: בדף שלו יש מסמכים שאפשר להפיק על בסיסו, ושכפול.',
    en: 'You can also begin from a document: its page has what can be based on it, and a copy.',
  },
  offers: { he: 'הצעות, הזמנות ומשלוחים', en: 'Offers, orders and deliveries' },
  bills: { he: 'חשבוניות וקבלות', en: 'Invoices and receipts' },
  none: { he: 'העסק אינו יכול להפיק מסמכים.', en: 'The business may issue no document.' },
} as const satisfies Record<string, Words>;

/** What each type is for, in a line. */
const purposes = {
  quote: { he: 'מחיר שהלקוח יכול לקבל', en: 'A price that a customer may accept' },
  order: { he: 'מה שהלקוח הזמין', en: 'What a customer has ordered' },
  delivery_note: { he: 'טובין שנמסרים ללקוח', en: 'Goods that go to a customer' },
  return_note: { he: 'טובין שחוזרים מהלקוח', en: 'Goods that come back' },
  proforma: { he: 'דרישת תשלום לפני החשבונית', en: 'Asks for payment before the invoice' },
  tax_invoice: { he: 'הלקוח משלם אחר כך', en: 'The customer pays later' },
  tax_invoice_receipt: { he: 'הלקוח כבר שילם', en: 'The customer has paid already' },
  receipt: { he: 'תשלום שהתקבל', en: 'A payment that arrived' },
  donation_receipt: { he: 'תרומה שהתקבלה', en: 'A donation that arrived' },
  credit_note: {
    he: 'זיכוי של חשבונית: בוחרים אותה ברשימה',
    en: 'Credits an invoice: choose it in the list',
  },
} as const satisfies Record<DocumentType, Words>;

const groups: readonly {
  readonly id: string;
  readonly title: Words;
  readonly types: readonly DocumentType[];
}[] = [
  {
    id: 'bills',
    title: texts.bills,
    types: ['tax_invoice', 'tax_invoice_receipt', 'receipt', 'donation_receipt', 'proforma', 'credit_note'],
  },
  { id: 'offers', title: texts.offers, types: ['quote', 'order', 'delivery_note', 'return_note'] },
];

/** The types that a business may issue. */
@PageController({ path: '/issue', access: 'issuer', books: true })
export class DocumentTypePages {
  constructor(private readonly drafts: Drafts) {}

  @ConsolePage({ method: 'GET', changes: 'issues' })
  async choose(visit: MemberVisit): Promise<PageReply> {
    const { business, language, t, query } = visit;
    const customer = query.get('customer') ?? '';
    const legalType = business.legal_type;
    const allowed = documentTypes.filter(
      (type) =>
        legalType !== null &&
        mayIssue(legalType, type) &&
        // Of others it means nothing to the tax authority, and next to 'receipt' it is taken by mistake.
        (type !== 'donation_receipt' || isInstitution(legalType)),
    );
    const cards = groups.flatMap(({ id, title, types }) => {
      const links = types
        .filter((type) => allowed.includes(type))
        .map((type) => typeLink(visit, type, customer));
      return links.length === 0 ? [] : [card({ id, title: t(title), content: typeList(links) })];
    });
    const drafts = await this.drafts.list(visit, visit.link('/issue/document'));
    return page(
      t(words.issue),
      html`
${pageHead({ title: t(words.issue), language, lead: t(texts.lead) })}
${draftNotice(visit)}
${draftsCard(visit, drafts, false)}
${cards.length === 0 ? emptyState({ title: t(texts.none) }) : cards}`,
    );
  }
}

const typeList = (links: readonly Markup[]): Markup => html`<ul class="types">
  ${links}
</ul>`;

/** @param customer the id of whom it is for; empty: not chosen yet. */
function typeLink({ language, link }: MemberVisit, type: DocumentType, customer: string): Markup {
  const isFromInvoice = documentTypeRules[type].sourceRequired;
  const href = isFromInvoice
    ? link('/documents', { type: 'tax_invoice' })
    : link('/issue/document', { type, ...(isUuid(customer) && { customer }) });
  return html`<li>
    <a href="${href}">
      <span class="name">${typeName(type, language)}</span>
      <span class="hint">${purposes[type][language]}</span>
    </a>
  </li>
  `;
}
