import { timeLimitsMs, warningsOf } from '@pinkas/contracts';
import { fromShekels, toShekels } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import {
  amount,
  button,
  type FieldErrors,
  facts,
  form,
  hidden,
  html,
  isolate,
  join,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  radios,
  totalWords,
  type Words,
} from '@pinkas/ui';
import { confirmation } from '../frame/confirmation.js';
import { type FieldSpecs, fieldInput } from '../frame/form-fields.js';
import { errorText } from '../frame/message-pages.js';
import { effectList, typeName } from '../frame/parts.js';
import { draftActs, keepsTyping, typedNotice } from '../frame/typed-form.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import { framedHeaders } from '../http/page-headers.js';
import type { MemberVisit } from '../http/visit.js';
import { consequences, type DocumentPreview, warningList } from './consequences.js';
import {
  badAmount,
  type Credit,
  creditBody,
  creditErrors,
  creditFields,
  creditKey,
  isCompleteLeft,
  partFields,
  readCredit,
  type Source,
  sourceOf,
} from './credit-note.js';
import { pictureCard } from './document-picture.js';
import { Issuing } from './issuing.js';

const texts = {
  title: { he: 'חשבונית זיכוי', en: 'Credit note' },
  for: { he: 'עבור', en: 'For' },
  how: { he: 'כמה לזכות', en: 'How much' },
  whole: { he: 'את כל המסמך', en: 'The whole document' },
  part: { he: 'חלק ממנו', en: 'A part of it' },
  left: { he: 'נותר לזכות', en: 'Left to credit' },
  preview: { he: 'תצוגה מקדימה', en: 'Preview' },
  issue: { he: 'הפקת חשבונית הזיכוי', en: 'Issue the credit note' },
  change: { he: 'שינוי', en: 'Change' },
  number: { he: 'המסמך יקבל מספר', en: 'Next number' },
  net: { he: 'סה"כ לפני מע"מ', en: 'Total before VAT' },
  vat: { he: 'מע"מ', en: 'VAT' },
  follows: { he: 'מה קורה בהפקה', en: 'What happens next' },
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
  changed: {
    he: 'המסמך זוכה מאז התצוגה המקדימה. דבר לא הופק עכשיו; יש לבדוק כמה נותר.',
    en: 'The document was credited since the preview. Nothing was issued now; check how much is left.',
  },
} as const satisfies Record<string, Words>;

/** A credit note is issued from its invoice: all of it, with its own lines, or a part of its total. */
@PageController({ access: 'issuer', path: '/documents/:id/credit', books: true })
export class CreditPages {
  constructor(private readonly issuing: Issuing) {}

  @ConsolePage({ method: 'GET', changes: 'issues', draft: true })
  async start(visit: MemberVisit): Promise<PageReply> {
    if (visit.typed) {
      return formPage(visit, await this.#source(visit), readCredit(visit.typed.form));
    }
    const send = visit.business.auto_send.enabled ? 'yes' : '';
    const values = { amount: '', description: '', notes: '', send };
    return formPage(visit, await this.#source(visit), { isPart: false, values });
  }

  /** Shows what a credit note will be, and issues it once that is confirmed. */
  @ConsolePage({ method: 'POST', changes: 'issues', draft: true, timeoutMs: timeLimitsMs.createDocument })
  async compose(visit: MemberVisit): Promise<PageReply> {
    const { form: sent, language, t } = visit;
    const source = await this.#source(visit);
    const credit = readCredit(sent);
    const refused = (reason: string) => formPage(visit, source, credit, {}, reason);
    const isConfirmed = sent.get('step') === 'issue';
    if (isConfirmed && sent.get('credited') !== String(source.credited)) {
      return refused(t(texts.changed));
    }
    const errors = creditErrors(credit, source, language);
    if (Object.keys(errors).length > 0 || source.left <= 0) {
      return formPage(visit, source, credit, errors);
    }
    if (!credit.isPart && !isCompleteLeft(source)) {
      return refused(t(badAmount));
    }
    const body = creditBody(credit, source);
    try {
      if (!isConfirmed) {
        const preview = await this.issuing.preview(visit, body);
        return sent.get('step') === 'picture'
          ? { kind: 'file', headers: framedHeaders, body: await this.issuing.picture(visit, preview) }
          : confirmPage(visit, source, credit, preview);
      }
      const { id } = await this.issuing.issue(visit, creditKey(source), body);
      return redirect(visit.link(`/documents/${id}`), { outcome: 'credited' });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'internal_error') {
        throw error;
      }
      const isReused = error.code === 'idempotency_key_reused';
      return refused(isReused ? t(texts.changed) : errorText(error, language));
    }
  }

  async #source(visit: MemberVisit): Promise<Source> {
    const origin = await this.issuing.origin(visit, 'credit_note', visit.params.id ?? '', true);
    if (origin === null) {
      throw new ApiError('not_found');
    }
    return sourceOf(origin);
  }
}

/** The head of both screens. */
function head({ language, t, link }: MemberVisit, { document }: Source) {
  const name = html`${typeName(document.type, language)} ${leftToRight(String(document.number))}`;
  const customer = isolate(document.customer.name, language);
  return {
    title: t(texts.title),
    crumbs: [{ text: name, href: link(`/documents/${document.id}`) }],
    lead: html`${t(texts.for)} ${name}, ${customer}, ${amount(document.totals.total, language)}`,
  };
}

function formPage(
  visit: MemberVisit,
  source: Source,
  credit: Credit,
  errors: FieldErrors = {},
  refusal?: string,
): PageReply {
  const { csrfToken, language, t } = visit;
  const at = visit.link(`/documents/${source.document.id}`);
  const back = linkButton({ href: at, text: t(words.back), kind: 'quiet' });
  const content =
    source.left <= 0
      ? html`<p>${t(texts[source.document.totals.total === 0 ? 'free' : 'nothingLeft'])}</p>`
      : form({
          action: `${at}/credit`,
          csrfToken,
          data: keepsTyping,
          content: fields(source, credit, errors, visit),
          acts: html`${button({ text: t(texts.preview), name: 'step', value: 'preview' })}${back}
    ${draftActs(visit)}`,
        });
  const isWrong = Object.keys(errors).length > 0 || refusal !== undefined;
  return page(
    t(texts.title),
    html`${pageHead({ ...head(visit, source), language })}
${refusal === undefined ? null : notice('error', refusal)}
${typedNotice(visit)}
<div class="card">
  ${content}
</div>`,
    isWrong ? 422 : 200,
  );
}

function fields(
  source: Source,
  { isPart, values }: Credit,
  errors: FieldErrors,
  { language, t }: MemberVisit,
): Markup {
  const isComplete = isCompleteLeft(source);
  const options = [
    ...(isComplete ? [['whole', t(texts.whole)] as const] : []),
    ['part', t(texts.part)] as const,
  ];
  const inputs = (specs: FieldSpecs) =>
    join(
      Object.entries(specs).map(([name, spec]) => fieldInput(name, spec, { values, errors, language })),
      '\n',
    );
  return html`
${radios({ name: 'extent', label: t(texts.how), value: isPart || !isComplete ? 'part' : 'whole', options })}
<p class="soft">${t(texts.left)}: ${amount(source.left, language)}</p>
<div class="part-only">
${inputs(partFields)}
</div>
${inputs(creditFields)}`;
}

function confirmPage(
  visit: MemberVisit,
  source: Source,
  { isPart, values }: Credit,
  preview: DocumentPreview,
): PageReply {
  const { language, t } = visit;
  const { totals } = preview.draft;
  const closes =
    source.document.type === 'tax_invoice' &&
    fromShekels(source.left) - fromShekels(totals.total) - source.paid <= 0n;
  const effects = [t(texts.date), ...(closes ? [t(texts.closes)] : []), ...consequences(preview, visit)];
  const { send, ...typed } = values;
  const sent = Object.entries({
    credited: String(source.credited),
    extent: isPart ? 'part' : 'whole',
    ...typed,
    ...(send === 'yes' && { send }),
  }).map(([name, value]) => hidden(name, value));
  const net = toShekels(fromShekels(totals.subtotal) - fromShekels(totals.discount));
  const figures = facts(
    [
      [t(texts.number), leftToRight(String(preview.next_number))],
      [t(texts.net), amount(net, language)],
      [t(texts.vat), amount(totals.vat, language)],
      [t(totalWords.credit_note), html`<strong>${amount(totals.total, language)}</strong>`],
    ],
    language,
  );
  return confirmation(visit, {
    ...head(visit, source),
    back: { href: visit.link(`/documents/${source.document.id}/credit`), text: texts.change },
    content: html`${figures}
  ${warningList(warningsOf(preview), 'credit_note', language)}
  <h2>${t(texts.follows)}</h2>
  ${effectList(effects)}`,
    fields: html`${hidden('step', 'issue')}${sent}`,
    beside: pictureCard(visit, { action: visit.path, fields: [hidden('step', 'picture'), ...sent] }),
    button: { text: t(texts.issue) },
  });
}
