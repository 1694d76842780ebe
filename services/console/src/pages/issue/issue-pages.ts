import { Injectable } from '@nestjs/common';
import {
  type CreateDocument,
  getDocument,
  issueDocument,
  isUuid,
  listArticles,
  previewDocument,
  renderDraft,
  searchCustomers,
  timeLimitsMs,
} from '@pinkas/contracts';
import {
  asLine,
  type DocumentType,
  dayInIsrael,
  documentTypeRules,
  documentTypes,
  mayIssue,
  visibleLength,
} from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import { type FieldErrors, type Language, readMoney, type Words } from '@pinkas/ui';
import { ConsolePage, type PageReply, redirect } from '../../http/console-page.js';
import { framedHeaders } from '../../http/page-headers.js';
import type { MemberVisit } from '../../http/visit.js';
import { errorText } from '../message-pages.js';
import { unlessAway } from '../unless-away.js';
import type { DocumentPreview } from './consequences.js';
import { bodyErrors, bodyOf } from './issue-body.js';
import { issueConfirm } from './issue-confirm.js';
import {
  blankLine,
  blankPayment,
  entriesOf,
  fieldsFrom,
  type IssueFields,
  issueLimits,
  newFields,
  type Origin,
  readFields,
  takesPayments,
  withArticles,
  withoutBlankLines,
} from './issue-fields.js';
import { type IssueForm, issueForm } from './issue-form.js';
import type { Summary } from './issue-summary.js';

const texts = {
  line: { he: 'שורה', en: 'Line' },
  lastDate: { he: 'התאריך של המסמך האחרון מסוג זה הוא', en: 'The last document of this type has the date' },
  checkDigit: { he: 'ספרת הביקורת של המספר שגויה.', en: 'The check digit of the number is wrong.' },
  sum: { he: 'סכום התשלומים צריך להיות', en: 'The payments have to sum to' },
  changed: {
    he: 'הסכום השתנה מאז שהוצג. דבר לא הופק; יש לבדוק ולאשר שוב.',
    en: 'The total has changed since it was shown. Nothing was issued; check it and confirm again.',
  },
  used: {
    he: 'מהטופס הזה כבר הופק מסמך. דבר לא הופק עכשיו; אישור נוסף יפיק מסמך נוסף.',
    en: 'A document was issued from this form already. Nothing was issued now; confirming again issues another one.',
  },
} as const satisfies Record<string, Words>;

/** Who may issue: an issuer or an owner. */
const access = 'issuer';
const customersMax = 8;

/** Stands for a customer who is not typed yet, while only the amounts are shown. */
const nobodyYet = '--';

/** What the screens of a document ask other services. */
@Injectable()
export class Issuing {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** @throws ApiError `legal_type_forbidden`; `not_found` for no type, or one that has a page of its own. */
  typeOf({ business }: MemberVisit, given: string | null): DocumentType {
    const type = documentTypes.find((known) => known === given);
    if (type === undefined || type === 'credit_note') {
      throw new ApiError('not_found');
    }
    if (business.legal_type === null || !mayIssue(business.legal_type, type)) {
      throw new ApiError('legal_type_forbidden');
    }
    return type;
  }

  /** The fields of a document that begins now. */
  newFields({ book }: MemberVisit, type: DocumentType): IssueFields {
    return newFields(type, book, dayInIsrael(this.clock.now()));
  }

  /** A blank payment of today. */
  newPayment() {
    return blankPayment(dayInIsrael(this.clock.now()));
  }

  /** The document that one begins from; null where its type cannot. */
  async origin(
    { bookId }: MemberVisit,
    type: DocumentType,
    id: string,
    isSource: boolean,
  ): Promise<Origin | null> {
    if (!isUuid(id)) {
      return null;
    }
    const { document, state } = await this.rpc.call(getDocument, {
      business_id: bookId,
      document_id: id,
      detailed: true,
    });
    return !isSource || documentTypeRules[type].sources.includes(document.type)
      ? { document, state, isSource }
      : null;
  }

  async articles({ bookId }: MemberVisit): Promise<IssueForm['articles']> {
    const found = await unlessAway(this.rpc.call(listArticles, { business_id: bookId }));
    return found?.articles ?? [];
  }

  async customers({ bookId }: MemberVisit, typed: string) {
    const query = asLine(typed);
    if (query === '') {
      return [];
    }
    return (await this.rpc.call(searchCustomers, { business_id: bookId, query, limit: customersMax }))
      .customers;
  }

  /** @param isOpen whether payments are still being filled in. */
  preview(visit: MemberVisit, body: CreateDocument, isOpen: boolean): Promise<DocumentPreview> {
    const { book, session } = visit;
    const issuer = { kind: 'person', id: session.personId } as const;
    return this.rpc.call(previewDocument, { business: book, issuer, body, payments_open: isOpen });
  }

  /** What the document comes to as far as it is typed, for the form next to it. */
  async summary(visit: MemberVisit, fields: IssueFields): Promise<Summary> {
    const typed = { ...withoutBlankLines(fields), payments: [] };
    const parsed = bodyOf(typed, visit.language);
    if ('errors' in parsed) {
      return problemOf(typed, parsed.errors, visit.language);
    }
    const hasCustomer = visibleLength(fields.single['customer.name']) > 1;
    const customer = hasCustomer ? parsed.body.customer : { name: nobodyYet };
    const items = parsed.body.items.map((item) => ({ ...item, description: item.description || nobodyYet }));
    try {
      const preview = await this.preview(visit, { ...parsed.body, customer, items }, true);
      return { preview, hasCustomer };
    } catch (error) {
      if (error instanceof ApiError) {
        const errors = errorsOf(error, visit);
        return { problem: Object.values(errors)[0] ?? errorText(error, visit.language), errors };
      }
      throw error;
    }
  }

  /** The same document with the amount of its only payment, where that is the total; without it where nothing is to be paid. */
  async withPayment(visit: MemberVisit, fields: IssueFields): Promise<IssueFields> {
    const [payment, ...others] = fields.payments;
    if (!payment || others.length > 0 || payment.amount !== '') {
      return fields;
    }
    const summary = await this.summary(visit, fields);
    const total = summary && 'preview' in summary ? summary.preview.draft.totals.total.toFixed(2) : '';
    if (Number(total) === 0 && total !== '') {
      return { ...fields, payments: [] };
    }
    return { ...fields, payments: [{ ...payment, amount: total }] };
  }

  async issue(visit: MemberVisit, fields: IssueFields, body: CreateDocument): Promise<string> {
    const { book, session } = visit;
    const { document } = await this.rpc.callOrWait(issueDocument, {
      business: book,
      issuer: { kind: 'person', id: session.personId },
      idempotency_key: `console-issue-${fields.single.key}`,
      body,
    });
    return document.id;
  }

  async picture({ book }: MemberVisit, { draft }: DocumentPreview): Promise<string> {
    return (await this.rpc.call(renderDraft, { draft, business: book })).html;
  }
}

/** Why nothing is computed, where that is more than a field that is still empty. */
function problemOf(fields: IssueFields, errors: FieldErrors, language: Language): Summary {
  const isTyped = new Map(entriesOf(fields));
  const [name, problem] = Object.entries(errors).find(([field]) => isTyped.get(field) !== '') ?? [];
  if (name === undefined || problem === undefined) {
    return null;
  }
  const [list, place] = name.split('.');
  return {
    problem: list === 'items' && place ? `${texts.line[language]} ${Number(place) + 1}: ${problem}` : problem,
  };
}

/** What a refusal is about, by the fields of the form. */
function errorsOf(error: ApiError, { language }: MemberVisit): FieldErrors {
  const sentence = errorText(error, language);
  const fact = (name: string) => String(error.details?.[name] ?? '');
  switch (error.code) {
    case 'validation_error':
      return bodyErrors(error.details, language);
    case 'invalid_customer_tax_id':
      return { 'customer.tax_id': texts.checkDigit[language] };
    case 'customer_identity_conflict':
      return { 'customer.tax_id': sentence };
    case 'customer_not_found':
      return { 'customer.name': sentence };
    case 'future_date':
      return { date: sentence };
    case 'date_before_last_document':
      return { date: `${texts.lastDate[language]} ${fact('last_document_date')}.` };
    case 'payments_required':
      return { payments: sentence };
    case 'payments_total_mismatch':
      return { payments: `${texts.sum[language]} ${Number(fact('total')).toFixed(2)}.` };
    default:
      return {};
  }
}

/** The form of a document: from scratch, from a source, or as a copy. */
@ConsolePage({ method: 'GET', path: '/issue/document', access, changes: 'issues', books: true })
export class StartDocument {
  constructor(private readonly issuing: Issuing) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { language, query } = visit;
    if (!query.has('type')) {
      return redirect(visit.link('/issue'));
    }
    const type = this.issuing.typeOf(visit, query.get('type'));
    const blank = this.issuing.newFields(visit, type);
    const source = query.get('from');
    const [origin, articles] = await Promise.all([
      this.issuing.origin(visit, type, source ?? query.get('copy') ?? '', source !== null),
      this.issuing.articles(visit),
    ]);
    const fields = origin ? fieldsFrom(blank, origin, language) : blank;
    return issueForm(visit, { fields, origin, articles, summary: await this.issuing.summary(visit, fields) });
  }
}

/** Every step of the form: its lines, what it comes to, the question, and the issue. */
@ConsolePage({
  method: 'POST',
  path: '/issue/document',
  access,
  changes: 'issues',
  books: true,
  form: issueLimits,
  timeoutMs: timeLimitsMs.createDocument,
})
export class ComposeDocument {
  constructor(private readonly issuing: Issuing) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { form } = visit;
    const typed = readFields(form, this.issuing.typeOf(visit, form.get('type')));
    const key = isUuid(typed.single.key) ? typed.single.key : crypto.randomUUID();
    const fields: IssueFields = { ...typed, single: { ...typed.single, key } };
    switch (form.get('step')) {
      case 'preview':
        return this.#confirm(visit, fields);
      case 'issue':
        return this.#issue(visit, fields);
      case 'find_customer':
        return this.#form(visit, fields, {
          found: await this.issuing.customers(visit, fields.single['customer.name']),
        });
      default:
        return this.#form(visit, await this.#changed(visit, fields), {});
    }
  }

  /** The fields after a button that adds, removes, chooses or computes. */
  async #changed(visit: MemberVisit, fields: IssueFields): Promise<IssueFields> {
    const { form } = visit;
    const without = <T>(rows: readonly T[], place: string | null): T[] =>
      rows.filter((_, index) => place === null || String(index) !== place);
    const items = without(fields.items, form.get('remove_line'));
    const payments = without(fields.payments, form.get('remove_payment'));
    const step = form.get('step');
    const rows = {
      ...fields,
      items: step === 'add_line' || items.length === 0 ? [...items, blankLine] : items,
      payments:
        takesPayments(fields.type) && (step === 'add_payment' || payments.length === 0)
          ? [...payments, this.issuing.newPayment()]
          : payments,
    };
    const id = form.get('choose_customer');
    return id === null ? rows : this.#withCustomer(visit, rows, id);
  }

  async #withCustomer(visit: MemberVisit, fields: IssueFields, id: string): Promise<IssueFields> {
    const found = await this.issuing.customers(visit, fields.single['customer.name']);
    const chosen = found.find((customer) => customer.id === id);
    return chosen
      ? {
          ...fields,
          single: {
            ...fields.single,
            'customer.id': chosen.id,
            'customer.known_name': asLine(chosen.name),
            'customer.name': asLine(chosen.name),
          },
        }
      : fields;
  }

  async #form(visit: MemberVisit, given: IssueFields, more: Partial<IssueForm>): Promise<PageReply> {
    const [origin, articles] = await Promise.all([
      this.issuing.origin(visit, given.type, given.single.based_on, true),
      this.issuing.articles(visit),
    ]);
    const fields = withArticles(given, articles);
    const summary = await this.issuing.summary(visit, fields);
    return issueForm(visit, { fields, origin, articles, summary, ...more });
  }

  async #confirm(visit: MemberVisit, given: IssueFields): Promise<PageReply> {
    const fields = await this.issuing.withPayment(visit, withoutBlankLines(given));
    const isOpen = fields.payments.length === 1 && fields.payments[0]?.amount === '';
    const summary = isOpen ? await this.issuing.summary(visit, fields) : null;
    if (summary && 'errors' in summary && Object.keys(summary.errors ?? {}).length > 0) {
      return this.#form(visit, fields, { errors: summary.errors ?? {} });
    }
    return this.#checked(visit, fields, async (body) =>
      issueConfirm(visit, fields, await this.issuing.preview(visit, body, false)),
    );
  }

  async #issue(visit: MemberVisit, fields: IssueFields): Promise<PageReply> {
    const expected = readMoney(visit.form.get('expected_total') ?? '');
    return this.#checked(visit, fields, async (body) => {
      const confirmed = { ...body, ...(expected !== null && { expected_total: expected }) };
      const id = await this.issuing.issue(visit, fields, confirmed);
      return redirect(visit.link(`/documents/${id}`), { outcome: 'document_issued' });
    });
  }

  /** Goes on with the body of the form; what is refused leads back to the form, with what was typed. */
  async #checked(
    visit: MemberVisit,
    fields: IssueFields,
    goOn: (body: CreateDocument) => Promise<PageReply>,
  ): Promise<PageReply> {
    const parsed = bodyOf(fields, visit.language);
    if ('errors' in parsed) {
      return this.#form(visit, fields, { errors: parsed.errors });
    }
    try {
      return await goOn(parsed.body);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'internal_error') {
        throw error;
      }
      const errors = errorsOf(error, visit);
      if (Object.keys(errors).length > 0) {
        return this.#form(visit, fields, { errors });
      }
      return this.#refused(visit, fields, error);
    }
  }

  #refused(visit: MemberVisit, fields: IssueFields, error: ApiError): Promise<PageReply> {
    const { language } = visit;
    switch (error.code) {
      case 'total_mismatch':
        return this.#form(visit, fields, { refusal: texts.changed[language] });
      case 'idempotency_key_reused': {
        const single = { ...fields.single, key: crypto.randomUUID() };
        return this.#form(visit, { ...fields, single }, { refusal: texts.used[language] });
      }
      default:
        return this.#form(visit, fields, { refusal: errorText(error, language) });
    }
  }
}

/** The picture of a document that is not issued, for the frame next to the question. */
@ConsolePage({
  method: 'POST',
  path: '/issue/picture',
  access,
  changes: 'issues',
  books: true,
  form: issueLimits,
})
export class DrawDocument {
  constructor(private readonly issuing: Issuing) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { form, language } = visit;
    const parsed = bodyOf(readFields(form, this.issuing.typeOf(visit, form.get('type'))), language);
    if ('errors' in parsed) {
      throw new ApiError('validation_error');
    }
    const preview = await this.issuing.preview(visit, parsed.body, false);
    return { kind: 'file', headers: framedHeaders, body: await this.issuing.picture(visit, preview) };
  }
}

/** The customers whose names contain what is typed, for the script of the form. */
@ConsolePage({ method: 'GET', path: '/issue/customers', access, books: true })
export class SuggestCustomers {
  constructor(private readonly issuing: Issuing) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const found = await this.issuing.customers(visit, visit.query.get('q') ?? '');
    const customers = found.map(({ name, tax_id, city }) => ({
      name,
      detail: [tax_id, city].filter((fact) => fact !== null).join(' · '),
    }));
    return { kind: 'json', status: 200, value: { customers } };
  }
}
