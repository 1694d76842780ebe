import {
  type CustomerCard,
  type CustomerDetails,
  listDocuments,
  searchCustomers,
  showCustomer,
  updateCustomer,
} from '@pinkas/contracts';
import type { CustomerLegalType } from '@pinkas/domain';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import { html, isolate, leftToRight, type Markup } from '@pinkas/ui';
import { ConsolePage, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../people/roles.js';
import { csrfField, dayAndTime, documentTable, facts, field, notice, pager } from './parts.js';
import { type Words, words } from './words.js';

const texts = {
  search: { he: 'חיפוש', en: 'Search' },
  searchHint: { he: 'חלק מהשם, או ח.פ. / ת.ז.', en: 'A part of the name, or a tax id' },
  show: { he: 'חיפוש', en: 'Search' },
  name: { he: 'שם', en: 'Name' },
  taxId: { he: 'ח.פ. / ת.ז.', en: 'Tax id' },
  legalType: { he: 'סוג', en: 'Legal type' },
  email: { he: 'דוא"ל', en: 'Email' },
  phone: { he: 'טלפון', en: 'Phone' },
  address: { he: 'כתובת', en: 'Address' },
  city: { he: 'עיר', en: 'City' },
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
  edit: { he: 'פרטי קשר', en: 'Contact details' },
  editHint: {
    he: 'התיקון חל על מסמכים מכאן ואילך. מסמכים שהופקו אינם משתנים לעולם, ושם ומספר העוסק נשארים כפי שבמסמכים.',
    en: 'A correction is for documents from now on. Issued documents never change, and name and tax id stay as the documents have them.',
  },
  saved: { he: 'הפרטים נשמרו.', en: 'The details are saved.' },
  badEmail: { he: 'כתובת דוא"ל אינה תקינה.', en: 'This is no valid email address.' },
  badPhone: {
    he: '7 עד 20 ספרות, מקפים או רווחים, ובהתחלה אפשר +.',
    en: '7 to 20 digits, hyphens or spaces, with a + before them if you like.',
  },
  documents: { he: 'המסמכים של הלקוח', en: 'Documents of the customer' },
  noDocuments: { he: 'אין מסמכים.', en: 'No documents.' },
} as const satisfies Record<string, Words>;

/** What a customer is to the tax authority. */
export const customerTypeNames = {
  hevra_baam: { he: 'חברה בע"מ', en: 'Company' },
  osek_murshe: { he: 'עוסק מורשה', en: 'Licensed dealer' },
  osek_patur: { he: 'עוסק פטור', en: 'Exempt dealer' },
  amuta: { he: 'עמותה', en: 'Non-profit' },
  private: { he: 'פרטי', en: 'Private' },
} as const satisfies Record<CustomerLegalType, Words>;

const listed = 50;
const documentsListed = 20;

/** The customers of a book by name, with search. */
@ConsolePage({ method: 'GET', path: '/customers', access: 'reader', books: true })
export class ListCustomersPage {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, language, query } = visit;
    const search = query.get('q')?.trim().slice(0, 120) ?? '';
    const { customers } = await this.rpc.call(searchCustomers, {
      business_id: bookId,
      query: search === '' ? null : search,
      limit: listed,
    });
    return page(
      words.customers[language],
      html`<h1>${words.customers[language]}</h1>
<form class="filters card" method="get" action="${visit.link('/customers')}" role="search">${field({ name: 'q', type: 'search', label: texts.search[language], hint: texts.searchHint[language], value: search, maxLength: 120 })}<div class="buttons"><button>${texts.show[language]}</button></div></form>
${customers.length === 0 ? html`<p class="empty">${texts[search === '' ? 'empty' : 'none'][language]}</p>` : customerTable(visit, customers)}
${customers.length === listed ? html`<p class="hint">${texts.first[language]}</p>` : null}`,
    );
  }
}

function customerTable(visit: MemberVisit, customers: readonly CustomerCard[]): Markup {
  const { language } = visit;
  const rows = customers.map(
    (customer) =>
      html`<tr><th scope="row"><a href="${visit.link(`/customers/${customer.id}`)}">${isolate(customer.name, language)}</a></th><td>${customer.tax_id && leftToRight(customer.tax_id)}</td><td>${customer.email && leftToRight(customer.email)}</td><td>${customer.phone && leftToRight(customer.phone)}</td><td>${customer.city && isolate(customer.city, language)}</td></tr>`,
  );
  const heads = ['name', 'taxId', 'email', 'phone', 'city'] as const;
  return html`<div class="table"><table><thead><tr>${heads.map((name) => html`<th scope="col">${texts[name][language]}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

const fieldNames = ['email', 'phone', 'address', 'city'] as const;
type CardField = (typeof fieldNames)[number];
type CardErrors = Partial<Record<CardField, string>>;

/** One customer: the card, its correction, and the documents. */
@ConsolePage({ method: 'GET', path: '/customers/:id', access: 'reader', books: true })
export class ShowCustomerPage {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    return cardPage(this.rpc, visit, {}, {});
  }
}

/** Corrects the contact details of a card. */
@ConsolePage({ method: 'POST', path: '/customers/:id', access: 'issuer', changes: 'book', books: true })
export class SaveCustomer {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form, language, params, session } = visit;
    const given = Object.fromEntries(
      fieldNames.map((name) => [name, form.get(name)?.trim() ?? '']),
    ) as Record<CardField, string>;
    const change = Object.fromEntries(
      fieldNames.map((name) => [name, given[name] === '' ? null : given[name]]),
    ) as Record<CardField, string | null>;
    try {
      await this.rpc.call(updateCustomer, {
        business_id: bookId,
        customer_id: params.id ?? '',
        change,
        person_id: session.personId,
      });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'validation_error') {
        return cardPage(this.rpc, visit, given, errorsOf(error, language));
      }
      throw error;
    }
    return redirect(visit.link(`/customers/${params.id}`), { outcome: 'saved' });
  }
}

function errorsOf({ details }: ApiError, language: MemberVisit['language']): CardErrors {
  const faults = (details?.errors ?? []) as readonly { path: string; message: string }[];
  const own: CardErrors = { email: texts.badEmail[language], phone: texts.badPhone[language] };
  return Object.fromEntries(
    faults.flatMap(({ path, message }) => {
      const name = fieldNames.find((known) => path.endsWith(`/${known}`));
      return name ? [[name, own[name] ?? message]] : [];
    }),
  );
}

async function cardPage(
  rpc: RpcClient,
  visit: MemberVisit,
  given: Partial<Record<CardField, string>>,
  errors: CardErrors,
): Promise<PageReply> {
  const { bookId, language, params, query, role } = visit;
  const before = Number(query.get('before'));
  const [{ customer }, documents] = await Promise.all([
    rpc.call(showCustomer, { business_id: bookId, customer_id: params.id ?? '' }),
    rpc.call(listDocuments, {
      business_id: bookId,
      customer_ids: [params.id ?? ''],
      include_cancelled: true,
      settlement: true,
      limit: documentsListed,
      before: Number.isSafeInteger(before) && before > 0 ? before : null,
    }),
  ]);
  const at = visit.link(`/customers/${customer.id}`);
  const next = documents.next_before === null ? null : `${at}?before=${documents.next_before}`;
  const list =
    documents.documents.length === 0
      ? html`<p>${texts.noDocuments[language]}</p>`
      : documentTable(documents.documents, (id) => visit.link(`/documents/${id}`), language);
  const isWrong = Object.keys(errors).length > 0;
  return page(
    customer.name,
    html`<h1>${isolate(customer.name, language)}</h1>${visit.outcome === 'saved' ? notice('done', texts.saved[language]) : null}
<section class="card">${cardFacts(customer, isAtLeast(role, 'issuer'), language)}</section>
${isAtLeast(role, 'issuer') ? contactForm(visit, customer, given, errors) : null}
<section class="card" aria-labelledby="documents"><h2 id="documents">${texts.documents[language]}</h2>${list}${pager({ first: before > 0 ? at : null, next }, language, texts.documents[language])}</section>`,
    isWrong ? 422 : 200,
  );
}

function cardFacts(customer: CustomerDetails, isEdited: boolean, language: MemberVisit['language']): Markup {
  const { legal_type: legalType } = customer;
  const contact = isEdited
    ? []
    : ([
        [texts.email[language], customer.email && leftToRight(customer.email)],
        [texts.phone[language], customer.phone && leftToRight(customer.phone)],
        [texts.address[language], customer.address],
        [texts.city[language], customer.city],
      ] as const);
  return facts(
    [
      [texts.taxId[language], customer.tax_id && leftToRight(customer.tax_id)],
      [texts.legalType[language], legalType && customerTypeNames[legalType][language]],
      ...contact,
      [texts.since[language], dayAndTime(customer.created_at, language)],
    ],
    language,
  );
}

function contactForm(
  visit: MemberVisit,
  customer: CustomerDetails,
  given: Partial<Record<CardField, string>>,
  errors: CardErrors,
): Markup {
  const { csrfToken, language } = visit;
  const input = (name: CardField, more: Partial<Parameters<typeof field>[0]> = {}) =>
    field({
      name,
      label: texts[name][language],
      value: given[name] ?? customer[name],
      error: errors[name],
      ...more,
    });
  return html`<section class="card" aria-labelledby="contact"><h2 id="contact">${texts.edit[language]}</h2><p class="hint">${texts.editHint[language]}</p><form method="post" action="${visit.link(`/customers/${customer.id}`)}" class="grid">${csrfField(csrfToken)}${input('email', { type: 'email', ltr: true, maxLength: 254 })}${input('phone', { type: 'tel', ltr: true, maxLength: 21 })}${input('address', { maxLength: 200 })}${input('city', { maxLength: 80 })}<div class="buttons"><button>${words.save[language]}</button></div></form></section>`;
}
