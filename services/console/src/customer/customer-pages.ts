import {
  type CustomerCard,
  type CustomerDetails,
  contactDetails,
  customerMembers,
  listDebtors,
  listDebts,
  listDocuments,
  listedDetails,
  type ReplyOf,
  readStatement,
  searchCustomers,
  showCustomer,
  type TypedDetail,
  updateCustomer,
} from '@pinkas/contracts';
import { fromShekels, toShekels } from '@pinkas/domain';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import {
  amount,
  button,
  card,
  dayAndTime,
  emptyState,
  type FieldErrors,
  facts,
  field,
  filterForm,
  form,
  html,
  isolate,
  join,
  largeAmount,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  pager,
  readField,
  stats,
  table,
  type Words,
} from '@pinkas/ui';
import { accountActs } from '../debts/account-acts.js';
import { fieldInput, readFields } from '../frame/form-fields.js';
import { documentTable } from '../frame/parts.js';
import { unlessAway } from '../frame/unless-away.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';
import {
  type CustomerValues,
  customerErrors,
  customerFields,
  customerTypeNames,
  customerValues,
  termsOf,
} from './customer-form.js';

const texts = {
  search: { he: 'חיפוש', en: 'Search' },
  new: { he: 'לקוח חדש', en: 'New customer' },
  balance: { he: 'יתרה לתשלום', en: 'Balance due' },
  issue: { he: 'הפקת מסמך ללקוח', en: 'Issue for this customer' },
  edit: { he: 'עדכון הכרטיס', en: 'Edit the card' },
  editHint: {
    he: 'התיקון חל על מסמכים מכאן ואילך. מסמכים שהופקו אינם משתנים לעולם, ומספר העוסק נשאר כפי שבמסמכים.',
    en: 'A correction is for documents from now on. Issued documents never change, and the tax id stays as the documents have it.',
  },
  searchHint: { he: 'שם, ח.פ., טלפון או אימייל', en: 'Name, tax id, phone or email' },
  show: { he: 'חיפוש', en: 'Search' },
  name: { he: 'שם', en: 'Name' },
  since: { he: 'לקוח מאז', en: 'Customer since' },
  none: { he: 'לא נמצאו לקוחות.', en: 'No customers were found.' },
  empty: {
    he: 'כרטיס לקוח נפתח עם המסמך הראשון שלו.',
    en: 'A customer has a card from the first document on.',
  },
  first: {
    he: 'מוצגים 50 הראשונים לפי שם; חיפוש מצמצם.',
    en: 'The first 50 by name are shown; search to find others.',
  },
  created: { he: 'הכרטיס נפתח.', en: 'The customer was created.' },
  saved: { he: 'הפרטים נשמרו.', en: 'The details are saved.' },
  documents: { he: 'המסמכים של הלקוח', en: 'Documents of the customer' },
  noDocuments: { he: 'אין מסמכים.', en: 'No documents.' },
  card: { he: 'פרטי הלקוח', en: 'Details' },
  open: { he: 'יתרה לתשלום', en: 'Balance due' },
  late: { he: 'באיחור', en: 'Late' },
  noneLate: { he: 'אין תשלום באיחור', en: 'Nothing is late' },
  onAccount: { he: 'זכות בחשבון', en: 'Credit on account' },
  asked: { he: 'סך החיובים', en: 'Charged so far' },
  paid: { he: 'סך התקבולים והזיכויים', en: 'Received and credited so far' },
  remind: { he: 'תזכורת לתשלום', en: 'Send a reminder' },
} as const satisfies Record<string, Words>;

const listed = 50;
const documentsListed = 20;
/** More open documents of one customer are not summed by their age. */
const debtsSummed = 100;

/** @param balances what each has left to pay, by id; null: it is not known now. */
function customerTable(
  visit: MemberVisit,
  customers: readonly CustomerCard[],
  balances: ReadonlyMap<string, number> | null,
): Markup {
  const { language, t } = visit;
  return table<CustomerCard>({
    caption: t(words.customers),
    language,
    rows: customers,
    columns: [
      { head: t(texts.name), value: ({ id, name }) => customerLink(visit, id, name) },
      ...listedDetails
        .filter((detail) => detail !== 'legal_type')
        .map((detail) => ({
          head: t(customerMembers[detail].word),
          value: (row: CustomerCard) => shownDetail(detail, row[detail]),
        })),
      ...(balances === null
        ? []
        : [
            {
              head: t(texts.balance),
              kind: 'money' as const,
              value: ({ id }: CustomerCard) => balances.get(id) ?? 0,
            },
          ]),
    ],
  });
}

/** Figures are read from left to right in every language. */
const shownDetail = (detail: TypedDetail, text: string | null | undefined): Markup | string | null =>
  text && customerMembers[detail].kind !== 'text' ? leftToRight(text) : text || null;

const customerLink = (visit: MemberVisit, id: string, name: string) =>
  html`<a href="${visit.link(`/customers/${id}`)}">${isolate(name, visit.language)}</a>`;

/** The customers of a book, and the card of each. */
@PageController({ path: '/customers', access: 'reader', books: true })
export class CustomerPages {
  constructor(private readonly rpc: RpcClient) {}

  /** The customers of a book by name, with search. */
  @ConsolePage({ method: 'GET' })
  async list(visit: MemberVisit): Promise<PageReply> {
    const { bookId, language, t, query } = visit;
    const searched = readField(query, 'q');
    const { customers } = await this.rpc.call(searchCustomers, {
      business_id: bookId,
      query: searched === '' ? null : searched,
      limit: listed,
    });
    const balances = await balancesOf(this.rpc, bookId, customers);
    const search = field({
      name: 'q',
      type: 'search',
      label: t(texts.search),
      hint: t(texts.searchHint),
      value: searched,
    });
    const list =
      customers.length === 0
        ? emptyState({ title: t(texts[searched === '' ? 'empty' : 'none']) })
        : customerTable(visit, customers, balances);
    const isPartial = customers.length === listed;
    const mayAdd = isAtLeast(visit.role, 'issuer');
    return page(
      t(words.customers),
      html`${pageHead({
        title: t(words.customers),
        language,
        primary: mayAdd
          ? linkButton({ href: visit.link('/customers/new'), text: t(texts.new), kind: 'primary' })
          : null,
      })}
${filterForm({
  action: visit.link('/customers'),
  content: search,
  acts: button({ text: t(texts.show), kind: 'secondary' }),
})}
${isPartial ? notice('info', t(texts.first)) : null}
${list}`,
    );
  }

  /** One customer: the card, its correction, and the documents. */
  @ConsolePage({ method: 'GET', path: '/:id' })
  async show(visit: MemberVisit): Promise<PageReply> {
    return cardPage(this.rpc, visit);
  }

  /** Corrects a card. */
  @ConsolePage({ method: 'POST', path: '/:id', access: 'issuer', changes: 'book' })
  async save(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form, language, params, session } = visit;
    const values = readFields(customerFields, form);
    const { name, terms_days: _, terms_from: __, ...details } = values;
    const contact = Object.fromEntries(
      Object.entries(details).map(([member, typed]) => [member, typed || null]),
    );
    try {
      await this.rpc.call(updateCustomer, {
        business_id: bookId,
        customer_id: params.id ?? '',
        change: { name, ...contact, payment_terms: termsOf(values) },
        person_id: session.personId,
      });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'validation_error') {
        const errors = customerErrors(error, { below: 'change', values, language });
        return cardPage(this.rpc, visit, { values, errors });
      }
      throw error;
    }
    return redirect(visit.link(`/customers/${params.id}`), { outcome: 'saved' });
  }
}

/** What each customer has left to pay, by id; null where issuing does not answer. */
async function balancesOf(
  rpc: RpcClient,
  business_id: string,
  customers: readonly CustomerCard[],
): Promise<ReadonlyMap<string, number> | null> {
  const customer_ids = customers.map(({ id }) => id);
  if (customer_ids.length === 0) {
    return new Map();
  }
  const found = await unlessAway(
    rpc.call(listDebtors, { business_id, customer_ids, limit: listed, after: null }),
  );
  return found && new Map(found.debtors.map(({ customer_id, amount: left }) => [customer_id, left]));
}

async function cardPage(
  rpc: RpcClient,
  visit: MemberVisit,
  sent?: { readonly values: CustomerValues; readonly errors: FieldErrors },
): Promise<PageReply> {
  const { bookId, language, t, params, query, role } = visit;
  const before = Number(query.get('before'));
  const key = { business_id: bookId, customer_id: params.id ?? '' };
  const [{ customer }, documents, account, debts] = await Promise.all([
    rpc.call(showCustomer, key),
    rpc.call(listDocuments, {
      business_id: bookId,
      customer_ids: [params.id ?? ''],
      include_cancelled: true,
      settlement: true,
      limit: documentsListed,
      before: Number.isSafeInteger(before) && before > 0 ? before : null,
    }),
    unlessAway(rpc.call(readStatement, { ...key, limit: 1, after: null })),
    unlessAway(rpc.call(listDebts, { ...key, limit: debtsSummed, after: null })),
  ]);
  const at = visit.link(`/customers/${customer.id}`);
  const next = documents.next_before === null ? null : `${at}?before=${documents.next_before}`;
  const list =
    documents.documents.length === 0
      ? emptyState({ title: t(texts.noDocuments) })
      : documentTable(documents.documents, (id) => visit.link(`/documents/${id}`), language, true);
  const mayIssue = isAtLeast(role, 'issuer');
  const details = cardFacts(customer, mayIssue, language);
  return page(
    customer.name,
    html`${pageHead({
      title: isolate(customer.name, language),
      language,
      crumbs: [{ text: t(words.customers), href: visit.link('/customers') }],
      ...customerActs(visit, customer, account),
    })}
${visit.outcome === 'created' ? notice('done', t(texts.created)) : null}
${visit.outcome === 'saved' ? notice('done', t(texts.saved)) : null}
${account && accountFigures(account, debts, language)}
<div class="columns main">
  <div>
    ${card({ id: 'documents', title: t(texts.documents), kind: 'flush', content: list })}
    ${pager({ first: before > 0 ? at : null, next }, language, t(texts.documents))}
  </div>
  <div>
    ${card({ id: 'card', title: t(texts.card), content: details })}
    ${mayIssue ? editForm(visit, customer, sent) : null}
  </div>
</div>`,
    sent ? 422 : 200,
  );
}

/** What is done for a customer, a document first; what the account asks for, and its statement. */
function customerActs(
  visit: MemberVisit,
  { id }: CustomerDetails,
  account: ReplyOf<typeof readStatement> | null,
): { readonly primary: Markup | null; readonly secondary: readonly (Markup | null)[] } {
  const { t, link, role } = visit;
  const mayIssue = isAtLeast(role, 'issuer');
  const issue = { href: link('/issue', { customer: id }), text: t(texts.issue) };
  const remind = { href: link(`/debts/${id}/reminder`), text: t(texts.remind) };
  const statement = { href: link(`/customers/${id}/statement`), text: t(words.statement) };
  const ofAccount = account
    ? accountActs(visit, id, { open: account.open, onAccount: account.open - account.closing })
    : [];
  return {
    primary: mayIssue ? linkButton({ ...issue, kind: 'primary' }) : null,
    secondary: [
      ...ofAccount,
      mayIssue && account && account.open > 0 ? linkButton(remind) : null,
      linkButton(statement),
    ],
  };
}

/** What is left to pay and the account so far. */
function accountFigures(
  { open, closing, debit, credit }: ReplyOf<typeof readStatement>,
  debts: ReplyOf<typeof listDebts> | null,
  language: MemberVisit['language'],
): Markup {
  // The first due come first, so that all that is late is among them.
  const late = (debts?.debts ?? []).reduce(
    (sum, { balance, days_late }) => (days_late > 0 ? sum + fromShekels(balance) : sum),
    0n,
  );
  const onAccount = fromShekels(open) - fromShekels(closing);
  const lateness =
    late > 0n
      ? html`${texts.late[language]}: ${amount(toShekels(late), language)}`
      : texts.noneLate[language];
  return stats([
    {
      label: texts.open[language],
      value: largeAmount(open, language),
      detail: debts && lateness,
      ...(late > 0n && { tone: 'bad' as const }),
    },
    ...(onAccount > 0n
      ? [{ label: texts.onAccount[language], value: largeAmount(toShekels(onAccount), language) }]
      : []),
    { label: texts.asked[language], value: largeAmount(debit, language) },
    { label: texts.paid[language], value: largeAmount(credit, language) },
  ]);
}

function cardFacts(customer: CustomerDetails, isEdited: boolean, language: MemberVisit['language']): Markup {
  const { legal_type: legalType } = customer;
  const shown = isEdited
    ? []
    : contactDetails.map(
        (detail) => [customerMembers[detail].word[language], shownDetail(detail, customer[detail])] as const,
      );
  return facts(
    [
      [customerMembers.tax_id.word[language], customer.tax_id && leftToRight(customer.tax_id)],
      [customerMembers.legal_type.word[language], legalType && customerTypeNames[legalType][language]],
      ...shown,
      [texts.since[language], dayAndTime(customer.created_at, language)],
    ],
    language,
  );
}

function editForm(
  visit: MemberVisit,
  customer: CustomerDetails,
  sent?: { readonly values: CustomerValues; readonly errors: FieldErrors },
): Markup {
  const { csrfToken, language, t } = visit;
  const given = { values: sent?.values ?? customerValues(customer), errors: sent?.errors ?? {}, language };
  const inputs = Object.entries(customerFields).map(([name, spec]) => fieldInput(name, spec, given));
  return card({
    id: 'contact',
    title: t(texts.edit),
    content: html`<p class="hint">${t(texts.editHint)}</p>
${form({
  action: visit.link(`/customers/${customer.id}`),
  csrfToken,
  content: join(inputs, '\n'),
  acts: button({ text: t(words.save) }),
})}`,
  });
}
