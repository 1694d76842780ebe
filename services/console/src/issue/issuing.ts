import { Injectable } from '@nestjs/common';
import {
  type CreateDocument,
  type CustomerCard,
  type CustomerSnapshot,
  getDocument,
  type IssuedDocument,
  issueDocument,
  isUuid,
  listArticles,
  listDebts,
  previewDocument,
  renderDraft,
  requestFingerprint,
  searchCustomers,
  setOffDocumentsMax,
  showCustomer,
  type WithheldWithReceipt,
} from '@pinkas/contracts';
import {
  asLine,
  type DocumentType,
  dayInIsrael,
  documentTypeRules,
  documentTypes,
  mayIssue,
  namesAsTyped,
  pastedTaxId,
  visibleLength,
} from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import { type FieldErrors, formatDate, formatMoney, type Language, readMoney } from '@pinkas/ui';
import { errorText } from '../frame/message-pages.js';
import { unlessAway } from '../frame/unless-away.js';
import type { MemberVisit } from '../http/visit.js';
import { type CardChange, readCardChange, updateCard } from './card-change.js';
import type { DocumentPreview } from './consequences.js';
import { bodyErrors, bodyOf } from './issue-body.js';
import {
  type AccountDebts,
  blankPayment,
  entriesOf,
  type IssueFields,
  isReceived,
  newFields,
  type Origin,
  withCard,
  withoutBlankLines,
} from './issue-fields.js';
import type { IssueForm } from './issue-form.js';
import type { Summary } from './issue-summary.js';

const texts = {
  line: { he: 'שורה', en: 'Line' },
  lastDate: {
    he: (date: string) =>
      `תאריך המסמך האחרון מסוג זה הוא ${date}. יש לבחור את התאריך הזה או תאריך מאוחר ממנו.`,
    en: (date: string) => `The last document of this type is dated ${date}. Choose that date or a later one.`,
  },
  checkDigit: { he: 'ספרת הביקורת של המספר שגויה.', en: 'The check digit of the number is wrong.' },
  setOffs: {
    he: 'היתרות השתנו מאז שהוצגו, או שהמסמכים אינם של הלקוח הזה. דבר לא הופק; יש לבחור שוב.',
    en: 'Balances have changed since they were shown, or the documents are not of this customer. Nothing was issued; choose again.',
  },
  sum: { he: 'סכום התשלומים צריך להיות', en: 'The payments have to sum to' },
} as const;

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

  now(): Date {
    return this.clock.now();
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

  /** What a customer has left to pay, the first due first; none for what is no customer. */
  async debts({ bookId }: MemberVisit, customerId: string): Promise<AccountDebts> {
    if (!isUuid(customerId)) {
      return [];
    }
    const request = { business_id: bookId, customer_id: customerId, limit: setOffDocumentsMax, after: null };
    return (await this.rpc.call(listDebts, request)).debts;
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

  /** The fields of a document for a customer whose page it begins from. */
  async forCustomer({ bookId }: MemberVisit, fields: IssueFields, id: string): Promise<IssueFields> {
    if (!isUuid(id)) {
      return fields;
    }
    const { customer } = await this.rpc.call(showCustomer, { business_id: bookId, customer_id: id });
    return withCard(fields, customer);
  }

  /** The cards that a name without one may mean: their names contain it, or it contains theirs. */
  async nearCustomers(visit: MemberVisit, typed: string): Promise<CustomerCard[]> {
    const name = asLine(typed);
    const [first = ''] = name.split(' ');
    const typedForms = namesAsTyped(name);
    const isWithin = ({ name: known }: CustomerCard) => {
      const { joined, spaced } = namesAsTyped(known);
      return (
        ` ${typedForms.joined} `.includes(` ${joined} `) || ` ${typedForms.spaced} `.includes(` ${spaced} `)
      );
    };
    const [found, begun] = await Promise.all([
      unlessAway(this.customers(visit, name)),
      first === name ? [] : unlessAway(this.customers(visit, first)),
    ]);
    const within = (begun ?? []).filter(isWithin);
    return [...new Map([...(found ?? []), ...within].map((card) => [card.id, card])).values()];
  }

  /** The card with the tax id that was typed in place of a name; null: it is none, or no card has it. */
  async customerOfTaxId(visit: MemberVisit, typed: string): Promise<CustomerCard | null> {
    const digits = taxIdTyped(typed);
    const found = digits && (await unlessAway(this.customers(visit, digits)));
    return (
      (found || []).find(
        ({ tax_id }) => tax_id !== null && withoutZeros(tax_id) === withoutZeros(digits ?? ''),
      ) ?? null
    );
  }

  /** @param isOpen whether payments are still being filled in. */
  preview(
    visit: MemberVisit,
    body: CreateDocument,
    { isOpen = false, withheld }: { isOpen?: boolean; withheld?: WithheldWithReceipt | undefined } = {},
  ): Promise<DocumentPreview> {
    const { book, session } = visit;
    const issuer = { kind: 'person', id: session.personId } as const;
    const more = { payments_open: isOpen, ...(withheld && { withheld }) };
    return this.rpc.call(previewDocument, { business: book, issuer, body, ...more });
  }

  /** What the document comes to as far as it is typed, for the form next to it. */
  async summary(visit: MemberVisit, fields: IssueFields): Promise<Summary> {
    const typed = { ...withoutBlankLines(fields), payments: [] };
    if (isReceived(fields.type) && typed.items[0]?.unit_price === '') {
      return null;
    }
    const parsed = bodyOf(typed, visit.language);
    if ('errors' in parsed) {
      return problemOf(typed, parsed.errors, visit.language);
    }
    const hasCustomer = visibleLength(fields.single['customer.name']) > 1;
    const customer = hasCustomer ? parsed.body.customer : { name: nobodyYet };
    const items = parsed.body.items.map((item) => ({ ...item, description: item.description || nobodyYet }));
    try {
      const preview = await this.preview(visit, { ...parsed.body, customer, items }, { isOpen: true });
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
    if (!payment || others.length > 0 || payment.amount !== '' || isReceived(fields.type)) {
      return fields;
    }
    const summary = await this.summary(visit, fields);
    const total = summary && 'preview' in summary ? summary.preview.draft.totals.total.toFixed(2) : '';
    if (Number(total) === 0 && total !== '') {
      return { ...fields, payments: [] };
    }
    return { ...fields, payments: [{ ...payment, amount: total }] };
  }

  /** What a previewed document states that the card of its customer has otherwise. */
  cardChange(visit: MemberVisit, { draft }: DocumentPreview): Promise<CardChange> {
    return readCardChange(this.rpc, visit, draft.customer);
  }

  updateCard(visit: MemberVisit, customer: CustomerSnapshot): Promise<void> {
    return updateCard(this.rpc, visit, customer);
  }

  /** Issues a document, once for each key. @param settles what a receipt on account pays, and what any receipt states as withheld. */
  async issue(
    { book, session }: MemberVisit,
    key: string,
    body: CreateDocument,
    {
      setOffs = [],
      withheld,
    }: { setOffs?: IssueFields['setOffs']; withheld?: WithheldWithReceipt | undefined } = {},
  ): Promise<IssuedDocument> {
    const set_offs = setOffs.map(({ document_id, amount }) => ({
      document_id,
      amount: readMoney(amount) ?? 0,
    }));
    const settles = { ...(set_offs.length > 0 && { set_offs }), ...(withheld && { withheld }) };
    const { document } = await this.rpc.callOrWait(issueDocument, {
      business: book,
      issuer: { kind: 'person', id: session.personId },
      idempotency_key: `console-${key}`,
      body,
      ...(Object.keys(settles).length > 0 && {
        ...settles,
        body_sha256: requestFingerprint({ body, ...settles }).toString('hex'),
      }),
    });
    return document;
  }

  async picture({ book }: MemberVisit, { draft }: DocumentPreview): Promise<string> {
    return (await this.rpc.call(renderDraft, { draft, business: book })).html;
  }
}

/** Why nothing is computed, where that is more than a field that is still empty. */
function problemOf(fields: IssueFields, errors: FieldErrors, language: Language): Summary {
  const isTyped = new Map(entriesOf(fields));
  const found = Object.entries(errors).find(
    // Without its kind, what is typed of a discount is not counted.
    ([field]) => isTyped.get(field) !== '' || field === 'discount.type',
  );
  const [name, problem] = found ?? [];
  if (name === undefined || problem === undefined) {
    return null;
  }
  const [list, place] = name.split('.');
  return {
    problem: list === 'items' && place ? `${texts.line[language]} ${Number(place) + 1}: ${problem}` : problem,
  };
}

const withoutZeros = (digits: string): string => digits.replace(/^0+/, '');

/** The digits of a name that looks like a tax id; null: it is a name. */
export function taxIdTyped(name: string): string | null {
  const digits = pastedTaxId(name);
  return /^\d{5,9}$/.test(digits) ? digits : null;
}

const isAboutSetOffs = ({ details }: ApiError): boolean =>
  JSON.stringify(details ?? {}).includes('"/amounts"');

/** What a refusal is about, by the fields of the form. */
export function errorsOf(error: ApiError, { language, t }: MemberVisit): FieldErrors {
  const sentence = errorText(error, language);
  const fact = (name: string) => String(error.details?.[name] ?? '');
  switch (error.code) {
    case 'validation_error':
      return isAboutSetOffs(error) ? { set_offs: t(texts.setOffs) } : bodyErrors(error.details, language);
    case 'invalid_customer_tax_id':
      return { 'customer.tax_id': t(texts.checkDigit) };
    case 'customer_identity_conflict':
      return { 'customer.tax_id': sentence };
    case 'customer_not_found':
      return { 'customer.name': sentence };
    case 'future_date':
      return { date: sentence };
    case 'date_before_last_document':
      return { date: texts.lastDate[language](formatDate(fact('last_document_date'), language)) };
    case 'payments_required':
      return { payments: sentence };
    case 'payments_total_mismatch':
      return { payments: `${t(texts.sum)} ${formatMoney(Number(fact('total')))}.` };
    default:
      return {};
  }
}
