import {
  type CreateDocument,
  getDocument,
  type IssuedDocument,
  issueDocument,
  previewDocument,
  timeLimitsMs,
  warningsOf,
} from '@pinkas/contracts';
import {
  type Agorot,
  decimalPlaces,
  documentTypeRules,
  fromShekels,
  isBlank,
  toShekels,
} from '@pinkas/domain';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import {
  amount,
  button,
  checkbox,
  facts,
  field,
  form,
  hidden,
  html,
  isolate,
  leftToRight,
  lengthErrors,
  linkButton,
  type Markup,
  moneyField,
  notice,
  numberError,
  pageHead,
  radios,
  readField,
  readMoney,
  textarea,
  type Words,
} from '@pinkas/ui';
import { ConsolePage, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { consequences, warningList } from './issue/consequences.js';
import { issueLimits } from './issue/issue-fields.js';
import { errorText } from './message-pages.js';
import { effectList, typeName } from './parts.js';
import { words } from './words.js';

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
  date: { he: 'התאריך יהיה היום.', en: 'Its date is today.' },
  closes: {
    he: 'החשבונית תיסגר, כי הזיכויים והקבלות מגיעים לסכומה.',
    en: 'The invoice is closed, since credits and receipts reach its total.',
  },
  nothingLeft: { he: 'המסמך זוכה כולו.', en: 'The document is credited in full already.' },
  free: {
    he: 'סכום המסמך הוא 0.00, ואין מה לזכות.',
    en: 'The total of the document is 0.00: there is nothing to credit.',
  },
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

type DraftErrors = Partial<Record<'amount' | 'description' | 'notes', string>>;

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
  return {
    part: form.get('extent') === 'part',
    amount: readField(form, 'amount'),
    description: readField(form, 'description'),
    notes: readField(form, 'notes', 'text'),
    send: form.has('send'),
  };
}

function draftErrors(draft: Draft, { left }: Source, language: MemberVisit['language']): DraftErrors {
  const { notes, description } = draft;
  const { texts: limits } = issueLimits;
  if (!draft.part) {
    return lengthErrors({ notes }, { notes: limits.notes ?? 0 }, language);
  }
  const value = readMoney(draft.amount);
  const isAmount = value !== null && value > 0 && decimalPlaces(value) <= 2 && value <= left;
  return {
    ...(!isAmount && { amount: numberError(draft.amount, texts.badAmount, language) }),
    ...(isBlank(description) && { description: texts.badDescription[language] }),
    ...lengthErrors(
      { notes, description },
      { notes: limits.notes ?? 0, description: limits['items.description'] ?? 0 },
      language,
    ),
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
    const items = [{ description: draft.description, quantity: 1, unit_price: readMoney(draft.amount) ?? 0 }];
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

function heading(visit: MemberVisit, { document }: Source): Markup {
  const { language } = visit;
  const name = html`${typeName(document.type, language)} ${leftToRight(String(document.number))}`;
  const customer = isolate(document.customer.name, language);
  return pageHead({
    title: texts.title[language],
    language,
    crumbs: [{ text: name, href: visit.link(`/documents/${document.id}`) }],
    lead: html`${texts.for[language]} ${name}, ${customer}, ${amount(document.totals.total, language)}`,
  });
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
  const back = linkButton({ href: at, text: words.back[language], kind: 'quiet' });
  const content =
    source.left <= 0
      ? html`<p>${texts[source.document.totals.total === 0 ? 'free' : 'nothingLeft'][language]}</p>`
      : form({
          action: `${at}/credit`,
          csrfToken,
          content: draftFields(source, draft, errors, language),
          acts: html`${button({ text: texts.preview[language] })}${back}`,
        });
  const isWrong = Object.keys(errors).length > 0 || refusal !== undefined;
  return page(
    texts.title[language],
    html`${heading(visit, source)}
${refusal === undefined ? null : notice('error', refusal)}
<div class="card">
  ${content}
</div>`,
    isWrong ? 422 : 200,
  );
}

function draftFields(source: Source, given: Draft, wrong: DraftErrors, of: MemberVisit['language']): Markup {
  const isWhole = isWholeLeft(source);
  const options = [
    ...(isWhole ? [['whole', texts.whole[of]] as const] : []),
    ['part', texts.part[of]] as const,
  ];
  return html`${hidden('step', 'preview')}
${radios({ name: 'extent', label: texts.how[of], value: given.part || !isWhole ? 'part' : 'whole', options })}
<p class="soft">${texts.left[of]}: ${amount(source.left, of)}</p>
<div class="part-only">
${moneyField({ name: 'amount', label: texts.amount[of], value: given.amount, error: wrong.amount })}
${field({
  name: 'description',
  label: texts.description[of],
  value: given.description,
  error: wrong.description,
})}
</div>
${textarea({ name: 'notes', label: texts.notes[of], value: given.notes, error: wrong.notes })}
${checkbox({ name: 'send', label: texts.send[of], checked: given.send })}`;
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
  constructor(private readonly rpc: RpcClient) {}

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
    const { document } = await this.rpc.callOrWait(issueDocument, {
      business: book,
      issuer: { kind: 'person', id: session.personId },
      idempotency_key: `console-credit-${source.document.id}-${source.credited}`,
      body,
    });
    return redirect(visit.link(`/documents/${document.id}`), { outcome: 'credited' });
  }

  async #preview(visit: MemberVisit, source: Source, draft: Draft, body: CreateDocument): Promise<PageReply> {
    const { book, csrfToken, language, session } = visit;
    const preview = await this.rpc.call(previewDocument, {
      business: book,
      issuer: { kind: 'person', id: session.personId },
      body,
    });
    const { totals } = preview.draft;
    const closes =
      source.document.type === 'tax_invoice' &&
      fromShekels(source.left) - fromShekels(totals.total) - source.paid <= 0n;
    const effects = [
      texts.date[language],
      ...(closes ? [texts.closes[language]] : []),
      ...consequences(preview, visit),
    ];
    const sent = Object.entries({
      step: 'issue',
      credited: String(source.credited),
      extent: draft.part ? 'part' : 'whole',
      amount: draft.amount,
      description: draft.description,
      notes: draft.notes,
      ...(draft.send && { send: 'yes' }),
    }).map(([name, value]) => hidden(name, value));
    const at = visit.link(`/documents/${source.document.id}`);
    const net = toShekels(fromShekels(totals.subtotal) - fromShekels(totals.discount));
    const figures = facts(
      [
        [texts.number[language], leftToRight(String(preview.next_number))],
        [texts.net[language], amount(net, language)],
        [texts.vat[language], amount(totals.vat, language)],
        [texts.total[language], html`<strong>${amount(totals.total, language)}</strong>`],
      ],
      language,
    );
    const change = linkButton({ href: `${at}/credit`, text: texts.change[language], kind: 'quiet' });
    return page(
      texts.title[language],
      html`${heading(visit, source)}
<section class="card">
  ${figures}
  ${warningList(warningsOf(preview), 'credit_note', language)}
  <h2>${texts.what[language]}</h2>
  ${effectList(effects)}
  ${form({
    action: `${at}/credit`,
    csrfToken,
    content: html`${sent}`,
    acts: html`${button({ text: texts.issue[language] })}${change}`,
  })}
</section>`,
    );
  }
}
