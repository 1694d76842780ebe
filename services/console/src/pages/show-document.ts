import {
  getDocument,
  type IssuedDocument,
  listArtifacts,
  listMessages,
  type ReplyOf,
  showAllocation,
} from '@pinkas/contracts';
import {
  formatMoney,
  formatPercent,
  formatQuantity,
  html,
  isolate,
  type Language,
  leftToRight,
  type Markup,
} from '@pinkas/design';
import { documentTypeRules } from '@pinkas/domain';
import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import type { ConsoleConfig } from '../config.js';
import { ConsolePage, type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { actions } from './document/actions.js';
import { outcomeNotice } from './document/outcomes.js';
import { timeline } from './document/timeline.js';
import { amount, day, documentName, facts, notice, statusBadge, typeName } from './parts.js';
import { balanceFact, settlementNotes } from './settlement.js';
import { unlessAway } from './unless-away.js';
import type { Words } from './words.js';

const texts = {
  page: { he: 'דף המסמך', en: 'Hosted page' },
  pdf: { he: 'PDF חתום', en: 'Signed PDF' },
  customer: { he: 'לקוח', en: 'Customer' },
  date: { he: 'תאריך', en: 'Date' },
  due: { he: 'לתשלום עד', en: 'Due' },
  reference: { he: 'אסמכתא', en: 'Reference' },
  basedOn: { he: 'מבוסס על', en: 'Based on' },
  paid: { he: 'שולם', en: 'Paid' },
  credited: { he: 'זוכה', en: 'Credited' },
  number: { he: 'מספר הקצאה', en: 'Allocation number' },
  items: { he: 'שורות', en: 'Lines' },
  description: { he: 'תיאור', en: 'Description' },
  quantity: { he: 'כמות', en: 'Quantity' },
  price: { he: 'מחיר ליחידה', en: 'Unit price' },
  line: { he: 'סכום', en: 'Amount' },
  subtotal: { he: 'סכום ביניים', en: 'Subtotal' },
  discount: { he: 'הנחה', en: 'Discount' },
  vat: { he: 'מע"מ', en: 'VAT' },
  total: { he: 'סך הכול', en: 'Total' },
  away: {
    he: 'חלק מהשלבים אינו זמין כרגע; אפשר לטעון את הדף שוב בעוד דקה.',
    en: 'Some steps are not available right now; load the page again in a minute.',
  },
} as const satisfies Record<string, Words>;

/** One document: what it says, what became of it, and what can be done with it. */
@ConsolePage({ method: 'GET', path: '/documents/:id', access: 'reader', books: true })
export class ShowDocument {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, language, params } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const { document, state } = await this.rpc.call(getDocument, { ...key, detailed: true });
    const [allocation, artifacts, messages] = await Promise.all([
      unlessAway(this.rpc.call(showAllocation, { ...key, after_attempt: shownFrom(visit) })),
      unlessAway(this.rpc.call(listArtifacts, key)),
      unlessAway(this.rpc.call(listMessages, key)),
    ]);
    const isAway = allocation === null || artifacts === null || messages === null;
    const { public_id: publicId } = document;
    return page(
      documentName(document, language),
      html`<div class="title"><h1>${typeName(document.type, language)} ${leftToRight(String(document.number))}</h1>${statusBadge(state.status, language)}</div>
${outcomeNotice(visit.outcome, language)}${isAway ? notice('error', texts.away[language]) : null}${settlementNotes(visit, document, state)}
<p class="links"><a class="button" href="${this.config.viewUrlBase}/${publicId}">${texts.page[language]}</a> <a class="button quiet" href="${visit.link(`/documents/${document.id}/pdf`)}">${texts.pdf[language]}</a></p>
<div class="columns"><div>
<section class="card">${documentFacts(visit, document, state)}${itemTable(document, language)}</section></div>
<div>${timeline(visit, { document, state, allocation, artifacts, messages })}
${actions(visit, document, state, allocation?.allocation ?? null, messages?.messages ?? [])}</div></div>`,
    );
  }
}

/** The number of the request for an allocation number after which those of this page begin. */
function shownFrom({ query }: MemberVisit): number {
  const after = Number(query.get('requests'));
  return Number.isSafeInteger(after) && after > 0 ? after : 0;
}

function documentFacts(
  visit: MemberVisit,
  document: IssuedDocument,
  state: ReplyOf<typeof getDocument>['state'],
): Markup {
  const { language } = visit;
  const { customer, based_on: source } = document;
  const showsPaid = documentTypeRules[document.type].dueDate || state.paid > 0;
  return facts(
    [
      [
        texts.customer[language],
        html`<a href="${visit.link(`/customers/${customer.id}`)}">${isolate(customer.name, language)}</a>${customer.tax_id && html` <span class="soft">${leftToRight(customer.tax_id)}</span>`}`,
      ],
      [texts.date[language], day(document.date, language)],
      [texts.due[language], document.due_date && day(document.due_date, language)],
      [texts.reference[language], document.external_ref],
      [
        texts.basedOn[language],
        source &&
          html`<a href="${visit.link(`/documents/${source.id}`)}">${typeName(source.type, language)} ${leftToRight(String(source.number))}</a>`,
      ],
      [texts.number[language], state.allocation_number && leftToRight(state.allocation_number)],
      [texts.paid[language], showsPaid ? amount(state.paid, language) : null],
      [texts.credited[language], state.credited ? amount(state.credited, language) : null],
      balanceFact(document, state, language),
    ],
    language,
  );
}

function itemTable({ items, totals }: IssuedDocument, language: Language): Markup {
  const rows = items.map(
    (item) =>
      html`<tr><th scope="row">${isolate(item.description, language)}</th><td class="figure" data-label="${texts.quantity[language]}">${leftToRight(formatQuantity(item.quantity))}</td><td class="figure" data-label="${texts.price[language]}">${leftToRight(formatMoney(item.unit_price))}</td><td class="figure" data-label="${texts.line[language]}">${leftToRight(formatMoney(item.line_total))}</td></tr>`,
  );
  const sum = (word: Markup | string, value: number, className = '') =>
    html`<div class="${className}"><dt>${word}</dt><dd>${amount(value, language)}</dd></div>`;
  return html`<h2>${texts.items[language]}</h2><div class="table"><table><thead><tr><th scope="col">${texts.description[language]}</th><th scope="col" class="figure">${texts.quantity[language]}</th><th scope="col" class="figure">${texts.price[language]}</th><th scope="col" class="figure">${texts.line[language]}</th></tr></thead><tbody>${rows}</tbody></table></div>
<dl class="sums">${sum(texts.subtotal[language], totals.subtotal)}${totals.discount > 0 ? sum(texts.discount[language], -totals.discount) : null}${sum(html`${texts.vat[language]} ${leftToRight(formatPercent(totals.vat_rate))}`, totals.vat)}${sum(texts.total[language], totals.total, 'total')}</dl>`;
}
