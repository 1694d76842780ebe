import { setTimeout as delay } from 'node:timers/promises';
import {
  type CreateDocument,
  getDocument,
  type IssuedDocument,
  issueDocument,
  listSeries,
  type ReplyOf,
  type RequestOf,
  timeLimitsMs,
} from '@pinkas/contracts';
import {
  type Agorot,
  computeTotals,
  dayInIsrael,
  decideAllocation,
  decimalPlaces,
  documentTypeRules,
  fromShekels,
  mayIssue,
  TotalsError,
  toShekels,
} from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import { html, isolate, leftToRight, type Markup } from '@pinkas/ui';
import { ConsolePage, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { errorText } from './message-pages.js';
import { amount, checkbox, csrfField, facts, field, notice, typeName } from './parts.js';
import { type Words, words } from './words.js';

const texts = {
  title: { he: 'חשבונית זיכוי', en: 'Credit note' },
  for: { he: 'עבור', en: 'For' },
  how: { he: 'כמה לזכות', en: 'How much' },
  whole: { he: 'את כל המסמך', en: 'The whole document' },
  part: { he: 'חלק ממנו', en: 'A part of it' },
  left: { he: 'נותר לזכות', en: 'Left to credit' },
  amount: { he: 'סכום לזיכוי, כולל מע"מ', en: 'Amount to credit, with VAT' },
  description: { he: 'עבור מה', en: 'For what' },
  notes: { he: 'הערות במסמך (לא חובה)', en: 'Notes on the document (optional)' },
  send: { he: 'לשלוח ללקוח', en: 'Send it to the customer' },
  preview: { he: 'תצוגה מקדימה', en: 'Preview' },
  issue: { he: 'הפקת חשבונית הזיכוי', en: 'Issue the credit note' },
  change: { he: 'שינוי', en: 'Change' },
  what: { he: 'מה יקרה', en: 'What happens' },
  number: { he: 'המספר הבא בסדרה', en: 'The next number of the series' },
  net: { he: 'לפני מע"מ', en: 'Before VAT' },
  vat: { he: 'מע"מ', en: 'VAT' },
  total: { he: 'סך הכול', en: 'Total' },
  date: {
    he: 'התאריך יהיה היום. את המסמך אי אפשר למחוק או לבטל.',
    en: 'Its date is today. It can neither be deleted nor cancelled.',
  },
  closes: {
    he: 'החשבונית תיסגר, כי הזיכויים והקבלות מגיעים לסכומה.',
    en: 'The invoice is closed, since credits and receipts reach its total.',
  },
  allocation: {
    he: 'יתבקש מספר הקצאה מרשות המסים.',
    en: 'An allocation number will be requested from the tax authority.',
  },
  willSend: { he: 'הלקוח יקבל אותה.', en: 'The customer will receive it.' },
  willNotSend: { he: 'היא לא תישלח ללקוח.', en: 'It is not sent to the customer.' },
  nothingLeft: { he: 'המסמך זוכה כולו.', en: 'The document is credited in full already.' },
  badAmount: {
    he: 'סכום גדול מאפס, עד שתי ספרות אחרי הנקודה, ולא יותר ממה שנותר לזכות.',
    en: 'An amount above zero with at most two decimals, and no more than is left to credit.',
  },
  changed: {
    he: 'המסמך זוכה מאז התצוגה המקדימה. דבר לא הופק עכשיו; יש לבדוק כמה נותר.',
    en: 'The document was credited since the preview. Nothing was issued now; check how much is left.',
  },
  badDescription: { he: 'יש לכתוב עבור מה הזיכוי.', en: 'Say what the credit is for.' },
} as const satisfies Record<string, Words>;

/** Each document's lines count against the day's limit of who issues them; a person has none. */
const noDailyLimit = 10_000_000;

/** A document takes less; the time limit of the page ends it in any case. */
const busyAttemptsMax = 20;
const busyDelayMs = 250;

interface Source {
  readonly document: IssuedDocument;
  readonly credited: Agorot;
  /** ILS: what other credit notes have left. */
  readonly left: number;
  /** What is paid, by receipts. */
  readonly paid: Agorot;
}

/** What the form asks for. */
interface Draft {
  readonly part: boolean;
  readonly amount: string;
  readonly description: string;
  readonly notes: string;
  readonly send: boolean;
}

type DraftErrors = Partial<Record<'amount' | 'description', string>>;

async function findSource(rpc: RpcClient, visit: MemberVisit): Promise<Source> {
  const { document, state } = await rpc.call(getDocument, {
    business_id: visit.bookId,
    document_id: visit.params.id ?? '',
    detailed: true,
  });
  if (!documentTypeRules.credit_note.sources.includes(document.type)) {
    throw new ApiError('not_found');
  }
  if (state.credited === undefined) {
    throw new Error('a detailed state without what is credited');
  }
  const credited = fromShekels(state.credited);
  const left = toShekels(fromShekels(document.totals.total) - credited);
  return { document, credited, left, paid: fromShekels(state.paid) };
}

function readDraft({ form }: MemberVisit): Draft {
  const text = (name: string, max: number) => (form.get(name) ?? '').trim().slice(0, max);
  return {
    part: form.get('extent') === 'part',
    amount: text('amount', 20).replaceAll(/,(?=\d{3}(?!\d))/g, ''),
    description: text('description', 200),
    notes: text('notes', 1000),
    send: form.has('send'),
  };
}

function draftErrors(draft: Draft, { left }: Source, language: MemberVisit['language']): DraftErrors {
  if (!draft.part) {
    return {};
  }
  const value = Number(draft.amount);
  const isAmount =
    /^\d+(\.\d+)?$/.test(draft.amount) && value > 0 && decimalPlaces(value) <= 2 && value <= left;
  return {
    ...(!isAmount && { amount: texts.badAmount[language] }),
    ...(draft.description === '' && { description: texts.badDescription[language] }),
  };
}

const isWholeLeft = ({ credited }: Source) => credited === 0n;

function bodyOf(draft: Draft, { document }: Source): CreateDocument {
  const { customer, discount } = document;
  // Its identity is that of the source. The customer is reached as the card says, which a person may have corrected since.
  const identity = {
    ...(customer.tax_id !== null && { tax_id: customer.tax_id }),
    ...(customer.legal_type !== null && { legal_type: customer.legal_type }),
  };
  const common = {
    type: 'credit_note' as const,
    customer: { id: customer.id, ...identity },
    based_on: document.id,
    send: draft.send,
    ...(draft.notes !== '' && { notes: draft.notes }),
  };
  if (draft.part) {
    const items = [{ description: draft.description, quantity: 1, unit_price: Number(draft.amount) }];
    return { ...common, items, prices_include_vat: true };
  }
  const items = document.items.map(({ description, quantity, unit_price, sku }) => ({
    description,
    quantity,
    unit_price,
    ...(sku !== null && { sku }),
  }));
  return {
    ...common,
    items,
    prices_include_vat: document.prices_include_vat,
    ...(discount && { discount }),
    expected_total: document.totals.total,
  };
}

/** A credit note has the VAT rate of its source. */
function totalsOf(body: CreateDocument, { document }: Source) {
  return computeTotals({
    vatRate: document.totals.vat_rate,
    pricesIncludeVat: body.prices_include_vat ?? document.prices_include_vat,
    items: body.items.map((item) => ({ quantity: item.quantity, unitPrice: item.unit_price })),
    discount: body.discount ?? null,
  });
}

function heading(visit: MemberVisit, { document }: Source): Markup {
  const { language } = visit;
  return html`<h1>${texts.title[language]}</h1><p>${texts.for[language]} <a href="${visit.link(`/documents/${document.id}`)}">${typeName(document.type, language)} ${leftToRight(String(document.number))}</a>, ${isolate(document.customer.name, language)}, ${amount(document.totals.total, language)}</p>`;
}

function formPage(
  visit: MemberVisit,
  source: Source,
  draft: Draft,
  errors: DraftErrors,
  refusal?: string,
): PageReply {
  const { csrfToken, language } = visit;
  const at = visit.link(`/documents/${source.document.id}`);
  const isWhole = isWholeLeft(source);
  const radio = (value: 'whole' | 'part', word: Words, checked: boolean) =>
    html`<div class="field check"><input type="radio" name="extent" id="extent-${value}" value="${value}"${checked && html` checked`}><label for="extent-${value}">${word[language]}</label></div>`;
  const content =
    source.left <= 0
      ? html`<p>${texts.nothingLeft[language]}</p>`
      : html`<form method="post" action="${at}/credit">${csrfField(csrfToken)}<input type="hidden" name="step" value="preview">
<fieldset><legend>${texts.how[language]}</legend>${isWhole ? radio('whole', texts.whole, !draft.part) : null}${radio('part', texts.part, draft.part || !isWhole)}<p>${texts.left[language]}: ${amount(source.left, language)}</p></fieldset>
<div class="part-only">${field({ name: 'amount', label: texts.amount[language], value: draft.amount, error: errors.amount, ltr: true, maxLength: 20 })}
${field({ name: 'description', label: texts.description[language], value: draft.description, error: errors.description, maxLength: 200 })}</div>
${field({ name: 'notes', label: texts.notes[language], value: draft.notes, maxLength: 1000 })}
${checkbox({ name: 'send', label: texts.send[language], checked: draft.send })}
<div class="buttons"><button>${texts.preview[language]}</button><a class="button quiet" href="${at}">${words.back[language]}</a></div></form>`;
  const isWrong = Object.keys(errors).length > 0 || refusal !== undefined;
  return page(
    texts.title[language],
    html`${heading(visit, source)}${refusal === undefined ? null : notice('error', refusal)}<section class="card">${content}</section>`,
    isWrong ? 422 : 200,
  );
}

/** The form of a credit note for an invoice. */
@ConsolePage({
  method: 'GET',
  path: '/documents/:id/credit',
  access: 'issuer',
  changes: 'issues',
  books: true,
})
export class StartCreditNote {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const source = await findSource(this.rpc, visit);
    const draft = {
      part: false,
      amount: '',
      description: '',
      notes: '',
      send: visit.business.auto_send.enabled,
    };
    return formPage(visit, source, draft, {});
  }
}

/** Shows what a credit note will be, and issues it once that is confirmed. */
@ConsolePage({
  method: 'POST',
  path: '/documents/:id/credit',
  access: 'issuer',
  changes: 'issues',
  books: true,
  timeoutMs: timeLimitsMs.createDocument,
})
export class IssueCreditNote {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { form, language } = visit;
    const source = await findSource(this.rpc, visit);
    const draft = readDraft(visit);
    if (form.get('step') === 'issue' && form.get('credited') !== String(source.credited)) {
      return formPage(visit, source, draft, {}, texts.changed[language]);
    }
    const errors = draftErrors(draft, source, language);
    if (Object.keys(errors).length > 0 || source.left <= 0) {
      return formPage(visit, source, draft, errors);
    }
    if (!draft.part && !isWholeLeft(source)) {
      return formPage(visit, source, draft, {}, texts.badAmount[language]);
    }
    const body = bodyOf(draft, source);
    try {
      return form.get('step') === 'issue'
        ? await this.#issue(visit, source, body)
        : await this.#preview(visit, source, draft, body);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'idempotency_key_reused') {
        return formPage(visit, source, draft, {}, texts.changed[language]);
      }
      if (error instanceof ApiError && error.code !== 'internal_error') {
        return formPage(visit, source, draft, {}, errorText(error, language));
      }
      throw error;
    }
  }

  /** Its key is made of what the source was credited: what is sent twice, or by two people, or after a lost reply, is issued once. */
  async #issue(visit: MemberVisit, source: Source, body: CreateDocument): Promise<PageReply> {
    const { book, session } = visit;
    const { document } = await this.#issueOnce({
      business: book,
      key: { id: session.personId, daily_documents: noDailyLimit },
      idempotency_key: `console-credit-${source.document.id}-${source.credited}`,
      body,
      person_id: session.personId,
    });
    return redirect(visit.link(`/documents/${document.id}`), { outcome: 'credited' });
  }

  /** Of a form that is sent twice at once, the second request waits for the document of the first. */
  async #issueOnce(request: RequestOf<typeof issueDocument>): Promise<ReplyOf<typeof issueDocument>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.rpc.call(issueDocument, request);
      } catch (error) {
        const isBusy = error instanceof ApiError && error.code === 'request_in_progress';
        if (!isBusy || attempt >= busyAttemptsMax) {
          throw error;
        }
        await delay(busyDelayMs);
      }
    }
  }

  async #preview(visit: MemberVisit, source: Source, draft: Draft, body: CreateDocument): Promise<PageReply> {
    const { book, bookId, business, csrfToken, language } = visit;
    if (business.legal_type === null || !mayIssue(business.legal_type, 'credit_note')) {
      throw new ApiError('legal_type_forbidden');
    }
    const totals = totalsIn(body, source);
    const { series } = await this.rpc.call(listSeries, { business_id: bookId });
    const next =
      series.find(({ type }) => type === 'credit_note')?.next_number ?? book.first_numbers.credit_note ?? 1;
    const effects = [
      texts.date[language],
      ...(source.document.type === 'tax_invoice' &&
      fromShekels(source.left) - fromShekels(totals.total) - source.paid <= 0n
        ? [texts.closes[language]]
        : []),
      ...(this.#needsAllocation(visit, source, totals) ? [texts.allocation[language]] : []),
      texts[draft.send && business.auto_send.enabled ? 'willSend' : 'willNotSend'][language],
    ];
    const hidden = Object.entries({
      step: 'issue',
      credited: String(source.credited),
      extent: draft.part ? 'part' : 'whole',
      amount: draft.amount,
      description: draft.description,
      notes: draft.notes,
      ...(draft.send && { send: 'yes' }),
    }).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
    const at = visit.link(`/documents/${source.document.id}`);
    return page(
      texts.title[language],
      html`${heading(visit, source)}<section class="card">${facts(
        [
          [texts.number[language], leftToRight(String(next))],
          [
            texts.net[language],
            amount(toShekels(fromShekels(totals.subtotal) - fromShekels(totals.discount)), language),
          ],
          [texts.vat[language], amount(totals.vat, language)],
          [texts.total[language], html`<strong>${amount(totals.total, language)}</strong>`],
        ],
        language,
      )}<h2>${texts.what[language]}</h2><ul>${effects.map((effect) => html`<li>${effect}</li>`)}</ul>
<form method="post" action="${at}/credit">${csrfField(csrfToken)}${hidden}<div class="buttons"><button>${texts.issue[language]}</button><a class="button quiet" href="${at}/credit">${texts.change[language]}</a></div></form></section>`,
    );
  }

  #needsAllocation({ business, bookId }: MemberVisit, { document }: Source, totals: DraftTotals): boolean {
    return decideAllocation(
      {
        ...document,
        business_id: bookId,
        type: 'credit_note',
        date: dayInIsrael(this.clock.now()),
        totals,
      },
      business,
    ).required;
  }
}

/** ILS. */
interface DraftTotals {
  readonly subtotal: number;
  readonly discount: number;
  readonly vat: number;
  readonly total: number;
}

/** @throws ApiError `validation_error` where no document can have these lines. */
function totalsIn(body: CreateDocument, source: Source): DraftTotals {
  try {
    const { subtotal, discount, vat, total } = totalsOf(body, source);
    return {
      subtotal: toShekels(subtotal),
      discount: toShekels(discount),
      vat: toShekels(vat),
      total: toShekels(total),
    };
  } catch (error) {
    if (error instanceof TotalsError) {
      throw ApiError.invalid([{ path: error.path, message: error.message }]);
    }
    throw error;
  }
}
