import {
  type CreateDocument,
  type CustomerCard,
  isUuid,
  timeLimitsMs,
  type WithheldWithReceipt,
} from '@pinkas/contracts';
import { nameKey } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import { readMoney, type Words } from '@pinkas/ui';
import { errorText } from '../frame/message-pages.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../http/console-page.js';
import { Drafts } from '../http/drafts.js';
import { framedHeaders } from '../http/page-headers.js';
import type { MemberVisit } from '../http/visit.js';
import { bodyOf } from './issue-body.js';
import { issueConfirm } from './issue-confirm.js';
import {
  blankLine,
  entriesOf,
  expectedTotal,
  fieldsFrom,
  fieldsOfAccount,
  type IssueFields,
  isBlank,
  isChosen,
  issueLimits,
  readFields,
  takesPayments,
  withArticles,
  withCard,
  withoutBlankLines,
} from './issue-fields.js';
import { type IssueForm, issueForm } from './issue-form.js';
import { textOf } from './issue-words.js';
import { errorsOf, Issuing, taxIdTyped } from './issuing.js';
import { noRestError, withDistributed, withheldOf, withRestWithheld } from './withheld-fields.js';

const texts = {
  changed: {
    he: 'הסכום השתנה מאז שהוצג. דבר לא הופק; יש לבדוק ולאשר שוב.',
    en: 'The total has changed since it was shown. Nothing was issued; check it and confirm again.',
  },
  used: {
    he: 'מהטופס הזה כבר הופק מסמך. דבר לא הופק עכשיו; אישור נוסף יפיק מסמך נוסף.',
    en: 'A document was issued from this form already. Nothing was issued now; confirming again issues another one.',
  },
} as const satisfies Record<string, Words>;

/** The screens of a document that is being issued. */
@PageController({ path: '/issue', access: 'issuer', books: true })
export class IssuePages {
  constructor(
    private readonly issuing: Issuing,
    private readonly drafts: Drafts,
  ) {}

  /** The form of a document: from scratch, from a source, or as a copy. */
  @ConsolePage({ method: 'GET', path: '/document', changes: 'issues' })
  async start(visit: MemberVisit): Promise<PageReply> {
    const { language, query } = visit;
    if (!query.has('type')) {
      return redirect(visit.link('/issue'));
    }
    const type = this.issuing.typeOf(visit, query.get('type'));
    const blank = this.issuing.newFields(visit, type);
    const source = query.get('from');
    const [origin, articles, saved] = await Promise.all([
      this.issuing.origin(visit, type, source ?? query.get('copy') ?? '', source !== null),
      this.issuing.articles(visit),
      this.drafts.list(visit, pathOf(visit)),
    ]);
    const debts = type === 'receipt' ? await this.issuing.debts(visit, query.get('account') ?? '') : [];
    const started =
      debts.length > 0
        ? fieldsOfAccount(blank, debts, language)
        : await this.issuing.forCustomer(visit, blank, query.get('customer') ?? '');
    const fields = origin ? fieldsFrom(blank, origin, language) : started;
    const { based_on } = fields.single;
    const drafts = saved.filter(
      ({ form }) => form.get('type') === type && (form.get('based_on') ?? '') === based_on,
    );
    const summary = await this.issuing.summary(visit, fields);
    return issueForm(visit, { fields, origin, articles, summary, drafts, debts });
  }

  /** The form as it was left. */
  @ConsolePage({ method: 'GET', path: '/drafts/:draft', changes: 'issues' })
  async resume(visit: MemberVisit): Promise<PageReply> {
    return this.#resumed(visit, (fields, savedAt) => this.#form(visit, fields, { savedAt }));
  }

  /** Asks before a draft is issued. */
  @ConsolePage({
    method: 'GET',
    path: '/drafts/:draft/confirm',
    changes: 'issues',
    timeoutMs: timeLimitsMs.createDocument,
  })
  async confirm(visit: MemberVisit): Promise<PageReply> {
    return this.#resumed(visit, (fields, savedAt) => this.#confirm(visit, fields, savedAt));
  }

  @ConsolePage({ method: 'POST', path: '/drafts/:draft/discard', changes: 'nothing' })
  async discard(visit: MemberVisit): Promise<PageReply> {
    await this.drafts.discard(visit, visit.params.draft ?? '');
    return redirect(visit.link('/issue'), { outcome: 'draft_discarded' });
  }

  /** Every step of the form: its lines, what it comes to, the question, and the issue. */
  @ConsolePage({
    method: 'POST',
    path: '/document',
    changes: 'issues',
    form: issueLimits,
    timeoutMs: timeLimitsMs.createDocument,
  })
  async compose(visit: MemberVisit): Promise<PageReply> {
    const { form } = visit;
    const typed = readFields(form, this.issuing.typeOf(visit, form.get('type')));
    const key = isUuid(typed.single.key) ? typed.single.key : crypto.randomUUID();
    const fields: IssueFields = { ...typed, single: { ...typed.single, key } };
    const step = form.get('step');
    if (step === 'issue') {
      return this.#issue(visit, fields);
    }
    const changed = await this.#changed(visit, fields);
    // A customer who was asked about is chosen on the way to the question.
    const goesOn = step === 'preview' || (form.has('choose_customer') && form.get('then') === 'preview');
    const isLeft = goesOn || step === 'save';
    // What nothing was typed into is no draft, unless a page of its own shows it.
    const savedAt = isLeft || !isBlank(changed) ? await this.#save(visit, changed) : undefined;
    if (savedAt === null) {
      return this.#used(visit, changed);
    }
    const address = visit.link(`/issue/drafts/${key}`);
    if (goesOn) {
      return redirect(`${address}/confirm`);
    }
    switch (step) {
      case 'save':
        return redirect(address, { outcome: 'draft_saved' });
      case 'find_customer':
        return this.#form(visit, changed, {
          found: await this.issuing.customers(visit, fields.single['customer.name']),
          savedAt,
        });
      default:
        return this.#form(visit, changed, { savedAt });
    }
  }

  /** @returns when it was saved; null: a document was issued from it. */
  async #save(visit: MemberVisit, fields: IssueFields): Promise<Date | null> {
    const form = new URLSearchParams(Object.fromEntries(entriesOf(fields)));
    const draft = { id: fields.single.key, path: pathOf(visit), form };
    return (await this.drafts.save(visit, draft)) ? this.issuing.now() : null;
  }

  /** Goes on with a draft; one from which a document was issued leads there, so that going back issues nothing again. */
  async #resumed(
    visit: MemberVisit,
    goOn: (fields: IssueFields, savedAt: Date) => Promise<PageReply>,
  ): Promise<PageReply> {
    const draft = await this.drafts.find(visit, visit.params.draft ?? '');
    if (draft === null || draft.path !== pathOf(visit)) {
      return redirect(visit.link('/issue'), { outcome: 'draft_gone' });
    }
    const { documentId, form, id, savedAt } = draft;
    if (documentId !== null) {
      return redirect(visit.link(`/documents/${documentId}`), { outcome: 'issued_before' });
    }
    const { type, single, ...rows } = readFields(form, this.issuing.typeOf(visit, form.get('type')));
    return goOn({ ...rows, type, single: { ...single, key: id } }, savedAt);
  }

  /** The picture of a document that is not issued, for the frame next to the question. */
  @ConsolePage({ method: 'POST', path: '/picture', changes: 'issues', form: issueLimits })
  async draw(visit: MemberVisit): Promise<PageReply> {
    const { form, language } = visit;
    const fields = readFields(form, this.issuing.typeOf(visit, form.get('type')));
    const parsed = { ...bodyOf(fields, language), ...withheldOf(fields, language) };
    if (!('body' in parsed) || 'errors' in parsed) {
      throw new ApiError('validation_error');
    }
    const preview = await this.issuing.preview(visit, parsed.body, parsed);
    return { kind: 'file', headers: framedHeaders, body: await this.issuing.picture(visit, preview) };
  }

  /** The customers whose names contain what is typed, for the script of the form. */
  @ConsolePage({ method: 'GET', path: '/customers' })
  async suggestCustomers(visit: MemberVisit): Promise<PageReply> {
    const found = await this.issuing.customers(visit, visit.query.get('q') ?? '');
    const customers = found.map(({ id, name, tax_id, city }) => ({
      id,
      name,
      detail: [tax_id, city].filter((fact) => fact !== null).join(' · '),
    }));
    return { kind: 'json', status: 200, value: { customers } };
  }

  /** The fields after a button that adds, removes, chooses or computes. */
  async #changed(visit: MemberVisit, given: IssueFields): Promise<IssueFields> {
    const { form } = visit;
    const known = isChosen(given)
      ? null
      : await this.issuing.customerOfTaxId(visit, given.single['customer.name']);
    const fields = known ? withCard(given, known) : given;
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
    const name = fields.single['customer.name'];
    if (id === 'new') {
      return { ...fields, single: { ...fields.single, 'customer.id': '', 'customer.new_name': name } };
    }
    const found = await this.issuing.nearCustomers(visit, name);
    const chosen = found.find((customer) => customer.id === id);
    return chosen ? withCard(fields, chosen) : fields;
  }

  async #form(visit: MemberVisit, given: IssueFields, more: Partial<IssueForm>): Promise<PageReply> {
    const [origin, articles, debts] = await Promise.all([
      this.issuing.origin(visit, given.type, given.single.based_on, true),
      this.issuing.articles(visit),
      this.issuing.debts(visit, given.single.account),
    ]);
    const typed = withArticles(given, articles);
    const isRest = visit.form.get('step') === 'withhold';
    const fields = isRest ? withRestWithheld(typed, origin, debts) : typed;
    const isNone = isRest && fields.single['withheld.amount'] === '';
    const errors = isNone ? { errors: noRestError(visit.language) } : {};
    const summary = await this.issuing.summary(visit, fields);
    return issueForm(visit, { fields, origin, articles, summary, debts, ...errors, ...more });
  }

  async #confirm(visit: MemberVisit, given: IssueFields, savedAt: Date): Promise<PageReply> {
    const fields = await this.issuing.withPayment(visit, withoutBlankLines(given));
    const isOpen = fields.payments.length === 1 && fields.payments[0]?.amount === '';
    const summary = isOpen ? await this.issuing.summary(visit, fields) : null;
    if (summary && 'errors' in summary && Object.keys(summary.errors ?? {}).length > 0) {
      return this.#form(visit, fields, { errors: summary.errors ?? {} });
    }
    const digits = taxIdTyped(fields.single['customer.name']);
    if (digits !== null && !isChosen(fields)) {
      const single = { ...fields.single, 'customer.name': '', 'customer.tax_id': digits };
      const errors = { 'customer.name': textOf(fields.type, 'nameOfNumber', visit.language) };
      return this.#form(visit, { ...fields, single }, { errors });
    }
    const debts = await this.issuing.debts(visit, fields.single.account);
    const distributed = withDistributed(fields, debts);
    return this.#checked(visit, distributed, async (body, withheld) => {
      const preview = await this.issuing.preview(visit, body, { withheld });
      const found = preview.matched_by === null ? await this.#near(visit, fields) : [];
      return found.length === 0
        ? issueConfirm(visit, distributed, preview, {
            change: await this.issuing.cardChange(visit, preview),
            debts,
          })
        : this.#form(visit, fields, {
            found,
            savedAt,
            isAsked: true,
            errors: { 'customer.name': textOf(fields.type, 'similar', visit.language) },
          });
    });
  }

  /** Cards that may be meant by the name of a new customer, unless a card of its own was asked for. */
  async #near(visit: MemberVisit, { single }: IssueFields): Promise<CustomerCard[]> {
    const name = single['customer.name'];
    const isNew =
      single['customer.identity_confirmed'] === 'yes' ||
      nameKey(single['customer.new_name']) === nameKey(name);
    return isNew ? [] : this.issuing.nearCustomers(visit, name);
  }

  async #issue(visit: MemberVisit, fields: IssueFields): Promise<PageReply> {
    const expected = readMoney(visit.form.get('expected_total') ?? '');
    return this.#checked(visit, fields, async (body, withheld) => {
      const confirmed = { ...body, ...(expected !== null && expectedTotal(expected)) };
      const { key } = fields.single;
      const { id, customer } = await this.issuing.issue(visit, `issue-${key}`, confirmed, {
        setOffs: fields.setOffs,
        withheld,
      });
      if (visit.form.get('update_card') === 'yes') {
        await this.issuing.updateCard(visit, customer);
      }
      await this.drafts.end(visit, { id: key, path: pathOf(visit), documentId: id });
      return redirect(visit.link(`/documents/${id}`), { outcome: 'document_issued' });
    });
  }

  /** Goes on with the body of the form; what is refused leads back to the form, with what was typed. */
  async #checked(
    visit: MemberVisit,
    fields: IssueFields,
    goOn: (body: CreateDocument, withheld: WithheldWithReceipt | undefined) => Promise<PageReply>,
  ): Promise<PageReply> {
    const [parsed, stated] = [bodyOf(fields, visit.language), withheldOf(fields, visit.language)];
    if ('errors' in parsed || 'errors' in stated) {
      const errors = {
        ...('errors' in parsed && parsed.errors),
        ...('errors' in stated && stated.errors),
      };
      return this.#form(visit, fields, { errors });
    }
    try {
      return await goOn(parsed.body, stated.withheld);
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
      case 'idempotency_key_reused':
        return this.#used(visit, fields);
      default:
        return this.#form(visit, fields, { refusal: errorText(error, language) });
    }
  }

  /** The form of another document: what was typed is kept, and what was issued stays one document. */
  async #used(visit: MemberVisit, given: IssueFields): Promise<PageReply> {
    const fields = { ...given, single: { ...given.single, key: crypto.randomUUID() } };
    const savedAt = (await this.#save(visit, fields)) ?? undefined;
    return this.#form(visit, fields, { refusal: visit.t(texts.used), savedAt });
  }
}

/** Where the form is sent, which its drafts have. */
const pathOf = ({ link }: MemberVisit): string => link('/issue/document');
