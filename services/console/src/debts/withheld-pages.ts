import { randomUUID } from 'node:crypto';
import {
  addWithheld,
  getDocument,
  isUuid,
  listDocuments,
  type ReplyOf,
  removeWithheld,
  type Withheld,
} from '@pinkas/contracts';
import { dayInIsrael, isCalendarDate } from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import {
  button,
  card,
  dayAndTime,
  emptyState,
  type FieldErrors,
  type FieldRule,
  field,
  fieldErrors,
  form,
  formatMoney,
  hidden,
  html,
  isolate,
  join,
  leftToRight,
  linkButton,
  type Markup,
  moneyField,
  notice,
  numberError,
  pageHead,
  postForm,
  readField,
  readMoney,
  table,
  type Words,
  withheldWords,
} from '@pinkas/ui';
import { balanceOf, documentName, effectList } from '../frame/parts.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { confirmationFields, confirmationOf, withheldTexts } from './withheld-parts.js';

const texts = {
  record: { he: 'רישום ניכוי', en: 'Record tax that was withheld' },
  confirm: { he: 'רישום', en: 'Record it' },
  amount: { he: 'סכום הניכוי', en: 'Amount withheld' },
  left: { he: 'היתרה לתשלום:', en: 'Balance due:' },
  on: { he: 'תאריך התשלום שממנו נוכה', en: 'Date of the payment that it was withheld from' },
  onHint: { he: 'קובע לאיזו שנת מס הניכוי שייך.', en: 'It decides the tax year.' },
  settles: {
    he: 'היתרה לתשלום של המסמך קטנה בסכום, והוא נרשם לזכות הלקוח בכרטסת.',
    en: 'The balance due of the document falls by the amount, which is credited to the customer on the statement.',
  },
  documents: {
    he: 'שום מסמך אינו משתנה ואינו מופק; מע"מ והכנסות אינם משתנים.',
    en: 'No document is changed or issued; VAT and income do not change.',
  },
  undone: { he: 'אפשר להסיר את הרישום בדף הזה.', en: 'It can be removed on this page.' },
  none: { he: 'לא נרשם ניכוי מהמסמך.', en: 'No tax was withheld of this document.' },
  nothingLeft: { he: 'לא נשאר מה לנכות: אין יתרה לתשלום.', en: 'It has no balance due.' },
  when: { he: 'תאריך התשלום', en: 'Paid on' },
  sum: { he: 'סכום', en: 'Amount' },
  confirmation: { he: 'אישור הניכוי', en: 'Confirmation' },
  made: { he: 'נרשם', en: 'Recorded' },
  withReceipt: { he: 'עם קבלה', en: 'with receipt' },
  act: { he: 'פעולה', en: 'Action' },
  remove: { he: 'הסרת הניכוי', en: 'Remove' },
  removeWhat: {
    he: 'הסרה מחזירה את הסכום ליתרה לתשלום של המסמך, ונרשמת ביומן. קבלה שציינה את הניכוי אינה משתנה.',
    en: 'Removing adds the amount to the balance due again, and is recorded in the trail. A receipt that states it does not change.',
  },
  recorded: { he: 'הניכוי נרשם.', en: 'It is recorded.' },
  removed: { he: 'הניכוי הוסר.', en: 'It is removed.' },
  badDate: { he: 'תאריך תקין, לא אחרי היום.', en: 'A valid date, not after today.' },
} as const satisfies Record<string, Words>;

const outcomes: Readonly<Record<string, Words>> = {
  withheld: texts.recorded,
  withheld_removed: texts.removed,
};

const rules: readonly FieldRule[] = [
  { path: '/amount', field: 'amount', text: withheldTexts.wrong },
  { path: '/withheld_on', field: 'withheld_on', text: texts.badDate },
];

const fieldNames = ['amount', 'withheld_on', 'confirmation.number', 'confirmation.date'] as const;
type Typed = Readonly<Record<(typeof fieldNames)[number], string>>;
type Found = ReplyOf<typeof getDocument>;

/** What a customer has withheld of a document, and its removal. */
@PageController({ access: 'issuer', path: '/documents/:id/withheld', books: true })
export class WithheldPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Suggested is what is left to pay, withheld from the latest payment. */
  @ConsolePage({ method: 'GET', changes: 'book' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const found = await this.#found(visit);
    const balance = balanceOf(found.document, found.state) ?? 0;
    return withheldPage(visit, found, {
      amount: balance > 0 ? balance.toFixed(2) : '',
      withheld_on: await this.#latestReceipt(visit),
      ...{ 'confirmation.number': '', 'confirmation.date': '' },
    });
  }

  /** Records it; a form that is sent twice does so once. */
  @ConsolePage({ method: 'POST', changes: 'book' })
  async record(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form: sent, language, link, params, session } = visit;
    const typed = Object.fromEntries(fieldNames.map((name) => [name, readField(sent, name)])) as Typed;
    const [id, amount] = [readField(sent, 'withheld_id'), readMoney(typed.amount)];
    if (!isUuid(id)) {
      throw new ApiError('not_found');
    }
    const stated = confirmationOf(typed, 'confirmation', language);
    const wrong = {
      ...('errors' in stated && stated.errors),
      ...(amount === null && { amount: numberError(typed.amount, withheldTexts.wrong, language, 'money') }),
      ...(!isCalendarDate(typed.withheld_on) && { withheld_on: texts.badDate[language] }),
    };
    if ('errors' in stated || amount === null || Object.keys(wrong).length > 0) {
      return withheldPage(visit, await this.#found(visit), typed, wrong);
    }
    try {
      await this.rpc.call(addWithheld, {
        ...{ business_id: bookId, document_id: params.id ?? '', withheld_id: id, amount },
        ...{ withheld_on: typed.withheld_on, ...stated, person_id: session.personId },
      });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'validation_error')) {
        throw error;
      }
      const errors = fieldErrors(error.details, { language, rules });
      return withheldPage(visit, await this.#found(visit), typed, errors);
    }
    return redirect(link(`/documents/${params.id}/withheld`), { outcome: 'withheld' });
  }

  @ConsolePage({ method: 'POST', path: '/remove', changes: 'book' })
  async remove(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form: sent, link, params, session } = visit;
    const withheld_id = readField(sent, 'withheld_id');
    if (!isUuid(withheld_id)) {
      throw new ApiError('not_found');
    }
    const key = { business_id: bookId, document_id: params.id ?? '', withheld_id };
    await this.rpc.call(removeWithheld, { ...key, person_id: session.personId }).catch((error: unknown) => {
      // Pressed twice: it is removed.
      if (!(error instanceof ApiError && error.code === 'not_found')) {
        throw error;
      }
    });
    return redirect(link(`/documents/${params.id}/withheld`), { outcome: 'withheld_removed' });
  }

  #found({ bookId, params }: MemberVisit): Promise<Found> {
    return this.rpc.call(getDocument, {
      ...{ business_id: bookId, document_id: params.id ?? '', detailed: true },
    });
  }

  /** The date of the latest receipt for the document; today where there is none. */
  async #latestReceipt({ bookId, params }: MemberVisit): Promise<string> {
    const { documents } = await this.rpc.call(listDocuments, {
      ...{
        business_id: bookId,
        based_on: params.id ?? '',
        type: 'receipt',
        include_cancelled: false,
        limit: 1,
        before: null,
      },
    });
    return documents[0]?.document.date ?? dayInIsrael(this.clock.now());
  }
}

function withheldPage(visit: MemberVisit, found: Found, typed: Typed, errors: FieldErrors = {}): PageReply {
  const { language, t, link, outcome } = visit;
  const { document, state, withheld = [] } = found;
  // Of a receipt there is what was issued with it.
  const rows = withheld.filter((row) => row.document.id === document.id);
  const balance = balanceOf(document, state) ?? 0;
  const done = outcome === null ? undefined : outcomes[outcome];
  const isWrong = Object.keys(errors).length > 0;
  return page(
    t(withheldWords.withheld),
    html`
${pageHead({
  title: t(withheldWords.withheld),
  language,
  crumbs: [{ text: documentName(document, language), href: link(`/documents/${document.id}`) }],
})}
${done ? notice('done', t(done)) : null}
${isWrong ? notice('error', t(withheldTexts.nothing)) : null}
${rows.length === 0 ? emptyState({ title: t(texts.none) }) : withheldTable(visit, rows, state.status === 'cancelled')}
${balance > 0 ? recordCard(visit, balance, typed, errors) : html`<p class="hint">${t(texts.nothingLeft)}</p>`}`,
    isWrong ? 422 : 200,
  );
}

function recordCard(visit: MemberVisit, balance: number, typed: Typed, errors: FieldErrors): Markup {
  const { csrfToken, language, t, link, params } = visit;
  const at = link(`/documents/${params.id}`);
  const content = form({
    action: `${at}/withheld`,
    csrfToken,
    content: html`
${hidden('withheld_id', randomUUID())}
<div class="fields">
  ${moneyField({
    name: 'amount',
    label: t(texts.amount),
    hint: `${t(texts.left)} ${formatMoney(balance)} ₪`,
    value: typed.amount,
    error: errors.amount,
  })}
  ${field({
    name: 'withheld_on',
    label: t(texts.on),
    hint: t(texts.onHint),
    type: 'date',
    language,
    value: typed.withheld_on,
    error: errors.withheld_on,
  })}
  ${confirmationFields('confirmation', typed, errors, language)}
</div>
${effectList([t(texts.settles), t(texts.documents), t(texts.undone)])}`,
    acts: html`
${button({ text: t(texts.confirm) })}
${linkButton({ href: at, text: t(words.cancel), kind: 'quiet' })}`,
  });
  return card({ id: 'record', title: t(texts.record), content });
}

function withheldTable(visit: MemberVisit, rows: readonly Withheld[], isCancelled: boolean): Markup {
  const { csrfToken, language, t, link, params } = visit;
  const remove = ({ withheld_id }: Withheld) =>
    postForm(
      link(`/documents/${params.id}/withheld/remove`),
      csrfToken,
      html`${hidden('withheld_id', withheld_id)}${button({ text: t(texts.remove), kind: 'secondary' })}`,
    );
  const receiptOf = ({ receipt }: Withheld) => {
    if (!receipt) {
      return null;
    }
    const path = link(`/documents/${receipt.id}`);
    const toReceipt = html`<a href="${path}">${leftToRight(String(receipt.number))}</a>`;
    return html` <span class="soft">${t(texts.withReceipt)} ${toReceipt}</span>`;
  };
  const list = table<Withheld>({
    caption: t(withheldWords.withheld),
    language,
    rows,
    columns: [
      { head: t(texts.when), kind: 'date', value: (row) => row.withheld_on },
      { head: t(texts.sum), kind: 'money', value: (row) => row.amount },
      {
        head: t(texts.confirmation),
        value: ({ confirmation: { number, date } }) =>
          join(
            [number === undefined ? null : isolate(number, language), date ? leftToRight(date) : null],
            ' · ',
          ),
      },
      {
        head: t(texts.made),
        value: (row) => html`${dayAndTime(row.recorded_at, language)}${receiptOf(row)}`,
      },
      ...(isCancelled
        ? []
        : [{ head: t(texts.act), headHidden: true, kind: 'action' as const, value: remove }]),
    ],
  });
  return html`${list}
<p class="hint">${t(texts.removeWhat)}</p>`;
}
