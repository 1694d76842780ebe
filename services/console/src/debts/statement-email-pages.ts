import { isUuid, sendStatement, timeLimitsMs } from '@pinkas/contracts';
import { dayInIsrael, formatDay } from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import {
  button,
  card,
  emptyState,
  type FieldErrors,
  form,
  hidden,
  html,
  isolate,
  join,
  pageHead,
  readField,
  type Words,
} from '@pinkas/ui';
import { type FieldSpecs, fieldInput, readFields, refusedFields, type Values } from '../frame/form-fields.js';
import { draftActs, keepsTyping, typedNotice } from '../frame/typed-form.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { printStatement } from './printed-statement.js';
import { periodQuery, readPage, type StatementVisit, statementVisit } from './statement.js';
import { tooLong } from './statement-pages.js';

const texts = {
  title: { he: 'שליחת הכרטסת באימייל', en: 'Send the statement by email' },
  none: { he: 'אין תנועות בתקופה, ולכן אין מה לשלוח.', en: 'There are no entries in this period to send.' },
  attached: {
    he: 'הכרטסת של התקופה תצורף כקובץ PDF, בשפת המסמכים של העסק. מתחת לטקסט תופיע היתרה.',
    en: 'The statement of the period is attached as a PDF, in the language of the documents. The balance follows the text.',
  },
  send: { he: 'שליחת הכרטסת', en: 'Send the statement' },
} as const satisfies Record<string, Words>;

const emailFields = {
  recipient: {
    word: { he: 'כתובת אימייל', en: 'Email address' },
    type: 'email',
    refused: {
      he: 'הכתובת אינה תקינה, או שהיא חסומה לשליחה.',
      en: 'The address is not valid, or it is blocked.',
    },
    more: { required: true },
  },
  subject: {
    word: { he: 'נושא', en: 'Subject' },
    refused: { he: 'אי אפשר להשאיר ריק.', en: 'This cannot be empty.' },
    more: { required: true },
  },
  text: {
    word: { he: 'הטקסט', en: 'Text' },
    hint: texts.attached,
    type: 'area',
    refused: { he: 'אי אפשר להשאיר ריק.', en: 'This cannot be empty.' },
    more: { rows: 8, required: true },
  },
} as const satisfies FieldSpecs;
type EmailValues = Values<keyof typeof emailFields>;

const limits = { subject: 200, text: 5_000 };

/** What the email states unless a person writes something else, in the language of the documents. */
const defaults = {
  he: {
    subject: (business: string, day: string) => `כרטסת ליום ${day} מאת ${business}`,
    text: (customer: string, business: string) =>
      `שלום ${customer},\n\nמצורפת כרטסת החשבון שלכם אצלנו. אם מצאתם אי־התאמה, נשמח לשמוע.\n\nבברכה,\n${business}`,
  },
  en: {
    subject: (business: string, day: string) => `Statement of account on ${day} from ${business}`,
    text: (customer: string, business: string) =>
      `Dear ${customer},\n\nPlease find attached the statement of your account with us. If anything does not agree with your books, let us know.\n\nKind regards,\n${business}`,
  },
} as const;

/** A person reads what the email states, and may change it, before the statement leaves. */
@PageController({ access: 'issuer', path: '/customers/:id/statement/email', books: true })
export class StatementEmailPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @ConsolePage({ method: 'GET', changes: 'book', draft: true })
  async show(visit: MemberVisit): Promise<PageReply> {
    const now = this.clock.now();
    const subject = await statementVisit(this.rpc, visit, now);
    const { entries } = await readPage(this.rpc, visit, subject, { limit: 1, after: null });
    if (entries.length === 0) {
      return nothingToSend(visit, subject);
    }
    if (visit.typed) {
      return emailPage(visit, subject, crypto.randomUUID(), readFields(emailFields, visit.typed.form));
    }
    const { name, language } = visit.book;
    const day = formatDay(subject.period.to ?? dayInIsrael(now), language);
    return emailPage(visit, subject, crypto.randomUUID(), {
      recipient: subject.customer.email ?? '',
      subject: defaults[language].subject(name, day),
      text: defaults[language].text(subject.customer.name, name),
    });
  }

  /** Sends it; a form that is sent twice sends it once. */
  @ConsolePage({ method: 'POST', changes: 'book', draft: true, timeoutMs: timeLimitsMs.operatorCall })
  async send(visit: MemberVisit): Promise<PageReply> {
    const { book, form: sent, language, link, session } = visit;
    const now = this.clock.now();
    const subject = await statementVisit(this.rpc, visit, now);
    const typedId = readField(sent, 'statement_id');
    const id = isUuid(typedId) ? typedId : crypto.randomUUID();
    const values = readFields(emailFields, sent);
    const made = await printStatement(this.rpc, visit, subject, { now, language: book.language });
    if (made === null) {
      return page(words.statement[language], tooLong(visit, subject), 422);
    }
    const last = made.entries.at(-1);
    if (!last) {
      return nothingToSend(visit, subject);
    }
    try {
      await this.rpc.call(sendStatement, {
        business: book,
        customer_id: subject.customer.id,
        document_id: last.document_id,
        statement_id: id,
        ...values,
        as_of: subject.period.to ?? dayInIsrael(now),
        closing: made.statement.closing,
        pdf: made.pdf,
        person_id: session.personId,
      });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'validation_error')) {
        throw error;
      }
      return emailPage(
        visit,
        subject,
        id,
        values,
        refusedFields(emailFields, error, { language, values, limits }),
      );
    }
    const at = link(`/customers/${subject.customer.id}/statement`, periodQuery(subject.period));
    return redirect(at, { outcome: 'statement_sent' });
  }
}

function headOf({ language, t, link }: MemberVisit, { customer, period }: StatementVisit) {
  return pageHead({
    title: t(texts.title),
    language,
    crumbs: [
      { text: t(words.customers), href: link('/customers') },
      {
        text: isolate(customer.name, language),
        href: link(`/customers/${customer.id}/statement`, periodQuery(period)),
      },
    ],
  });
}

function nothingToSend(visit: MemberVisit, subject: StatementVisit): PageReply {
  const { t } = visit;
  return page(
    t(texts.title),
    html`${headOf(visit, subject)}
${emptyState({ title: t(texts.none) })}`,
    404,
  );
}

function emailPage(
  visit: MemberVisit,
  subject: StatementVisit,
  id: string,
  values: EmailValues,
  errors: FieldErrors = {},
): PageReply {
  const { csrfToken, language, t, link } = visit;
  const given = { values, errors, language };
  const inputs = Object.entries(emailFields).map(([name, spec]) => fieldInput(name, spec, given));
  const action = link(`/customers/${subject.customer.id}/statement/email`, periodQuery(subject.period));
  const content = form({
    action,
    csrfToken,
    data: keepsTyping,
    content: html`${hidden('statement_id', id)}
${join(inputs, '\n')}`,
    acts: html`${button({ text: t(texts.send) })}
    ${draftActs(visit)}`,
  });
  return page(
    t(texts.title),
    html`${headOf(visit, subject)}
${typedNotice(visit)}
${card({ id: 'email', title: t(texts.title), titleHidden: true, content })}`,
    Object.keys(errors).length > 0 ? 422 : 200,
  );
}
